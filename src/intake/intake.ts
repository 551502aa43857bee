import type { Cells } from "./cells.ts";
import type { Columns, FieldOf, FieldOfKind, Form, FoundColumns, HeaderMap } from "./columns.ts";

/**
 * A kind of file that is imported: its columns, which lines are its rows, and what a row is. All else, from decoding to
 * what was left out, is the same for each.
 */
export interface Intake<C extends Columns, F extends Form<FieldOf<C>>, Options, Row> {
  /** Completes "the header of …". */
  what: string;
  columns: C;
  /** Fields that may have several columns; a row has all their values. */
  several: readonly FieldOf<C>[];
  forms: readonly F[];
  /** The amounts that add up to the sum of a file. @default it has none */
  amount?: FieldOfKind<C, "amount">;
  currency?: FieldOfKind<C, "currency">;
  /** Whether a recognized column is meant, by the headers of others, folded. @default true */
  isMeant?: (field: FieldOf<C>, headerOf: (field: FieldOf<C>) => string | undefined) => boolean;
  /** Whether a line with these columns is the header. */
  isHeader: (has: (field: FieldOf<C>) => boolean) => boolean;
  /** How to name its columns, after "Name the columns: ". */
  hint: string;
  /** @throws UsageError for a header that is known, but not usable */
  refuseHeader?: (cells: readonly string[], map: HeaderMap<FieldOf<C>>) => void;
  /** @throws UsageError if columns are missing or contradict the options */
  assertUsable: (columns: FoundColumns<FieldOf<C>, F>, options: Options) => void;
  /** Whether a line has what only a row has. */
  isRow: (cells: Cells<C>) => boolean;
  /** Whether a line is a total that does not say so. */
  isTotal: (cells: Cells<C>) => boolean;
  /** The cells that a line called total does not fill. */
  keys: readonly FieldOf<C>[];
  /** Returns what a line says. @throws Unreadable with the reason, which names the cell */
  toRow: (cells: Cells<C>, columns: FoundColumns<FieldOf<C>, F>, options: Options) => Row;
}
