import type { Audience } from "../base/folder.ts";
import type { RollupColumn } from "../figures/rollup-query.ts";
import type { TableEntry } from "./manifest.ts";

/** Text, days and times as text, numbers, 1 and 0 for booleans; null for no value. */
export type Value = string | number | null;

export const COLUMN_TYPES = ["text", "integer", "decimal", "boolean", "time", "local time", "date"] as const;

export interface Column extends Omit<RollupColumn, "type"> {
  /**
   * `time` is ISO-8601 text in UTC with milliseconds (`2026-11-20T05:30:00.000Z`), `local time` what clocks showed
   * (`2026-11-20 06:30:00`), `date` a local day (`2026-11-20`). Only `text` may come from a visitor.
   */
  type: (typeof COLUMN_TYPES)[number];
}

/** A row that sums others: all of them, or those of keys with a cost over 0. */
export interface TotalRow {
  kind: "total" | "with_spend";
  values: readonly Value[];
}

/** The content of a file. The rows are read once, while the file is written; values are in the order of the columns. */
export interface Table {
  columns: readonly Column[];
  rows: Iterable<readonly Value[]>;
  /** Below the rows. @default none */
  totals?: readonly TotalRow[] | undefined;
}

export interface NamedTable extends Table {
  name: string;
  audience: Audience;
  /** Its entry in the manifest; for some tables complete only after their rows were read. */
  entry: TableEntry;
}

export function* linesOf({ rows, totals = [] }: Pick<Table, "rows" | "totals">): Generator<readonly Value[]> {
  yield* rows;
  for (const { values } of totals) yield values;
}
