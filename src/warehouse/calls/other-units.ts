import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { countRows } from "../counts.ts";
import { readOrigin } from "../origin.ts";
import type { Reader } from "../warehouse.ts";
import { calls } from "./calls.ts";
import { call_facts } from "./facts.ts";

/** The API does not document the parameter's type and meaning: only a number can be compared. */
function isOtherUnit(served: SQLiteColumn, unit: string | null | undefined): SQL {
  return /^\d+$/.test(unit ?? "") ? ne(served, Number(unit)) : sql`FALSE`;
}

export function countOtherUnits(warehouse: Reader): number {
  const isOther = isOtherUnit(call_facts.org_unit_id, readOrigin(warehouse).org_unit_id);
  return countRows(warehouse, call_facts, and(eq(call_facts.is_live, true), isOther));
}

/** Counts a run's new and changed calls that belong to another organization unit than the requested one. */
export function countOtherUnitsOf(warehouse: Reader, runId: number, unit?: string): number {
  const isOther = isOtherUnit(calls.org_unit_id, unit);
  return countRows(warehouse, calls, and(eq(calls.changed_run_id, runId), isOther));
}
