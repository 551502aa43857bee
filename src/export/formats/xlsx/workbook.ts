import { localTime } from "../../../base/calendar/local-time.ts";
import { inLocale } from "../../../base/text/locale.ts";
import { ONE_FILE } from "../../../config/request/option-values.ts";
import type { ExportJob } from "../../job.ts";
import type { ManifestFile, SheetEntry } from "../../manifest.ts";
import type { Column, NamedTable } from "../../table.ts";
import { type AboutRow, type BasisJob, describeDays, describeWorkbook } from "./about-sheet.ts";
import { escapeText } from "./cell-text.ts";
import { cellWriter } from "./cells.ts";
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
export async function writeWorkbook(
  job: Pick<ExportJob, "timeframe" | "write"> & BasisJob,
  tables: readonly NamedTable[],
): Promise<ManifestFile> {
  const { timezone, compared } = job.timeframe;
  const { name, locale } = job.letterhead;
  const days = inLocale(locale, () => describeDays(job.manifest));
  const about: Book["about"] = (entries, columns) => describeWorkbook(job, entries, columns);
  return await writeSheets({ file: ONE_FILE.xlsx, days, name, timezone, compared, about }, tables, job.write);
}

interface Book extends Pick<SheetContext, "days" | "name" | "compared"> {
  file: string;
  /** Of times. */
  timezone: string;
  /** Returns the rows of the sheet About. */
  about: (entries: readonly SheetEntry[], columns: readonly Column[]) => AboutRow[];
}

/** @throws UsageError for more rows than a sheet holds */
export async function writeSheets(
  { file, timezone, about, ...shown }: Book,
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
  const parts = function* (): Generator<ZipPart> {
    yield part("[Content_Types].xml", contentTypes(sheets.length + 1));
    yield part("_rels/.rels", relationships([["officeDocument", "xl/workbook.xml"]]));
    const files = [ABOUT, ...names].map((_, index) => sheetFile(index).replace("xl/", ""));
    const targets = files.map((file): [string, string] => ["worksheet", file]);
    yield part("xl/_rels/workbook.xml.rels", relationships([...targets, ["styles", "styles.xml"]]));
    for (const [index, entry] of sheets.entries()) {
      const { table, sheet: name } = entry;
      const onCut = () => {
        entry.cut++;
      };
      const text = withDeclaration(toSheet(table, name, { ...context, onCut, isShown: index === 0 }));
      yield { name: sheetFile(index + 1), text };
    }
    // Only now all rows are counted and all styles known.
    const columns = tables.flatMap((table) => table.columns);
    yield part("xl/workbook.xml", workbookXml(sheets));
    yield part(sheetFile(0), aboutXml(about(entries(), columns), context));
    yield part("xl/styles.xml", context.styles.toXml());
  };
  const audience = tables.some((table) => table.audience === "owner") ? "owner" : "shared";
  const written = await write(file, toZip(parts()), audience);
  const rows = tables.reduce((sum, { entry }) => sum + entry.rows, 0);
  return { contents: "workbook", ...written, rows, sheets: entries() };
}

/** Returns names that Excel accepts: at most 31 characters, without reserved ones, unique without case. */
export function toSheetNames(names: readonly string[]): string[] {
  const used = new Set([ABOUT.toLowerCase()]);
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
  const xml = rows.map(({ cells, look }, row) => {
    const style = { isBold: look === "title", isHeader: look === "header", align: "left" } as const;
    const written = cells.map(({ column, value }, index) =>
      cellWriter(column, context, { ...style, isWrapped: index === 1 })(
        `${columnLetters(index)}${row + 1}`,
        value,
      ),
    );
    return toRowXml(row + 1, written, countLines(String(cells[1]?.value ?? ""), ABOUT_WIDTHS[1]));
  });
  const header = rows.find(({ look }) => look === "header")?.cells ?? [];
  const others = header.slice(ABOUT_WIDTHS.length).map(({ value }) => Math.max(10, String(value).length + 2));
  const widths = [...ABOUT_WIDTHS, ...others];
  const whose = context.name === undefined ? "" : `${context.name}, `;
  return `${openSheet({ widths, frozen: 0 })}<sheetData>${xml.join("")}</sheetData>${printedPage(1, `${whose}${ABOUT}: ${context.days}`)}</worksheet>`;
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

function workbookXml(sheets: readonly { sheet: string; table: NamedTable }[]): string {
  const listed = [ABOUT, ...sheets.map(({ sheet }) => sheet)].map(
    (name, index) => `<sheet name="${escapeText(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  const defined = sheets.flatMap(({ sheet, table }, index) => {
    const define = (name: string, ...ranges: string[]) => {
      const targets = ranges.map((range) => `'${escapeText(sheet)}'!${range}`);
      return `<definedName name="_xlnm.${name}" localSheetId="${index + 1}">${targets.join()}</definedName>`;
    };
    const { area, titles } = printedRanges(table);
    return [define("Print_Area", area), define("Print_Titles", ...titles)];
  });
  return `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><bookViews><workbookView activeTab="1"/></bookViews><sheets>${listed.join("")}</sheets><definedNames>${defined.join("")}</definedNames></workbook>`;
}

/** Returns relationships with the ids `rId1`, `rId2`, …. */
function relationships(targets: readonly [type: string, target: string][]): string {
  const elements = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${elements.join("")}</Relationships>`;
}
