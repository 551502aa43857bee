import type { DecimalSign } from "./amount-text.ts";
import type { DayOrder } from "./day-text.ts";

/** What the cells of a column hold, which decides how they are read. */
export type ColumnKind = "text" | "id" | "day" | "moment" | "amount" | "count" | "currency";

/** The columns of an import by name, with what they hold. */
export type Columns = Readonly<Record<string, ColumnKind>>;

export type FieldOf<C extends Columns> = keyof C & string;

/** The fields whose columns hold this. */
export type FieldOfKind<C extends Columns, Kind extends ColumnKind> = FieldOf<C> &
  { [Field in keyof C]: C[Field] extends Kind ? Field : never }[keyof C];

/** How a product names its columns; of several headers for a field, the first that exists counts. */
export interface Form<Field extends string> {
  name: string;
  headers: Readonly<Partial<Record<Field, readonly string[]>>>;
  /** Fields without which it is another form. */
  needs?: readonly Field[];
  /** At least one of these headers must exist, because the others are common words. */
  marks?: readonly string[];
}

/** The headers of columns by field, as `--map` gives them. */
export type HeaderMap<Field extends string> = Readonly<Partial<Record<Field, readonly string[]>>>;

export interface ReadOptions<Field extends string> {
  map: HeaderMap<Field>;
  /** ISO 4217, of amounts that name none. */
  currency?: string | undefined;
  dates?: DayOrder | undefined;
  decimal?: DecimalSign | undefined;
}

/** Where the columns of a table are. */
export interface FoundColumns<Field extends string, F extends Form<Field> = Form<Field>> {
  /** Undefined for columns by `--map`. */
  form: F | undefined;
  /** The places of each field's columns. */
  indexes: ReadonlyMap<Field, readonly number[]>;
  /** ISO 4217, if the header of the amount names it. */
  currency: string | null;
  /** Without trailing empty cells. */
  width: number;
  /** The headers of the columns that are not used. */
  unused: string[];
}
