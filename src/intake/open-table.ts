import { CsvError } from "csv-parse/sync";
import { describeError, UsageError } from "../base/errors.ts";
import { type CsvLine, forEachLine, possibleHeaders } from "../base/text/csv-text.ts";
import { nearest } from "../base/text/nearest.ts";
import { isNothing } from "./amount-text.ts";
import { Cells, type Spelling } from "./cells.ts";
import type {
  ColumnKind,
  Columns,
  FieldOf,
  FieldOfKind,
  Form,
  FoundColumns,
  HeaderMap,
  ReadOptions,
} from "./columns.ts";
import { fieldsOf, findColumns } from "./find-columns.ts";
import type { Intake } from "./intake.ts";
import { SpellingEvidence } from "./spelling.ts";
import { Unreadable } from "./unreadable.ts";

const MAX_TITLES = 60;
const SHOWN_HEADERS = 12;
/** How a line of totals calls itself. */
const TOTAL = /^(?:(?:grand|overall|report|sub)[\s-]*)?(?:totals?|count|averages?|avg\.?)\b/i;

/** Each line of a file is counted in one place. */
export interface LineCounts {
  /** Records; a quoted text of several lines is part of one. */
  lines: number;
  /** Line numbers: titles before the header and its repetitions, the header, totals, notes such as a copyright, and empty lines. */
  title_lines: number[];
  header_line: number;
  total_lines: number[];
  note_lines: number[];
  blank_lines: number[];
}

/** A line that is not imported. */
export interface LeftOut {
  line: number;
  reason: string;
  /** Its amount; null for none, or one that cannot be read. */
  amount_micros: number | null;
  /** The word that would have to be explained. */
  word?: string | undefined;
}

export interface Table<Field extends string, F extends Form<Field>, Row> {
  columns: FoundColumns<Field, F>;
  /** The currencies that lines name, and the first such line. */
  currencies: ReadonlyMap<string, number>;
  /** Reads the rows in order, without keeping them. */
  visit: (see: (row: Row) => void, leave: (left: LeftOut) => void) => LineCounts;
}

/**
 * Finds the header of a text and how it writes dates and numbers. The text is read twice, so that a million rows need not
 * be held in memory.
 * @throws UsageError for an unusable file; it does not name the file
 */
export function openTable<
  C extends Columns,
  F extends Form<FieldOf<C>>,
  Options extends ReadOptions<FieldOf<C>>,
  Row,
>(text: string, intake: Intake<C, F, Options, Row>, options: Options): Table<FieldOf<C>, F, Row> {
  const { delimiter, header, columns } = findHeader(text, intake, options.map);
  intake.assertUsable(columns, options);
  const { amount, toRow } = intake;
  const cellsOf = (spelling?: Spelling) => new Cells(intake.columns, columns, spelling);
  const visitRows = (cells: Cells<C>, see: () => void, leave: (left: LeftOut) => void) => {
    const counts = emptyCounts(header.line);
    visitLines(text, delimiter, (line) => {
      counts.lines++;
      if (line.line === header.line) return;
      const aside = kindOf(cells.at(line), header, intake);
      if (aside !== undefined) {
        counts[aside].push(line.line);
        return;
      }
      try {
        assertWhole(line.cells, columns.width);
        see();
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        const { message: reason, word } = error;
        leave({
          line: line.line,
          reason,
          amount_micros: amountOf(cells, amount),
          ...(word !== undefined && { word }),
        });
      }
    });
    return counts;
  };
  const { spelling, currencies } = readSpelling(intake, options, cellsOf(), visitRows);
  return {
    columns,
    currencies,
    visit: (see, leave) => {
      const cells = cellsOf(spelling);
      return visitRows(cells, () => see(toRow(cells, columns, options)), leave);
    },
  };
}

/** Finds out how dates and numbers are written, by all rows. */
function readSpelling<C extends Columns, F extends Form<FieldOf<C>>, Row>(
  { columns: kinds, amount, currency: currencyField }: Intake<C, F, never, Row>,
  { currency: namedCurrency, dates, decimal }: ReadOptions<FieldOf<C>>,
  cells: Cells<C>,
  visitRows: (cells: Cells<C>, see: () => void, leave: () => void) => void,
): { spelling: Spelling; currencies: ReadonlyMap<string, number> } {
  const evidence = new SpellingEvidence();
  const currencies = new Map<string, number>();
  const ofKinds = (...some: ColumnKind[]) =>
    fieldsOf(kinds).filter((field) => cells.hasColumn(field) && some.some((kind) => kind === kinds[field]));
  // A comma in a number of clicks groups thousands, so it does not mark decimals in the cost either.
  const [moments, numbers] = [ofKinds("day", "moment"), ofKinds("amount", "count")];
  const see = () => {
    for (const field of moments) {
      const day = cells.momentText(field)?.day;
      if (day != null) evidence.addDay(cells.line, day);
    }
    const currency =
      currencyField === undefined || amount === undefined ? null : cells.currency(currencyField, amount);
    if (currency !== null && !currencies.has(currency)) currencies.set(currency, cells.line);
    for (const field of numbers) {
      const signs = cells.signs(field, currency ?? namedCurrency ?? null);
      if (signs !== undefined) evidence.addSigns(cells.line, signs);
    }
  };
  visitRows(cells, see, () => {});
  return {
    spelling: { order: dates ?? evidence.decideOrder(), sign: decimal ?? evidence.decideSign() },
    currencies,
  };
}

const emptyCounts = (header_line: number): LineCounts => ({
  lines: 0,
  title_lines: [],
  header_line,
  total_lines: [],
  note_lines: [],
  blank_lines: [],
});

/** Classifies a line that is not a row of the table; undefined for a row. */
function kindOf<C extends Columns, F extends Form<FieldOf<C>>, Row>(
  cells: Cells<C>,
  header: CsvLine,
  { isTotal, isRow, keys, amount }: Intake<C, F, never, Row>,
) {
  if (cells.all().every((cell) => cell.trim() === "")) return "blank_lines";
  if (cells.line < header.line) return "title_lines";
  if (isTotal(cells)) return "total_lines";
  if (isRow(cells)) return undefined;
  const label = cells.label();
  // A campaign may be called Total Wine: its row is excluded by day, and named.
  const isNamed = keys.some((field) => !cells.isNothing(field) && !TOTAL.test(cells.text(field)));
  if (TOTAL.test(label) && !isNamed) return "total_lines";
  if (isSame(cells.all(), header.cells)) return "title_lines";
  const hasAmount = amount !== undefined && !cells.isNothing(amount);
  return cells.countFilled() === 1 && !hasAmount ? "note_lines" : undefined;
}

const isSame = (cells: readonly string[], others: readonly string[]) =>
  cells.length === others.length && cells.every((cell, index) => cell === others[index]);

/** @throws Unreadable for a line that is not one record: the rest of the row would be misread */
function assertWhole(cells: readonly string[], width: number): void {
  for (const cell of cells) {
    if (cell.startsWith('"') && /[\r\n]/.test(cell)) throw new Unreadable("an unclosed quote");
    if (cell.includes("\0")) throw new Unreadable("a cell has a NUL character");
  }
  for (let index = width; index < cells.length; index++)
    if (cells[index]?.trim() !== "") throw new Unreadable("more cells than the header");
}

function amountOf<C extends Columns>(
  cells: Cells<C>,
  amount: FieldOfKind<C, "amount"> | undefined,
): number | null {
  if (amount === undefined) return null;
  try {
    return cells.micros(amount, "");
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

function findHeader<C extends Columns, F extends Form<FieldOf<C>>, Row>(
  text: string,
  intake: Intake<C, F, never, Row>,
  map: HeaderMap<FieldOf<C>>,
) {
  let widest: CsvLine | undefined;
  const refused: CsvLine[] = [];
  for (const { delimiter, ...line } of possibleHeaders(text, MAX_TITLES)) {
    const columns = findColumns(line.cells, intake, map);
    if (columns !== undefined) return { delimiter, header: line, columns };
    refused.push(line);
    if (line.cells.length > (widest?.cells.length ?? 1)) widest = line;
  }
  for (const { cells } of refused) intake.refuseHeader?.(cells, map);
  const sought = Object.values(map)
    .flatMap((names) => [...(names ?? [])])
    .map((name) => `"${name}"`);
  const shown =
    widest === undefined
      ? ""
      : `; line ${widest.line} has ${widest.cells.slice(0, SHOWN_HEADERS).join(", ")}`;
  const wanted =
    sought.length > 0 ? `a header with the columns ${sought.join(", ")}` : `the header of ${intake.what}`;
  throw new UsageError(`none of its first ${MAX_TITLES} lines is ${wanted}${shown}`, {
    hint: `${suggestMap(widest?.cells ?? [], intake, map)}Name the columns: ${intake.hint}`,
  });
}

/** The share of a header that must be as in a known one: many are short words. */
const NEAR = 0.7;

/** Names headers that are nearly known, as `--map` takes them. */
function suggestMap<C extends Columns, F extends Form<FieldOf<C>>, Row>(
  cells: readonly string[],
  { columns, forms }: Intake<C, F, never, Row>,
  map: HeaderMap<FieldOf<C>>,
): string {
  const headers = cells.filter((cell) => !isNothing(cell));
  const known = new Set(
    forms.flatMap(({ headers: headersOf }) => Object.values<readonly string[] | undefined>(headersOf)).flat(),
  );
  const near = fieldsOf(columns).flatMap((field) => {
    const names = map[field] ?? forms.flatMap(({ headers: headersOf }) => headersOf[field] ?? []);
    const meant = headers.find(
      (header) => !known.has(header.toLowerCase()) && nearest(header, names, NEAR) !== undefined,
    );
    return meant === undefined ? [] : [`${field}=${meant}`];
  });
  return near.length === 0 ? "" : `Did you mean --map "${near.join(",")}"? `;
}

function visitLines(text: string, delimiter: string, see: (line: CsvLine) => void): void {
  try {
    forEachLine(text, { delimiter }, see);
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new UsageError(`it is not CSV: ${describeError(cause)}`, {
      hint: "Save it as CSV with a header line; --help lists the columns that are read.",
    });
  }
}
