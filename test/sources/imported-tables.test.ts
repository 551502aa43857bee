import { expect, it } from "vitest";
import { RollupSession } from "../../src/sources/session.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";
import { RULES } from "./account.ts";

const INSERT_SPEND = `INSERT INTO spend (day, source, medium, cost_micros, currency, file, imported_at)
  VALUES ('2026-11-02', 'google', 'cpc', 0, 'USD', 'spend.csv', '')`;
const INSERT_JOB = `INSERT INTO outcomes (call_id, day, stage, source, import_id)
  VALUES (7, '2026-11-03', 'lost', 'jobs', 1)`;

it.each([
  ["nothing", [], [false, false]],
  ["spend", [INSERT_SPEND], [true, false]],
  ["jobs", [INSERT_JOB], [false, true]],
] as const)(
  "RollupSession: a warehouse with %s has spend, and outcomes, accordingly",
  (_, inserts, expected) => {
    using warehouse = newWarehouse([makeCall({ call_id: 7 })]);
    for (const insert of inserts) warehouse.sqlite.exec(insert);
    using session = new RollupSession(warehouse.sqlite, { rules: RULES });
    expect([session.hasSpend(), session.hasOutcomes()]).toEqual(expected);
  },
);
