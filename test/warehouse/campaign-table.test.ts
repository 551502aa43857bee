import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { campaignNamesText } from "../../src/sources/sqlite/campaign-names-sql.ts";
import { attributeAll } from "../../src/warehouse/attribution/attribute-all.ts";
import { setLive } from "../../src/warehouse/calls/call-facts.ts";
import { findOtherNames } from "../../src/warehouse/campaign-table.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { newWarehouse, storeCalls } from "../support/warehouses/warehouse.ts";

const namesOf = ({ sqlite }: Warehouse) =>
  sqlite.prepare("SELECT campaign_id, campaign FROM campaigns WHERE campaign IS NOT NULL ORDER BY 1").all();
const derivedOf = ({ sqlite }: Warehouse) => sqlite.prepare(`${campaignNamesText()} ORDER BY 1`).all();
const changedAfter = ({ sqlite }: Warehouse, moment: unknown) =>
  sqlite.prepare("SELECT call_id FROM attributed_calls WHERE changed_at > ? ORDER BY 1").pluck().all(moment);
const lastChange = ({ sqlite }: Warehouse) =>
  sqlite.prepare("SELECT max(changed_at) FROM attributed_calls").pluck().get();

const called = (call_id: number, campaign_id: string | null, campaign_name: string | null) =>
  makeCall({ call_id, campaign_id, campaign_name });

describe("names of campaigns", () => {
  it("common names are those of the facts after any writes: new calls, other names and ids, calls that go and return", () => {
    const call = fc.tuple(
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(null, "71", "72"),
      fc.constantFrom(null, "Autumn", "autumn sale", "Winter"),
    );
    const step = fc.oneof(
      call.map((members) => ({ store: called(...members) })),
      fc.record({ id: fc.integer({ min: 1, max: 9 }), isLive: fc.boolean() }),
      fc.constant({ alias: true }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        using warehouse = newWarehouse();
        for (const each of steps) {
          if ("store" in each) storeCalls(warehouse, [each.store]);
          else
            writeTransaction(warehouse, (tx) => {
              if ("id" in each) setLive(tx, [each.id], each.isLive);
              else attributeAll(tx, { ...DEFAULT_RULES, aliases: { winter: "Autumn" } }, 0).toArray();
            });
          expect(namesOf(warehouse)).toEqual(derivedOf(warehouse));
          expect(findOtherNames(warehouse)).toEqual([]);
        }
        const unused = `SELECT campaign_id FROM campaigns
          WHERE campaign_id NOT IN (SELECT campaign_id FROM call_facts WHERE campaign_id IS NOT NULL)`;
        expect(warehouse.sqlite.prepare(unused).all()).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it("a new common name dates all calls of its id, and no others", () => {
    using warehouse = newWarehouse([
      called(1, "71", "Autumn"),
      called(2, "71", "Autumn"),
      called(3, "72", "Winter"),
      called(4, null, "Autumn"),
    ]);
    const first = lastChange(warehouse);
    storeCalls(warehouse, [called(5, "71", "Herbst"), called(6, "71", "Herbst")]);
    expect(changedAfter(warehouse, first)).toEqual([5, 6]);
    const second = lastChange(warehouse);
    storeCalls(warehouse, [called(7, "71", "Herbst")]);
    expect(changedAfter(warehouse, second)).toEqual([1, 2, 5, 6, 7]);
  });

  it("verify finds edited names, and recomputing the attribution makes them again", () => {
    using warehouse = newWarehouse([called(1, "71", "Autumn"), called(2, "72", "Winter")]);
    for (const edit of [
      "UPDATE campaigns SET campaign = 'Spring' WHERE campaign_id = '71'",
      "UPDATE campaign_names SET calls = 9 WHERE campaign_id = '71'",
      "DELETE FROM campaigns WHERE campaign_id = '71'",
    ]) {
      warehouse.sqlite.exec(edit);
      expect(findOtherNames(warehouse), edit).toEqual([1]);
      writeTransaction(warehouse, (tx) => void attributeAll(tx, DEFAULT_RULES, 0).toArray());
      expect(findOtherNames(warehouse), edit).toEqual([]);
    }
  });
});
