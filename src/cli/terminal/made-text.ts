import { toPrintable } from "../../base/text/printable.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import type { Manifest, ManifestFile, SheetEntry, TableEntry } from "../../export/manifest.ts";
import type { ProducedFiles } from "../../reports/produce/produce.ts";
import { toJson } from "./statement-lines.ts";
import {
  blocksOfStatements,
  filesBlock,
  linesOf,
  remarksBlock,
  type SummaryBlock,
  toSummaryText,
} from "./summary-lines.ts";

/** Returns remarks on a file that went to standard output. */
export function remarksOnStream({ manifest, newKey }: ProducedFiles): string[] {
  const { files, statements } = manifest;
  return [
    ...files.flatMap((file) => [
      ...(file.examined !== undefined || countAside(file) > 0 ? [describeFile(file)] : []),
      ...(file.sheets ?? []).filter((sheet) => countAside(sheet) > 0).map(describeSheet),
    ]),
    ...linesOf(statements),
    ...describeKey(newKey),
  ];
}

function describeKey(newKey: string | undefined): string[] {
  return newKey === undefined ? [] : [`Created a key for caller_hash and uploads, ${newKey}: back it up.`];
}

/** Returns the members of a result for `--json`. */
export function dataOf<Result extends ProducedFiles>({ note, isWarehouseEmpty: _, ...files }: Result) {
  return { ...toJson(files), ...note.data };
}

export function describeMade(produced: ProducedFiles, workingFolder: string): string {
  return toSummaryText(blocksOf(produced, workingFolder));
}

/** Returns the written files, what they are based on, and what is to know about them. */
export function blocksOf(
  { folder = "", manifest, newKey, unrecorded, note }: ProducedFiles,
  workingFolder: string,
): SummaryBlock[] {
  const { files, statements } = manifest;
  const listed = files.map((file) => ({
    name: file.file,
    content: describeFile(file),
    parts: (file.sheets ?? []).map(describeSheet),
  }));
  return [
    filesBlock(listed, folder, workingFolder),
    remarksBlock(describeSource(manifest)),
    ...blocksOfStatements(statements),
    remarksBlock([...describeKey(newKey), ...(unrecorded ? [UNRECORDED] : []), ...note.lines]),
  ];
}

function describeSource({ run, published }: Pick<Manifest, "run" | "published">): string[] {
  return [
    ...(run === null ? [] : [`From run ${run.run_id}, finished ${run.finished_at}, verdict ${run.verdict}`]),
    ...(published === undefined ? [] : [`Read in ${published.to}, published ${published.published_at}`]),
  ];
}

const UNRECORDED = "The warehouse is read-only here, so it does not record these files.";

/** Calls that a table examined without a row for them. */
function countAside({ examined = 0, excluded = {} }: Partial<ManifestFile>): number {
  return examined + Object.values(excluded).reduce((sum, count) => sum + count, 0);
}

function describeFile(file: ManifestFile): string {
  const { rows, examined, sheets, adjustments, contents } = file;
  if (sheets !== undefined) return formatQuantity(sheets.length, contents === "database" ? "table" : "sheet");
  if (examined === undefined) return describeTable(file);
  if (adjustments !== undefined) {
    const changes = `${formatCount(adjustments.retract)} retracted, ${formatCount(adjustments.restate)} restated`;
    return `${formatQuantity(rows, "adjustment")}: ${changes}${describeExcluded(file)}`;
  }
  return `${formatQuantity(rows, "row")} of ${formatQuantity(examined, "call")} examined${describeExcluded(file)}`;
}

function describeSheet(sheet: SheetEntry): string {
  return `${sheet.sheet}  ${describeTable(sheet)}`;
}

function describeTable(table: TableEntry): string {
  const { contents, rows, sums, keys_in_other: others = 0, rows_in_other: small = 0 } = table;
  if (sums?.calls === undefined) return formatQuantity(rows, contents === "calls" ? "call" : "row");
  if (contents === "report" || contents === "explore") return formatQuantity(sums.calls, "call");
  const folded = [
    ...(others > 0 ? [`; ${formatQuantity(others, "key")} in (other)`] : []),
    ...(small > 0 ? [`; ${formatQuantity(small, "row")} in (other)`] : []),
  ].join("");
  const row = contents === "callers" ? "caller" : "row";
  return `${formatQuantity(rows, row)}, ${formatQuantity(sums.calls, "call")}${folded}${describeVersus(table)}${describeExcluded(table)}`;
}

function describeVersus({ versus }: TableEntry): string {
  if (versus === undefined) return "";
  const { row, comparisons, beyond_chance: beyond, beyond_chance_among_all: amongAll } = versus;
  const all = comparisons > 1 ? `, ${formatCount(amongAll)} even among ${formatCount(comparisons)}` : "";
  return `; of ${formatQuantity(comparisons, "rate")} compared with ${toPrintable(row)}, ${formatCount(beyond)} beyond chance${all}`;
}

function describeExcluded({ excluded = {} }: TableEntry): string {
  const reasons = Object.entries(excluded).filter(([, count]) => count > 0);
  const left = reasons.map(([reason, count]) => `${formatCount(count)} ${reason}`).join(", ");
  return left === "" ? "" : `; left out: ${left}`;
}
