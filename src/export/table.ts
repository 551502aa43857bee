import type { Audience } from "../base/folder.ts";
import type { TableEntry } from "./manifest.ts";

/** A cell: text, days and times as text, a number, or 1 and 0 for true and false; null where there is none. */
export type Value = string | number | null;

export interface Column {
  name: string;
  /**
   * `time` is ISO-8601 text in UTC with milliseconds (`2026-11-20T05:30:00.000Z`), `local time` what the clocks of a zone
   * showed (`2026-11-20 06:30:00`), `date` a local day (`2026-11-20`); `text` alone may come from a visitor.
   */
  type: "text" | "integer" | "decimal" | "boolean" | "time" | "local time" | "date";
  /** Digits after the point in text formats, for `decimal`; without them, as many as the number has. */
  decimals?: number | undefined;
  /** ISO 4217. */
  currency?: string | undefined;
  /** Whether it is a part of a whole: 0.25 for a quarter. */
  isShare?: true;
  isKey?: true;
  /** Whether it names something, such as a campaign: nobody adds it up, and no digit may be lost. */
  isId?: true;
  /** What it shows of the figure on its left, where that is compared. */
  comparison?: { of: string; shows: "previous" | "change" };
  help?: string;
}

/** What a file is made of. The rows are read once, while the file is written; their values stand in the columns' order. */
export interface Table {
  columns: readonly Column[];
  rows: Iterable<readonly Value[]>;
  /** @default none */
  total?: readonly Value[] | undefined;
}

export interface NamedTable extends Table {
  name: string;
  audience: Audience;
  /** What the manifest says of it; of some tables complete only when their rows have been read. */
  entry: TableEntry;
}

export function* linesOf({ rows, total }: Pick<Table, "rows" | "total">): Generator<readonly Value[]> {
  yield* rows;
  if (total !== undefined) yield total;
}
