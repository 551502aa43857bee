import { expect, it } from "vitest";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
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
