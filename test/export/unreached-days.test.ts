import { expect, it } from "vitest";
import { makeWarehouse, RUN_FINISHED_AT } from "../support/figures/produce-files.ts";
import { readCsv } from "../support/page.ts";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";

/** A call at noon of each day of September 2026, the month before the last sync, and one long before. */
const CALLS = Array.from({ length: 30 }, (_, index) =>
  makeCall({
    call_id: index + 1,
    call_started: `2026-09-${String(index + 1).padStart(2, "0")}T12:00:00.000Z`,
    caller_id: `+4930${index}`,
    disposition: index % 3 === 0 ? "busy" : "answered",
    duration: 50 + index,
    utm_source: "bing",
  }),
);
const OLD = makeCall({ call_id: 99, call_started: "2025-01-01T00:00:00.000Z" });

it.each([
  { from: "2026-09-24", to: "2026-09-30", isKnown: true },
  { from: "2026-09-28", to: "2026-10-04", isKnown: true },
  { from: "2026-09-30", to: "2026-10-13", isKnown: true },
  { from: "2026-10-02", to: "2026-10-15", isKnown: false },
  { from: "2026-10-05", to: "2026-10-11", isKnown: false },
])(
  `$from to $to of a copy of ${RUN_FINISHED_AT} have known changes: $isKnown`,
  async ({ isKnown, ...range }) => {
    using warehouse = makeWarehouse([...CALLS, OLD]);
    for (const grain of [undefined, "week"] as const) {
      await warehouse.export({
        targets: [{ kind: "rollup", dimensions: ["source"] }],
        ...{ range, grain, compare: "previous", chance: true, total: true },
      });
      const rows = readCsv(readText(warehouse.folder, "source.csv"));
      const figures = rows
        .flatMap((row) => Object.entries(row))
        .filter(([name]) => /_(previous|change|within_chance)$/.test(name));
      expect(figures.length).toBeGreaterThan(20);
      if (isKnown) expect(rows.map((row) => row.calls_change)).toContainEqual(expect.any(Number));
      else expect(figures.filter(([, value]) => value !== null)).toEqual([]);
    }
  },
);

it.each([
  // The last sync ended there at 14:01 on 30 September, and at 10:31 on 1 October.
  { timezone: "Pacific/Honolulu", day: "2026-10-01", isKnown: false, until: "14:01" },
  { timezone: "Pacific/Honolulu", day: "2026-09-30", isKnown: true, until: "14:01" },
  { timezone: "Pacific/Honolulu", day: "2026-09-29", isKnown: true },
  { timezone: "Australia/Lord_Howe", day: "2026-10-02", isKnown: false, until: "10:31" },
  { timezone: "Australia/Lord_Howe", day: "2026-10-01", isKnown: true, until: "10:31" },
  { timezone: "Australia/Lord_Howe", day: "2026-09-30", isKnown: true },
])(
  "the days until $day in $timezone are compared until $until; that day is known: $isKnown",
  async ({ timezone, day, isKnown, until }) => {
    using warehouse = makeWarehouse([...CALLS, OLD]);
    const { manifest } = await warehouse.export({
      targets: [{ kind: "rollup", dimensions: ["source"] }],
      ...{ range: { from: "2026-09-20", to: day }, compare: "previous", timezone },
    });
    expect(manifest.compared_with?.[0]?.until?.slice(0, 5)).toBe(until);
    const only = await warehouse.export({
      targets: [{ kind: "rollup", dimensions: ["source"] }],
      ...{ range: { from: day, to: day }, compare: "previous", timezone },
    });
    expect(only.manifest.files).toHaveLength(1);
    const rows = readCsv(readText(warehouse.folder, "source.csv"));
    const isShown = rows.some(({ calls_previous }) => calls_previous !== null);
    // No call of the day before came until 10:31 on Lord Howe.
    expect(isShown).toBe(isKnown && until !== "10:31");
  },
);
