import { UsageError } from "../errors.ts";
import { TOTAL } from "../rollup/own-words.ts";
import { type CellContext, cellWriter, isTextual, type WriteCell, widthOf } from "./cells.ts";
import { inChunks } from "./chunks.ts";
import type { Column, Table, Value } from "./table.ts";

/** Rows of a sheet, the header among them. */
const MAX_ROWS = 1_048_576;
/** Columns grow with what their first rows hold, up to here; what is longer goes on over the next cell, or is cut there. */
const MAX_WIDTH = 50;
/** Characters that are deflated together: few enough for little memory, enough for a good ratio. */
const PIECE = 256 * 1024;
/** The arrow of the filter, and some air. */
const MARGIN = 4;

export interface SheetOptions {
  name: string;
  context: CellContext;
  /** Whether the last row is one of totals: it is bold, and no filter sorts it in. @default false */
  hasTotal?: boolean | undefined;
}

/** Refuses more rows than a sheet has. */
export function assertRows(name: string, rows: number): void {
  if (rows < MAX_ROWS) return;
  throw new UsageError(
    `Cannot write the sheet ${name}: it has more than ${MAX_ROWS - 1} rows, which are all that a sheet holds below its header`,
    {
      hint: "Use a shorter range, --top where it applies, or --format csv or parquet, which have no such limit.",
    },
  );
}

/**
 * Yields a table as the XML of a worksheet: a header that stays in view, a filter, and a row each.
 *
 * @throws UsageError for more rows than a sheet holds
 */
export function* toSheet({ columns, rows }: Table, options: SheetOptions): Generator<string> {
  const { name, context, hasTotal = false } = options;
  const letters = columns.map((_, index) => columnLetters(index));
  const toRow = rowWriter(columns, letters, context);
  const toTotalRow = rowWriter(columns, letters, context, { isBold: true });
  const header: Column = { name: "", type: "text" };
  const toHeader = cellWriter(header, context, { isHeader: true });
  const headerRow = `<row r="1">${columns.map((column, index) => toHeader(`${letters[index]}1`, column.name)).join("")}</row>`;

  const open = (sample: readonly (readonly Value[])[]) =>
    `${openSheet({ widths: widthsOf(columns, sample), isFrozen: true })}<sheetData>${headerRow}`;

  let last = 1;
  for (const chunk of inChunks(rows)) {
    let xml = last === 1 ? open(chunk) : "";
    for (const row of chunk) {
      last++;
      assertRows(name, last - 1);
      xml += hasTotal && row[0] === TOTAL ? toTotalRow(last, row) : toRow(last, row);
      if (xml.length < PIECE) continue;
      yield xml;
      xml = "";
    }
    if (xml !== "") yield xml;
  }
  if (last === 1) yield open([]);
  yield closeSheet(columns, letters, { last, hasTotal });
}

function rowWriter(
  columns: readonly Column[],
  letters: readonly string[],
  context: CellContext,
  look = {},
): (number: number, row: readonly Value[]) => string {
  const writers: WriteCell[] = columns.map((column) => cellWriter(column, context, look));
  return (number, row) => {
    const cells = writers.map((write, index) => write(`${letters[index]}${number}`, row[index] ?? null));
    return `<row r="${number}">${cells.join("")}</row>`;
  };
}

/** Returns how wide the columns are, by their headers and some of their rows. */
function widthsOf(columns: readonly Column[], sample: readonly (readonly Value[])[]): number[] {
  return columns.map((column, index) => {
    const lengths = sample.map((row) => widthOf(column) ?? String(row[index] ?? "").length);
    return Math.min(MAX_WIDTH, Math.max(column.name.length + MARGIN, ...lengths.map((length) => length + 2)));
  });
}

function closeSheet(
  columns: readonly Column[],
  letters: readonly string[],
  { last, hasTotal }: { last: number; hasTotal: boolean },
): string {
  const end = letters.at(-1);
  const texts = columns.flatMap((column, index) =>
    isTextual(column) && last > 1 ? [`${letters[index]}2:${letters[index]}${last}`] : [],
  );
  // Else Excel would mark each id as a mistake.
  const ignored =
    texts.length === 0
      ? ""
      : `<ignoredErrors><ignoredError sqref="${texts.join(" ")}" numberStoredAsText="1"/></ignoredErrors>`;
  const filtered = Math.max(1, hasTotal ? last - 1 : last);
  return `</sheetData><autoFilter ref="A1:${end}${filtered}"/>${PAGE}${ignored}</worksheet>`;
}

/** Prints across. */
export const PAGE =
  '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/><pageSetup orientation="landscape"/>';

/** Returns the beginning of a worksheet, up to its rows. */
export function openSheet({ widths, isFrozen }: { widths: readonly number[]; isFrozen: boolean }): string {
  const pane = isFrozen
    ? '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" activeCell="A2" sqref="A2"/>'
    : "";
  const columns = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"${isFrozen ? "" : ' showGridLines="0" tabSelected="1"'}>${pane}</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${columns.join("")}</cols>`;
}

/** Returns the letters of a column: A is the first, AA the one after Z. */
export function columnLetters(index: number): string {
  const rest = Math.floor(index / 26) - 1;
  return (rest < 0 ? "" : columnLetters(rest)) + String.fromCharCode(65 + (index % 26));
}
