import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { toCaseless } from "../../src/calls/attribution/call-text.ts";
import type { CallFilter } from "../../src/calls/filter.ts";
import { NOT_SET, OTHER, TOTAL, toServed } from "../../src/figures/reserved-keys.ts";
import type { RollupQuery } from "../../src/figures/rollup-query.ts";
import { RollupSession } from "../../src/sources/session.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { deleteCalls, newWarehouse, storeCalls } from "../support/warehouses/warehouse.ts";

/** Texts that look like reserved keys, and some that nearly do. */
const texts = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("", '"', '""', "'", "(", " "),
      fc.constantFrom(
        "(total)",
        "(not set)",
        "(with spend)",
        "(other)",
        "(Other)",
        "(TOTAL)",
        "(Not Set)",
        "(none)",
        "total",
        "x",
        "(not  set)",
        "",
      ),
      fc.constantFrom("", '"', '""', "'", ")"),
    )
    .map((parts) => parts.join("")),
  fc.string({ maxLength: 4 }),
);

/** Replaces the calls of the warehouse with one call for each text. */
function fill(warehouse: Warehouse, served: readonly string[]): void {
  deleteCalls(warehouse);
  const calls = served.map((text, index) =>
    makeCall({
      call_id: index + 1,
      campaign_name: text,
      utm_source: text,
      insight_name: text,
      org_unit_name: text,
      disposition: text,
      referring_url: `https://${text}/`,
    }),
  );
  storeCalls(warehouse, calls);
}

/** The first key column of a rollup. */
async function keysIn(
  sqlite: Warehouse["sqlite"],
  query: RollupQuery,
  filter: CallFilter = {},
): Promise<string[]> {
  using session = new RollupSession(sqlite, { rules: DEFAULT_RULES, filter });
  expect(await session.findUnmatched(filter)).toEqual([]);
  return [...(await session.rollup(query)).rows].map(([key]) => String(key));
}

describe("keys of rollups", () => {
  it("distinguish served values from special keys and each other, and a filter by one finds its calls", async () => {
    using warehouse = newWarehouse();
    const seen = { quoted: 0, filtered: 0 };
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(texts, { maxLength: 12 }), async (served) => {
        fill(warehouse, served);
        const { sqlite } = warehouse;
        const valuesOf = (sql: string) => sqlite.prepare<[], string | null>(sql).pluck().all();
        const keysOf = (
          dimension: "campaign" | "utm_source" | "org_unit" | "disposition" | "referring_host",
          raw = false,
        ) => keysIn(sqlite, { dimensions: [dimension], raw });
        for (const [keys, values] of [
          [await keysOf("utm_source", true), valuesOf("SELECT DISTINCT nullif(utm_source, '') FROM calls")],
          [await keysOf("campaign"), valuesOf("SELECT DISTINCT campaign FROM call_facts")],
          [await keysOf("disposition"), valuesOf("SELECT DISTINCT disposition FROM call_facts")],
          [await keysOf("referring_host"), valuesOf("SELECT DISTINCT referring_host FROM call_facts")],
        ] as const) {
          expect(new Set(keys).size).toBe(values.length);
          expect(keys.filter((key) => key === NOT_SET).length).toBe(
            values.filter((value) => value === null).length,
          );
          expect(keys).not.toContain(TOTAL);
          expect(keys).not.toContain(OTHER);
          expect(new Set(keys.map((key) => (key === NOT_SET ? null : toServed(key))))).toEqual(
            new Set(values),
          );
          seen.quoted += keys.filter((key) => toServed(key) !== key).length;
        }
        for (const key of await keysOf("campaign")) {
          const found = await keysIn(sqlite, { dimensions: ["campaign"] }, { campaign: [key] });
          expect(found).toContain(key);
          // Filters ignore case and white space: they compare what was served, not what is shown.
          expect(new Set(found.map((name) => toCaseless(toServed(name))))).toEqual(
            new Set([toCaseless(toServed(key))]),
          );
          seen.filtered++;
        }
      }),
      { numRuns: 60 },
    );
    expect(seen.quoted).toBeGreaterThan(20);
    expect(seen.filtered).toBeGreaterThan(20);
  });

  it("views and files have the same keys", async () => {
    using warehouse = newWarehouse();
    fill(warehouse, ["(total)", '"(total)"', "(not set)", "(Other)", "Autumn"]);
    const keys = warehouse.sqlite.prepare("SELECT campaign FROM rollup_campaign ORDER BY 1").pluck().all();
    expect(keys).toEqual(['""(total)""', '"(Other)"', '"(total)"', NOT_SET, "Autumn"]);
  });
});
