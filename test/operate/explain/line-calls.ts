import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { newWarehouse, setRules, storeCalls } from "../../support/warehouses/warehouse.ts";

/** Three minutes are qualified, one is not. Each count below differs from the others. */
export const [LONG, SHORT] = [180, 60];
export const RULES = { ...DEFAULT_RULES, qualified_seconds: 120 };

export function openCalls(calls: readonly Partial<Call>[], rules = RULES) {
  const warehouse = newWarehouse();
  setRules(warehouse, rules);
  const answered = { call_started: "2026-10-01T12:00:00.000Z", disposition: "ANSWERED" };
  storeCalls(
    warehouse,
    calls.map((members, index) => makeCall({ call_id: index + 1, ...answered, ...members })),
  );
  return warehouse;
}

export const times = (count: number, call: Partial<Call>) => Array.from({ length: count }, () => call);
