import { expect, it } from "vitest";
import { importSpend } from "../../../src/features/spend/spend-table.ts";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

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
    const row = { source: "google", medium: "cpc", campaign: "Spring", campaign_id: null, cost_micros: 7e6 };
    const spent = [{ line: 2, day: "2026-09-15", ...row, currency: "USD", clicks: null, impressions: null }];
    const imported = { currency: "USD", named: undefined, importedAt: "2026-09-30T00:00:00.000Z" };
    warehouse.change((open) => importSpend(open, [{ file: "spend.csv", rows: spent }], imported));
    const { manifest } = await warehouse.export({
      targets: [{ kind: "rollup", dimensions: ["source"] }],
      ...{ timezone, spend: true },
    });
    const { values } = manifest.statements.find(({ id }) => id === "spend_days") ?? {};
    expect(values).toEqual({ days: 1, of: days });
  },
);
