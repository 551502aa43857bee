import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { clockAt, type FolderExportOptions, makeWarehouse } from "../../support/figures/produce-files.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeSpend } from "../../support/warehouses/spend.ts";

const LAST_DAY = "2026-03-28";

/** @param spent days with spend of a campaign that nobody called about */
async function exportHygiene(
  calls: readonly Partial<Call>[],
  options: Partial<FolderExportOptions> = { range: { to: LAST_DAY } },
  spent: readonly string[] = [],
) {
  using warehouse = makeWarehouse(
    calls.map((members, index) => makeCall({ call_id: index + 1, ...members })),
  );
  if (spent.length > 0) {
    const rows = spent.map((day, index) => ({
      ...{ day, source: "bing", medium: "cpc", campaign: "Nobody called", currency: "USD" },
      ...{ cost_micros: 10 ** index * 1_000_000, campaign_id: null, clicks: null, impressions: null },
    }));
    warehouse.change((open) => storeSpend(open, rows, { importedAt: "2026-03-29T00:00:00.000Z" }));
  }
  const made = await warehouse.export({
    targets: [{ kind: "hygiene" }],
    format: { format: "json" },
    ...options,
  });
  const rows: Record<string, string | number | null>[] = JSON.parse(readText(made.folder, "hygiene.json"));
  return { rows, file: made.manifest.files[0] };
}

const callsOn = (day: string, count: number, members: Partial<Call>) =>
  Array.from({ length: count }, () => ({ call_started: `${day}T10:00:00.000Z`, ...members }));

describe("writeHygiene", () => {
  it("counts calls of the 28 days up to the last selected one, and dates the first call at any time", async () => {
    const { rows, file } = await exportHygiene([
      ...callsOn("2026-01-10", 1, { utm_source: "facebok" }),
      ...callsOn("2026-02-28", 1, { utm_source: "facebok" }),
      ...callsOn("2026-03-01", 2, { utm_source: "facebok" }),
      ...callsOn(LAST_DAY, 20, { utm_source: "facebook" }),
      ...callsOn("2026-03-29", 4, { utm_source: "facebok" }),
    ]);
    expect(rows).toEqual([
      {
        problem: "near_miss",
        field: "source",
        value: "facebok",
        other: "facebook",
        calls: 2,
        since: "2026-01-10T10:00:00.000Z",
        file: "aliases",
        line: "facebok,facebook,source",
      },
      {
        problem: "new_source",
        field: "source",
        value: "facebook",
        other: null,
        calls: 20,
        since: `${LAST_DAY}T10:00:00.000Z`,
        file: null,
        line: null,
      },
    ]);
    expect(file).toMatchObject({ contents: "hygiene", rows: 2 });
  });

  it("does not treat a click id of Search Ads 360 as a contradiction", async () => {
    const { rows } = await exportHygiene([
      ...callsOn(LAST_DAY, 1, { utm_source: "bing", utm_medium: "cpc", gclid: "a", gclsrc: "3p.ds" }),
      ...callsOn(LAST_DAY, 2, { utm_source: "bing", utm_medium: "cpc", gclid: "b", gclsrc: "aw.ds" }),
    ]);
    expect(rows).toMatchObject([{ problem: "contradiction", value: "bing", calls: 2 }]);
  });

  it.each([
    // It is still 28 March there, so that the 28 days begin on 1 March.
    {
      timezone: "Pacific/Honolulu",
      now: "2026-03-29T02:00:00.000Z",
      starts: "2026-03-01T10:00:00.000Z",
      isNewFrom: "2026-03-22T10:00:00.000Z",
      spent: ["2026-02-28", "2026-03-01", "2026-03-28"],
    },
    // It is already 29 March there, so that they begin on 2 March.
    {
      timezone: "Australia/Lord_Howe",
      now: "2026-03-28T14:00:00.000Z",
      starts: "2026-03-01T13:00:00.000Z",
      isNewFrom: "2026-03-22T13:00:00.000Z",
      spent: ["2026-03-01", "2026-03-02", "2026-03-29"],
    },
  ])(
    "without a last day, the 28 days end on today in $timezone: at $now, they begin at $starts",
    async ({ timezone, now, starts, isNewFrom, spent }) => {
      const [start, week] = [Date.parse(starts), Date.parse(isNewFrom)];
      const at = (ms: number, utm_source: string) => ({
        call_started: new Date(ms).toISOString(),
        utm_source,
      });
      const { rows } = await exportHygiene(
        [
          at(start - 86_400_000 * 20, "facebook"),
          at(start - 1, "facebok"),
          at(start, "facebok"),
          ...Array.from({ length: 20 }, (_, index) => at(start + index, "facebook")),
          ...Array.from({ length: 9 }, () => at(week - 1, "taboola")),
          ...Array.from({ length: 9 }, () => at(week, "outbrain")),
        ],
        { timezone, clock: clockAt(Date.parse(now)) },
        spent,
      );
      expect(rows.map(({ problem, value, calls, cost }) => [problem, value, calls, cost])).toEqual([
        ["near_miss", "facebok", 1, 0],
        ["spend_without_calls", "Nobody called", 0, 110],
        ["new_source", "outbrain", 9, 0],
      ]);
    },
  );
});
