import { localTime } from "../../../base/calendar/local-time.ts";
import { inLocale } from "../../../base/text/locale.ts";
import { ONE_FILE } from "../../../config/request/option-values.ts";
import { readHeadlineFigures } from "../../headline.ts";
import type { ExportJob } from "../../job.ts";
import type { ManifestFile, SheetEntry } from "../../manifest.ts";
import type { Column, NamedTable } from "../../table.ts";
import { type AboutRow, describeDays, describeWorkbook } from "./about-sheet.ts";
import { escapeText } from "./cell-text.ts";
import { cellWriter } from "./cells.ts";
import { describeHeadline, HEADLINE_WIDTHS } from "./headline-sheet.ts";
import {
  assertRows,
  columnLetters,
  countLines,
  openSheet,
  printedPage,
  printedRanges,
  type SheetContext,
  toRowXml,
  toSheet,
} from "./sheet.ts";
import { Styles } from "./styles.ts";
import { toZip, type ZipPart } from "./zip.ts";

const HEADLINE_SHEET = "Headline";
const ABOUT = "About";
const ABOUT_WIDTHS = [38, 70] as const;
const MAX_NAME = 31;

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/**
 * Writes a workbook (ECMA-376); the same tables and zlib give the same bytes.
 * @throws UsageError for more rows than a sheet holds
 */
export async function writeWorkbook(job: ExportJob, tables: readonly NamedTable[]): Promise<ManifestFile> {
  const { timezone, compared } = job.timeframe;
  const { name, locale } = job.letterhead;
  const days = inLocale(locale, () => describeDays(job.manifest));
  const about: Book["about"] = (entries, columns) => describeWorkbook(job, entries, columns);
  const figures = await readHeadlineFigures(job);
  const headline = figures.length > 0 ? describeHeadline(job, figures) : undefined;
  const book = { file: ONE_FILE.xlsx, days, name, timezone, compared, headline, about };
  return await writeSheets(book, tables, job.write);
}

interface Book extends Pick<SheetContext, "days" | "name" | "compared"> {
  file: string;
  /** Of times. */
  timezone: string;
  /** The rows of the sheet Headline, which comes first. @default there is none */
  headline?: readonly AboutRow[] | undefined;
  /** Returns the rows of the sheet About, which comes last. */
  about: (entries: readonly SheetEntry[], columns: readonly Column[]) => AboutRow[];
}

/** @throws UsageError for more rows than a sheet holds */
export async function writeSheets(
  { file, timezone, headline, about, ...shown }: Book,
  tables: readonly NamedTable[],
  write: ExportJob["write"],
): Promise<ManifestFile> {
  const names = toSheetNames(tables.map(({ name }) => name));
  const sheets = tables.map((table, index) => ({ table, sheet: names[index] ?? table.name, cut: 0 }));
  for (const { table, sheet } of sheets) assertRows(sheet, table.entry.rows);
  const entries = () =>
    sheets.map(
      ({ table, sheet, cut }): SheetEntry => ({ sheet, ...table.entry, ...(cut > 0 && { cut_texts: cut }) }),
    );

  const context = { styles: new Styles(), toLocal: localTime(timezone), ...shown };
  const all = [...(headline ? [HEADLINE_SHEET] : []), ...names, ABOUT];
  const fileOf = (sheet: string) => sheetFile(all.indexOf(sheet));
  const parts = function* (): Generator<ZipPart> {
    yield part("[Content_Types].xml", contentTypes(all.length));
    yield part("_rels/.rels", relationships([["officeDocument", "xl/workbook.xml"]]));
    const files = all.map((_, index) => sheetFile(index).replace("xl/", ""));
    const targets = files.map((file): [string, string] => ["worksheet", file]);
    yield part("xl/_rels/workbook.xml.rels", relationships([...targets, ["styles", "styles.xml"]]));
    if (headline) yield part(fileOf(HEADLINE_SHEET), headlineXml(headline, context));
    for (const [index, entry] of sheets.entries()) {
      const { table, sheet: name } = entry;
      const onCut = () => {
        entry.cut++;
      };
      const isShown = headline === undefined && index === 0;
      const text = withDeclaration(toSheet(table, name, { ...context, onCut, isShown }));
      yield { name: fileOf(name), text };
    }
    // Only now all rows are counted and all styles known.
    const columns = tables.flatMap((table) => table.columns);
    const printed = [
      ...(headline ? [{ sheet: HEADLINE_SHEET, area: headlineArea(headline) }] : []),
      ...sheets.map(({ sheet, table }) => ({ sheet, ...printedRanges(table) })),
    ];
    yield part("xl/workbook.xml", workbookXml(all, printed));
    yield part(fileOf(ABOUT), aboutXml(about(entries(), columns), context));
    yield part("xl/styles.xml", context.styles.toXml());
  };
  const audience = tables.some((table) => table.audience === "owner") ? "owner" : "shared";
  const written = await write(file, toZip(parts()), audience);
  const rows = tables.reduce((sum, { entry }) => sum + entry.rows, 0);
  return { contents: "workbook", ...written, rows, sheets: entries() };
}

/** Returns names that Excel accepts: at most 31 characters, without reserved ones, unique without case. */
export function toSheetNames(names: readonly string[]): string[] {
  const used = new Set([HEADLINE_SHEET, ABOUT].map((name) => name.toLowerCase()));
  return names.map((name) => {
    const allowed = name.replaceAll(/[[\]:*?/\\']/g, "_");
    for (let number = 1; ; number++) {
      const suffix = number === 1 ? "" : `~${number}`;
      const sheet = allowed.slice(0, MAX_NAME - suffix.length) + suffix;
      if (used.has(sheet.toLowerCase())) continue;
      used.add(sheet.toLowerCase());
      return sheet;
    }
  });
}

const sheetFile = (index: number) => `xl/worksheets/sheet${index + 1}.xml`;
const part = (name: string, xml: string): ZipPart => ({ name, text: [DECLARATION + xml] });

function* withDeclaration(xml: Iterable<string>): Generator<string> {
  yield DECLARATION;
  yield* xml;
}

function aboutXml(rows: readonly AboutRow[], context: SheetContext): string {
  const header = rows.find(({ look }) => look === "header")?.cells ?? [];
  const others = header.slice(ABOUT_WIDTHS.length).map(({ value }) => Math.max(10, String(value).length + 2));
  const widths = [...ABOUT_WIDTHS, ...others];
  return rowsXml(rows, { widths, wrapped: 1, title: titleOf(ABOUT, context) }, context);
}

function headlineXml(rows: readonly AboutRow[], context: SheetContext): string {
  const title = titleOf(HEADLINE_SHEET, context);
  const first: AboutRow = { cells: [{ value: title, column: { name: "", type: "text" } }], look: "title" };
  return rowsXml([first, ...rows], { widths: headlineWidths(rows), title, isShown: true }, context);
}

const headlineWidths = (rows: readonly AboutRow[]) =>
  HEADLINE_WIDTHS.slice(0, rows.find(({ look }) => look === "header")?.cells.length);

/** Without the title, which is above the page. */
const headlineArea = (rows: readonly AboutRow[]) =>
  `$A$2:$${columnLetters(headlineWidths(rows).length - 1)}$${rows.length + 1}`;

const titleOf = (sheet: string, { name, days }: SheetContext) =>
  `${name === undefined ? "" : `${name}, `}${sheet}: ${days}`;

interface RowsSheet {
  widths: readonly number[];
  /** The column whose texts are wrapped, from 0. @default none */
  wrapped?: number;
  /** Above each printed page. */
  title: string;
  isShown?: boolean;
}

/** Returns a sheet of rows that are no table. */
function rowsXml(
  rows: readonly AboutRow[],
  { widths, wrapped, title, isShown }: RowsSheet,
  context: SheetContext,
): string {
  const width = widths.reduce((sum, each) => sum + each, 0);
  const xml = rows.map(({ cells, look }, row) => {
    const isSentence = look === "sentence";
    const isHeader = look === "header";
    const alignOf = (index: number) =>
      wrapped !== undefined ? "left" : isHeader && index > 0 ? "right" : undefined;
    const written = cells.map(({ column, value, isFaint }, index) =>
      cellWriter(column, context, {
        ...{ isBold: look === "title", isHeader, isFaint, namesPoints: true },
        align: alignOf(index),
        isWrapped: isSentence || index === wrapped,
      })(`${columnLetters(index)}${row + 1}`, value),
    );
    const lines = isSentence
      ? countLines(String(cells[0]?.value ?? ""), width)
      : countLines(String(cells[wrapped ?? -1]?.value ?? ""), widths[wrapped ?? -1] ?? width);
    return toRowXml(row + 1, written, lines);
  });
  const merged = rows.flatMap(({ look }, row) =>
    look === "sentence"
      ? [`<mergeCell ref="A${row + 1}:${columnLetters(widths.length - 1)}${row + 1}"/>`]
      : [],
  );
  const merges =
    merged.length === 0 ? "" : `<mergeCells count="${merged.length}">${merged.join("")}</mergeCells>`;
  return `${openSheet({ widths, frozen: 0, isShown })}<sheetData>${xml.join("")}</sheetData>${merges}${printedPage(widths, title)}</worksheet>`;
}

function contentTypes(sheets: number): string {
  const override = (path: string, type: string) =>
    `<Override PartName="/${path}" ContentType="${SPREADSHEET}.${type}+xml"/>`;
  return `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${[
    override("xl/workbook.xml", "sheet.main"),
    override("xl/styles.xml", "styles"),
    ...Array.from({ length: sheets }, (_, index) => override(sheetFile(index), "worksheet")),
  ].join("")}</Types>`;
}

/** The printed part of a sheet, and what each page repeats. */
interface Printed {
  sheet: string;
  area: string;
  titles?: readonly string[];
}

function workbookXml(names: readonly string[], printed: readonly Printed[]): string {
  const listed = names.map(
    (name, index) => `<sheet name="${escapeText(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  const defined = printed.flatMap(({ sheet, area, titles = [] }) => {
    const define = (name: string, ...ranges: string[]) => {
      const targets = ranges.map((range) => `'${escapeText(sheet)}'!${range}`);
      return `<definedName name="_xlnm.${name}" localSheetId="${names.indexOf(sheet)}">${targets.join()}</definedName>`;
    };
    return [define("Print_Area", area), ...(titles.length > 0 ? [define("Print_Titles", ...titles)] : [])];
  });
  return `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><bookViews><workbookView activeTab="0"/></bookViews><sheets>${listed.join("")}</sheets><definedNames>${defined.join("")}</definedNames></workbook>`;
}

/** Returns relationships with the ids `rId1`, `rId2`, …. */
function relationships(targets: readonly [type: string, target: string][]): string {
  const elements = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${elements.join("")}</Relationships>`;
}
