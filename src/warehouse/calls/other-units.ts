import { count, eq } from "drizzle-orm";
import { readOrigin } from "../origin.ts";
import type { Warehouse } from "../warehouse.ts";
import { calls } from "./calls.ts";
import { call_facts } from "./facts.ts";

/**
 * Whether a call is of another organization unit than was asked for, as far as that can be told: the type and meaning of
 * the parameter are not documented, and what is no number cannot be compared with the number that calls have.
 */
function isOtherUnit(asked: string | null | undefined, served: number | null | undefined): boolean {
  return /^\d+$/.test(asked ?? "") && typeof served === "number" && served !== Number(asked);
}

export function countOtherUnits(warehouse: Pick<Warehouse, "db" | "path">): number {
  const units = warehouse.db
    .select({ unit: call_facts.org_unit_id, calls: count() })
    .from(call_facts)
    .where(eq(call_facts.is_live, true))
    .groupBy(call_facts.org_unit_id)
    .all();
  return sumOthers(readOrigin(warehouse).org_unit_id, units);
}

/** Counts the calls that a run found new or changed and that are of other organization units than the one it asked for. */
export function countOtherUnitsOf({ db }: Pick<Warehouse, "db">, runId: number, asked?: string): number {
  if (asked === undefined) return 0;
  const units = db
    .select({ unit: calls.org_unit_id, calls: count() })
    .from(calls)
    .where(eq(calls.changed_run_id, runId))
    .groupBy(calls.org_unit_id)
    .all();
  return sumOthers(asked, units);
}

function sumOthers(asked: string | null, units: readonly { unit: number | null; calls: number }[]): number {
  return units.reduce((sum, { unit, calls }) => sum + (isOtherUnit(asked, unit) ? calls : 0), 0);
}
