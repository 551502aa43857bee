import { join, relative } from "node:path";
import { formatAmount, formatCount, formatQuantity } from "../../base/quantity-text.ts";
import { describeUploads } from "../../conversions/upload-notes.ts";
import {
  describeCaveats,
  describeRestated,
  MADE_UP,
  type ManifestFile,
  type SheetEntry,
  type TableEntry,
} from "../../export/manifest.ts";
import type { Made } from "../../produce/produce.ts";

/** Returns remarks on a file that went to standard output. */
export function remarksOnStream(made: Made): string[] {
  const { files, origin } = made.manifest;
  return [
    ...files.flatMap((file) => [
      ...(file.examined !== undefined || countAside(file) > 0 ? [describeFile(file)] : []),
      ...(file.sheets ?? []).filter((sheet) => countAside(sheet) > 0).map(describeSheet),
    ]),
    ...remarksOn(made),
    ...(origin.made_by_demo ? [MADE_UP] : []),
    ...describeCaveats(made.manifest),
  ];
}

export function describeMade({ folder = "", ...written }: Made, workingFolder: string): string {
  const { manifest } = written;
  const { run, origin, published, files } = manifest;
  const lines = files.flatMap((file) => [
    `${relative(workingFolder, join(folder, file.file))}  ${describeFile(file)}`,
    ...(file.sheets ?? []).map((sheet) => `  ${describeSheet(sheet)}`),
  ]);
  if (run !== null) lines.push(`From run ${run.run_id}, finished ${run.finished_at}, verdict ${run.verdict}`);
  if (published !== undefined) lines.push(`Read in ${published.to}, published ${published.published_at}`);
  if (origin.made_by_demo) lines.push(MADE_UP);
  lines.push(...describeCaveats(manifest), ...remarksOn(written));
  if (written.unrecorded) lines.push(UNRECORDED);
  lines.push(...describeUploads(written.uploads ?? {}));
  return lines.join("\n");
}

const UNRECORDED = "The warehouse is read-only here, so it does not record these files.";

/** What to know before using the figures. */
function remarksOn({ manifest, newKey, isWarehouseEmpty }: Made): string[] {
  const { files, filter, compared_with } = manifest;
  const tables = files.flatMap((file): (TableEntry | ManifestFile)[] => file.sheets ?? [file]);
  const calls = tables.reduce((sum, table) => sum + table.rows + countAside(table), 0);
  // No adjustments does not mean no calls.
  const isAdjusted = files.some(({ adjustments }) => adjustments !== undefined);
  const tooRecent = files.reduce((sum, { excluded }) => sum + (excluded?.["too recent"] ?? 0), 0);
  const isNew = files.some(({ only_new }) => only_new);
  const cut = files
    .flatMap(({ sheets = [] }) => sheets)
    .reduce((sum, { cut_texts = 0 }) => sum + cut_texts, 0);
  const { spend } = manifest;
  const unmatched = spend?.campaigns.unmatched ?? { rows: 0, cost: 0 };
  const ofCallsAlone =
    spend?.filters_of_calls_alone?.map((name) => `--${name.replace("_seconds", "").replaceAll("_", "-")}`) ??
    [];
  // A report counts its calls as rows, and shows spend even without calls.
  const isEmpty = calls === 0 && (spend?.rows ?? 0) === 0;
  const unknown = filter.excluded_callers_without_calls ?? 0;
  const remarks = [
    isEmpty &&
      !isWarehouseEmpty &&
      !isAdjusted &&
      "No call in the warehouse matches the filter: the files have no rows.",
    isEmpty && isWarehouseEmpty && "The warehouse has no calls: the files have no rows.",
    compared_with?.begins_before_first_call &&
      `The previous period begins ${compared_with.from}, before the first call in the warehouse: its figures are too low.`,
    unknown > 0 &&
      `${formatQuantity(unknown, "number")} in --exclude-callers ${unknown === 1 ? "has" : "have"} never called.`,
    filter.excluded_callers === 0 && "The file of --exclude-callers has no numbers: all callers count.",
    spend?.currency === null &&
      "No spend has been imported: calltally spend import reads the reports of ad platforms.",
    spend?.currency && spend.rows === 0 && "No spend was imported for these days and this filter.",
    unmatched.rows > 0 &&
      `Spend of campaigns that no call has: ${formatAmount(unmatched.cost)} ${spend?.currency} of ${formatAmount(spend?.cost ?? 0)}.`,
    ofCallsAlone.length > 0 &&
      `${ofCallsAlone.join(", ")} ${ofCallsAlone.length === 1 ? "chooses" : "choose"} only calls: costs are for all calls.`,
    tooRecent > 0 &&
      `${formatQuantity(tooRecent, "call")} too recent for an upload ${tooRecent === 1 ? "was" : "were"} left for the next file${isNew ? "" : ": start it one day before this one ends"}.`,
    cut > 0 &&
      `${formatQuantity(cut, "text")} ${cut === 1 ? "is" : "are"} cut to the 32,767 characters of a cell; CSV and Parquet have the full text.`,
    newKey && `Created a key for caller_hash and uploads, ${newKey}: back it up.`,
  ];
  return [...describeRestated(manifest), ...remarks.filter((remark) => typeof remark === "string")];
}

/** Calls that a table examined without a row for them. */
function countAside({ examined = 0, excluded = {} }: Partial<ManifestFile>): number {
  return examined + Object.values(excluded).reduce((sum, count) => sum + count, 0);
}

function describeFile(file: ManifestFile): string {
  const { rows, examined, sheets, adjustments, contents } = file;
  if (sheets !== undefined) return formatQuantity(sheets.length, contents === "database" ? "table" : "sheet");
  if (examined === undefined) return describeTable(file);
  if (adjustments !== undefined) {
    const said = `${formatCount(adjustments.retract)} retracted, ${formatCount(adjustments.restate)} restated`;
    return `${formatQuantity(rows, "adjustment")}: ${said}${describeExcluded(file)}`;
  }
  return `${formatQuantity(rows, "row")} of ${formatQuantity(examined, "call")} examined${describeExcluded(file)}`;
}

function describeSheet(sheet: SheetEntry): string {
  return `${sheet.sheet}  ${describeTable(sheet)}`;
}

function describeTable(table: TableEntry): string {
  const { contents, rows, sums, keys_in_other: others = 0, rows_in_other: small = 0 } = table;
  if (sums?.calls === undefined) return formatQuantity(rows, contents === "calls" ? "call" : "row");
  if (contents === "report") return formatQuantity(sums.calls, "call");
  const folded = [
    ...(others > 0 ? [`; ${formatQuantity(others, "key")} in (other)`] : []),
    ...(small > 0 ? [`; ${formatQuantity(small, "row")} in (other)`] : []),
  ].join("");
  const row = contents === "callers" ? "caller" : "row";
  return `${formatQuantity(rows, row)}, ${formatQuantity(sums.calls, "call")}${folded}${describeExcluded(table)}`;
}

function describeExcluded({ excluded = {} }: TableEntry): string {
  const reasons = Object.entries(excluded).filter(([, count]) => count > 0);
  const left = reasons.map(([reason, count]) => `${formatCount(count)} ${reason}`).join(", ");
  return left === "" ? "" : `; left out: ${left}`;
}
