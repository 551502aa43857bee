import { describe, expect, it } from "vitest";
import { type ExportOptions, makeWarehouse } from "../../support/figures/produce-files.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeSpend } from "../../support/warehouses/spend.ts";

it.each([
  // The first call came on 9 September there, and the last sync ended on 30 September.
  { timezone: "Pacific/Honolulu", first: "2026-09-10T09:59:59.000Z", days: 22 },
  { timezone: "Pacific/Honolulu", first: "2026-09-10T10:00:00.000Z", days: 21 },
  // The last sync ended on 1 October there.
  { timezone: "Australia/Lord_Howe", first: "2026-09-10T13:29:59.000Z", days: 22 },
  { timezone: "Australia/Lord_Howe", first: "2026-09-10T13:30:00.000Z", days: 21 },
])(
  "days that could have spend begin with that of the first call in $timezone, $first: $days days",
  async ({ timezone, first, days }) => {
    using warehouse = makeWarehouse(
      [first, "2026-09-20T12:00:00.000Z"].map((call_started, index) =>
        makeCall({ call_id: index + 1, call_started, utm_source: "google" }),
      ),
    );
    const spent = { source: "google", medium: "cpc", campaign: "Spring", cost_micros: 7e6 };
    const importedAt = "2026-09-30T00:00:00.000Z";
    warehouse.change((open) => storeSpend(open, [{ day: "2026-09-15", ...spent }], { importedAt }));
    const { manifest } = await warehouse.export({
      targets: [{ kind: "rollup", dimensions: ["source"] }],
      ...{ timezone, spend: true },
    });
    const { values } = manifest.statements.find(({ id }) => id === "spend_days") ?? {};
    expect(values).toEqual({ days: 1, of: days });
  },
);

describe("startJob", () => {
  const SEPTEMBER = { from: "2026-09-01", to: "2026-09-30" };
  it.each<{ of: string; asked: Partial<ExportOptions>; calls: number | undefined }>([
    { of: "all days", asked: {}, calls: 3 },
    { of: "the days of a file", asked: { range: SEPTEMBER }, calls: 2 },
    {
      of: "its days in its zone",
      asked: { range: SEPTEMBER, timezone: "Pacific/Honolulu" },
      calls: 3,
    },
    { of: "its filter", asked: { filter: { source: ["bing"] } }, calls: 1 },
    {
      of: "days and a filter with none",
      asked: { range: SEPTEMBER, filter: { source: ["bing"] } },
      calls: undefined,
    },
    { of: "a file that counts gone calls", asked: { filter: { include_gone: true } }, calls: undefined },
    { of: "a file to share, fewer than a row may have", asked: { minCell: 4 }, calls: undefined },
    { of: "a file to share", asked: { minCell: 3 }, calls: 3 },
  ])("calls that the service no longer lists are stated for $of", async ({ asked, calls }) => {
    const sources = ["google", "google", "bing", "google", "google"];
    using warehouse = makeWarehouse(
      sources.map((utm_source, index) =>
        // Two in September, and three in its last hours in Honolulu; the last of all is gone.
        makeCall({
          call_id: index + 1,
          call_started: index < 2 ? "2026-09-15T00:00:00.000Z" : "2026-10-01T05:00:00.000Z",
          utm_source,
        }),
      ),
    );
    warehouse.execute("UPDATE calls SET missing_since = '2026-11-20T15:00:00.000Z' WHERE call_id < 4");
    warehouse.execute(
      "UPDATE calls SET missing_since = '2026-11-19T15:00:00.000Z', gone_at = '2026-11-20T15:00:00.000Z' WHERE call_id = 5",
    );
    const { manifest } = await warehouse.export({
      targets: [{ kind: "rollup", dimensions: ["source"] }],
      ...asked,
    });
    const { values } = manifest.statements.find(({ id }) => id === "missing") ?? {};
    const until = asked.timezone ? "20 Nov 2026 05:00 (UTC-10:00)" : "20 Nov 2026 15:00 (UTC)";
    expect(values).toEqual(calls === undefined ? undefined : { calls, until });
  });
});
