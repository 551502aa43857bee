import { UsageError } from "../../../base/errors.ts";
import { chanceReader, shownChange } from "../../change-columns.ts";
import { type Column, linesOf, type NamedTable, type Table, type Value } from "../../table.ts";
import type { Counterpart } from "../../timeframe.ts";
import { inChunks } from "../chunks.ts";
import { escapeText } from "./cell-text.ts";
import { type CellContext, cellWriter, headingOf, isTextual, shownWidth } from "./cells.ts";
import type { CellStyle } from "./styles.ts";

const TITLE = 1;
/** The row of the headings; those of the table are below. */
const HEADER = 2;
const MAX_ROWS = 1_048_576 - HEADER;
/** Columns fit their first rows, up to this width; longer text overflows or is cut. */
const MAX_WIDTH = 50;
/** Characters deflated together: few enough for little memory, enough for a good ratio. */
const PIECE = 256 * 1024;
const FAINT = "; changes in grey are within chance";
const MARGIN = 3;
const HEADING_LINES = 3;
const LINE_HEIGHT = 15;
const MAX_HEIGHT = 409;
/** The most characters on a printed line: of an upright page at nearly their size, and of any page at a third of it. */
const [UPRIGHT_WIDTH, PRINTED_WIDTH] = [110, 450];
/** The most for all frozen columns together, to leave room for the others. */
const MAX_FROZEN_WIDTH = 80;

export interface SheetContext extends CellContext {
  /** The days of the figures, and those compared with. */
  days: string;
  /** Whose figures they are. */
  name?: string | undefined;
  compared?: readonly Counterpart[] | undefined;
  /** Whether the workbook opens on it. */
  isShown?: boolean;
}

export function assertRows(name: string, rows: number): void {
  if (rows <= MAX_ROWS) return;
  throw new UsageError(
    `Cannot write the sheet ${name}: it has more than ${MAX_ROWS} rows, which are all that a sheet holds below its header`,
    {
      hint: ({ top, format }) =>
        `Use a shorter range, ${top} where it applies, or ${format} csv or parquet, which have no such limit.`,
    },
  );
}

/** Yields a worksheet; totals come last and are not sorted by filters. @throws UsageError for too many rows */
export function* toSheet(table: Table, name: string, context: SheetContext): Generator<string> {
  const { columns, totals = [] } = table;
  const letters = columns.map((_, index) => columnLetters(index));
  const toRow = rowWriter(columns, letters, context);
  const toTotalRow = rowWriter(columns, letters, context, { isTotal: true });
  const header: Column = { name: "", type: "text" };
  const toHeader = cellWriter(header, context, { isHeader: true, isWrapped: true, align: "center" });
  const headings = columns.map(headingOf);
  const isJudged = (context.compared ?? []).length > 0 && columns.some(shownChange);
  const whose = context.name === undefined ? "" : `${context.name}, `;
  const title = `${whose}${name}: ${context.days}${isJudged ? FAINT : ""}`;

  let widths: readonly number[] = [];
  const open = (sample: readonly (readonly Value[])[]) => {
    widths = widthsOf(columns, sample);
    const cells = headings.map((heading, index) => toHeader(`${letters[index]}${HEADER}`, heading));
    // Word wrap may take one more line.
    const lines = headings.map((heading, index) => 1 + countLines(heading, (widths[index] ?? 0) - MARGIN));
    const titleCell = cellWriter(header, context, { isBold: true })(`A${TITLE}`, title);
    return `${openSheet({ widths, frozen: countFrozen(columns, widths), isShown: context.isShown })}<sheetData>${toRowXml(TITLE, [titleCell], 1)}${toRowXml(HEADER, cells, Math.max(...lines))}`;
  };

  let last = HEADER;
  for (const chunk of inChunks(linesOf(table))) {
    let xml = last === HEADER ? open(chunk) : "";
    for (const row of chunk) {
      last++;
      assertRows(name, last - HEADER);
      xml += totals.some(({ values }) => values === row) ? toTotalRow(last, row) : toRow(last, row);
      if (xml.length < PIECE) continue;
      yield xml;
      xml = "";
    }
    if (xml !== "") yield xml;
  }
  if (last === HEADER) yield open([]);
  yield closeSheet(columns, letters, { last, totals: totals.length, widths, title });
}

function rowWriter(
  columns: readonly Column[],
  letters: readonly string[],
  context: SheetContext,
  look: CellStyle = {},
): (number: number, row: readonly Value[]) => string {
  const isWithinChance = chanceReader(columns, context.compared ?? []);
  const writers = columns.map((column) => {
    const write = cellWriter(column, context, look);
    const { comparison } = column;
    if (comparison === undefined || !shownChange(column)) return write;
    const writeFaint = cellWriter(column, context, { ...look, isFaint: true });
    return (reference: string, value: Value, row: readonly Value[]) => {
      const isFaint = isWithinChance(row, comparison);
      return (isFaint ? writeFaint : write)(reference, value);
    };
  });
  return (number, row) => {
    const cells = writers.map((write, index) => write(`${letters[index]}${number}`, row[index] ?? null, row));
    const lines = cells.some((cell) => cell.includes("\n"))
      ? row.map((value) => countLines(String(value ?? ""), MAX_WIDTH))
      : [1];
    return toRowXml(number, cells, Math.max(...lines));
  };
}

/** Returns the XML of a row with the height of its lines, which not every reader computes itself. */
export function toRowXml(number: number, cells: readonly string[], lines: number): string {
  const height = lines > 1 ? ` ht="${Math.min(MAX_HEIGHT, lines * LINE_HEIGHT)}"` : "";
  return `<row r="${number}"${height}>${cells.join("")}</row>`;
}

export function countLines(text: string, width: number): number {
  return text.split("\n").reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / width)), 0);
}

function widthsOf(columns: readonly Column[], sample: readonly (readonly Value[])[]): number[] {
  return columns.map((column, index) => {
    const heading = headingOf(column);
    const words = heading.split(" ").map(({ length }) => length);
    const headingWidth = Math.max(Math.ceil(heading.length / HEADING_LINES), ...words) + MARGIN;
    const lengths = sample.map((row) => shownWidth(column, row[index] ?? null));
    return Math.min(MAX_WIDTH, Math.max(headingWidth, ...lengths.map((length) => length + 2)));
  });
}

/** Returns how many columns stay in view: the key columns that fit, at least the first. */
function countFrozen(columns: readonly Column[], widths: readonly number[]): number {
  const totals = widths.map((_, index) => widths.slice(0, index + 1).reduce((sum, width) => sum + width));
  const fitting = columns.filter(({ isKey }, index) => isKey && (totals[index] ?? 0) <= MAX_FROZEN_WIDTH);
  return Math.max(1, fitting.length);
}

function closeSheet(
  columns: readonly Column[],
  letters: readonly string[],
  { last, totals, widths, title }: { last: number; totals: number; widths: readonly number[]; title: string },
): string {
  const end = letters.at(-1);
  const texts = columns.flatMap((column, index) =>
    isTextual(column) && last > HEADER ? [`${letters[index]}${HEADER + 1}:${letters[index]}${last}`] : [],
  );
  // Otherwise Excel marks each id as an error.
  const ignored =
    texts.length === 0
      ? ""
      : `<ignoredErrors><ignoredError sqref="${texts.join(" ")}" numberStoredAsText="1"/></ignoredErrors>`;
  const filtered = Math.max(HEADER, last - totals);
  return `</sheetData><autoFilter ref="A${HEADER}:${end}${filtered}"/>${printedPage(widths, title)}${ignored}</worksheet>`;
}

/** The most characters that Excel accepts above a page, of which two say where they are. */
const MAX_PRINTED = 253;

/** Returns how a sheet is printed: as wide as a page, or as few of them as keep it readable. @param title a text above each printed page */
export function printedPage(widths: readonly number[], title: string): string {
  const width = widths.reduce((sum, each) => sum + each, 0);
  const orientation = width > UPRIGHT_WIDTH ? "landscape" : "portrait";
  let [printed, length] = ["", 0];
  for (const character of title) {
    length += character === "&" ? 2 : character.length;
    if (length <= MAX_PRINTED) printed += character;
  }
  return `<pageMargins left="0.4" right="0.4" top="0.6" bottom="0.5" header="0.3" footer="0.3"/><pageSetup orientation="${orientation}" fitToWidth="${Math.ceil(width / PRINTED_WIDTH)}" fitToHeight="0"/><headerFooter><oddHeader>&amp;L${escapeText(printed.replaceAll("&", "&&"))}</oddHeader><oddFooter>&amp;R&amp;P / &amp;N</oddFooter></headerFooter>`;
}

/** Returns the start of a worksheet, up to its rows; `frozen` columns stay in view, and then title and header, too. */
export function openSheet({
  widths,
  frozen,
  isShown = false,
}: {
  widths: readonly number[];
  frozen: number;
  isShown?: boolean | undefined;
}): string {
  const corner = `${columnLetters(frozen)}${HEADER + 1}`;
  const view =
    frozen === 0
      ? ' showGridLines="0">'
      : `><pane xSplit="${frozen}" ySplit="${HEADER}" topLeftCell="${corner}" activePane="bottomRight" state="frozen"/><selection pane="topRight"/><selection pane="bottomLeft"/><selection pane="bottomRight" activeCell="${corner}" sqref="${corner}"/>`;
  const columns = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView workbookViewId="0"${isShown ? ' tabSelected="1"' : ""}${view}</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${columns.join("")}</cols>`;
}

/** Returns the print area of a sheet, without the title, which is above each page; and the rows that each page repeats. */
export function printedRanges({
  columns,
  totals = [],
  entry,
}: Pick<NamedTable, "columns" | "totals" | "entry">) {
  const last = HEADER + entry.rows + totals.length;
  return {
    area: `$A$${HEADER}:$${columnLetters(Math.max(0, columns.length - 1))}$${last}`,
    titles: ["$A:$A", `$${HEADER}:$${HEADER}`],
  };
}

export function columnLetters(index: number): string {
  const rest = Math.floor(index / 26) - 1;
  return (rest < 0 ? "" : columnLetters(rest)) + String.fromCharCode(65 + (index % 26));
}
