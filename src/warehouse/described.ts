import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { WithheldKind } from "../calls/privacy/keep-settings.ts";

/**
 * What is personal in a column; `forget` and `prune` act on it.
 * - kinds of `keep`: withheld by its rules, and removed with the caller
 * - `caller`: how the facts know a caller; becomes a pseudonym
 * - `visitor`: identifies the caller's browser; removed with the caller
 * - `row`: a served row, stripped as a whole
 * - `text`: may contain phone numbers, whose digits become nines
 * - `key`: the same in JSON of exported keys, where tracking numbers stay
 * - `digest`: a keyed hash, useless without the key next to the warehouse
 * - `recipient`: the address of somebody who gets reports
 * - `scratch`: data that the program can rebuild; emptied
 */
export type PersonalKind =
  | WithheldKind
  | "caller"
  | "visitor"
  | "row"
  | "text"
  | "key"
  | "digest"
  | "recipient"
  | "scratch";

export interface DescribedTable {
  table: SQLiteTable;
  name: string;
  help: string;
  columns: readonly DescribedColumn[];
}

export interface DescribedColumn {
  name: string;
  type: string;
  isEnum: boolean;
  help: string;
  personal?: PersonalKind | undefined;
}

/** By the part of a builder that its column shares. */
const TEXTS = new Map<unknown, Pick<DescribedColumn, "help" | "personal">>();

export function about<Builder extends object>(
  builder: Builder,
  help: string,
  personal?: PersonalKind,
): Builder {
  TEXTS.set(Reflect.get(builder, "config"), { help, personal });
  return builder;
}

/** @throws Error for a column without a description */
export function describeTable(table: SQLiteTable, help: string): DescribedTable {
  const name = getTableName(table);
  const columns = Object.values(getTableColumns(table)).map((column) => {
    const text = TEXTS.get(Reflect.get(column, "config"));
    if (text === undefined) throw new Error(`${name}.${column.name} has no description`);
    const isEnum = (column.enumValues?.length ?? 0) > 0;
    return { name: column.name, type: column.getSQLType(), isEnum, ...text };
  });
  return { table, name, help, columns };
}

export function personalColumns(
  { columns }: DescribedTable,
  kinds: readonly PersonalKind[],
): readonly DescribedColumn[] {
  return columns.filter(({ personal }) => personal !== undefined && kinds.includes(personal));
}
