import { describe, expect, it } from "vitest";
import type { Call } from "../../src/calls/columns.ts";
import type { Manifest } from "../../src/export/manifest.ts";
import { say } from "../../src/export/statements/statements.ts";
import { type FolderExportOptions, makeWarehouse } from "../support/figures/produce-files.ts";
import { readCsv } from "../support/page.ts";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";

/** Two new callers in April and three in May. */
const CALLS = ["04-10", "04-11", "05-01", "05-12", "05-31"].map((day, index) =>
  makeCall({ call_id: index + 10, caller_id: `+49${index}`, call_started: `2026-${day}T10:00:00.000Z` }),
);
const MAY = { range: { from: "2026-05-01", to: "2026-05-31" }, compare: "previous" } as const;

function describeHistory({ statements }: Manifest): string[] {
  return statements.filter(({ id }) => id.startsWith("short_history")).map((each) => say(each).text);
}

/** @param first the start of the first synced call */
async function exportCalls(first: string, options: Partial<FolderExportOptions> = {}) {
  const calls: Call[] = [makeCall({ call_id: 1, caller_id: "+499", call_started: first }), ...CALLS];
  using warehouse = makeWarehouse(calls);
  const { folder, manifest } = await warehouse.export({
    targets: [{ kind: "rollup", dimensions: ["channel"] }],
    ...MAY,
    ...options,
  });
  return { manifest, rows: readCsv(readText(folder, "channel.csv")) };
}

describe("history of first-time callers", () => {
  it("allows a change if 90 days of calls precede the compared days", async () => {
    const { manifest, rows } = await exportCalls("2026-01-01T00:00:00.000Z");
    expect(rows).toMatchObject([
      { calls_change: 0.5, first_time_callers: 3, first_time_callers_change: 0.5 },
    ]);
    expect(describeHistory(manifest)).toEqual([]);
  });

  it("allows no change if fewer precede them, and the manifest states it", async () => {
    const { manifest, rows } = await exportCalls("2026-01-01T00:00:00.001Z");
    expect(rows).toMatchObject([
      { calls_change: 0.5, first_time_callers: 3, first_time_callers_change: null },
    ]);
    expect([manifest.range.short_history, manifest.compared_with?.[0]?.short_history]).toEqual([
      undefined,
      true,
    ]);
    expect(describeHistory(manifest)).toHaveLength(1);
  });

  it("history may be too short for days with fewer days of calls before them", async () => {
    const { manifest } = await exportCalls("2026-04-01T00:00:00.000Z", { compare: undefined });
    expect(manifest.range.short_history).toBe(true);
    expect(describeHistory(manifest)).toHaveLength(1);
  });

  it.each<{ name: string; options: Partial<FolderExportOptions>; isSaid: boolean }>([
    { name: "calls alone", options: { columns: ["calls"] }, isSaid: false },
    { name: "their cost", options: { columns: ["cost_per_first_time_caller"], spend: true }, isSaid: true },
    {
      name: "calls of first-time callers",
      options: { columns: ["calls"], filter: { first_time: true } },
      isSaid: true,
    },
    { name: "callers to ring back", options: { targets: [{ kind: "callbacks", with: [] }] }, isSaid: false },
    { name: "a list of calls", options: { targets: [{ kind: "calls", with: [] }] }, isSaid: true },
  ])("too short, is said if a file shows first-time callers: $name", async ({ options, isSaid }) => {
    using warehouse = makeWarehouse(CALLS);
    const { manifest } = await warehouse.export({
      targets: [{ kind: "rollup", dimensions: ["channel"] }],
      range: MAY.range,
      ...options,
    });
    expect(describeHistory(manifest)).toHaveLength(isSaid ? 1 : 0);
  });

  it("history may be too short only for the first periods", async () => {
    const { manifest } = await exportCalls("2026-01-31T00:00:00.000Z", {
      grain: "month",
      compare: undefined,
      range: { from: "2026-04-01", to: "2026-05-31" },
    });
    expect(manifest.periods?.map(({ period, short_history }) => [period, short_history])).toEqual([
      ["2026-04", true],
      ["2026-05", undefined],
    ]);
    expect(describeHistory(manifest)).toHaveLength(1);
  });

  it("history is too short for all calls, which begin with the first synced call", async () => {
    const { manifest } = await exportCalls("2020-01-01T00:00:00.000Z", { compare: undefined, range: {} });
    expect(manifest.range).toEqual({ provisional: true, short_history: true });
  });
});

describe("costs", () => {
  const DAYS = { range: { from: "2026-05-11", to: "2026-05-12" }, compare: "previous", spend: true } as const;

  it.each([
    { before: ["2026-05-09", "2026-05-10"], previous: 20, change: 0, isSaid: false },
    { before: ["2026-05-10"], previous: null, change: null, isSaid: true },
  ])(
    "costs are compared with as many days of spend: $before",
    async ({ before, previous, change, isSaid }) => {
      using warehouse = makeWarehouse([makeCall({ call_started: "2026-01-01T10:00:00.000Z" }), ...CALLS]);
      for (const day of [...before, "2026-05-11", "2026-05-12"])
        warehouse.execute(`INSERT INTO spend (day, source, medium, cost_micros, currency, file, imported_at)
        VALUES ('${day}', 'google', 'cpc', 10000000, 'USD', 'a.csv', '2026-06-01T00:00:00.000Z')`);
      const targets = [{ kind: "rollup", dimensions: ["source"] }] as const;
      const { folder, manifest } = await warehouse.export({ targets, ...DAYS });
      const google = readCsv(readText(folder, "source.csv")).find(({ source }) => source === "google");
      expect(google).toMatchObject({ cost: 20, cost_previous: previous, cost_change: change });
      expect(manifest.statements.some(({ id }) => id === "spend_days_differ")).toBe(isSaid);
    },
  );
});
