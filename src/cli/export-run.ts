import { join, relative } from "node:path";
import { systemClock } from "../clock.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import { EXIT, type ExitCode } from "../errors.ts";
import { describeCaveats, MADE_UP, type ManifestFile, type TableEntry } from "../export/manifest.ts";
import { type ExportResult, exportToFolder, exportToStream } from "../export/write-export.ts";
import { attributionProgress } from "./attribution-progress.ts";
import { type Context, settingsOf } from "./context.ts";
import { noteUnmatchedDispositions } from "./disposition-note.ts";
import type { Contents, ExportFlags } from "./export-command.ts";
import { assertTogether, toFilter, toFormat, toRange, toTargets } from "./export-flags.ts";
import { formatCount, formatQuantity } from "./terminal-text.ts";

/** Runs `calltally export`. */
export async function runExport(
  context: Context,
  contents: readonly Contents[] | undefined,
  flags: ExportFlags,
  exit: (code: ExitCode) => void,
): Promise<void> {
  const settings = settingsOf(context, flags);
  const { database, exportDir: folder, timezone, lookbackHours } = settings;
  const targets = toTargets(contents ?? [], flags);
  assertTogether(targets, flags);
  const { grain, compare, fill = false, total = false, raw = false } = flags;
  const options = {
    database,
    timezone,
    lookbackHours,
    rules: readAttributionRules(settings),
    range: toRange(flags, timezone, systemClock.now()),
    filter: toFilter(flags),
    isEmptyAllowed: flags.allowEmpty,
    grain,
    compare,
    fill,
    total,
    raw,
    format: toFormat(flags),
    signal: context.signal,
    onAttributed: attributionProgress(context),
  };
  if (!flags.stdout) {
    const result = await exportToFolder({ ...options, targets, folder, replace: flags.replace });
    const { isWarehouseEmpty: _, ...shown } = result;
    if (flags.json) context.print(JSON.stringify(shown));
    else context.tell(describeExport(result, context.folder));
    noteUnmatchedDispositions(context, settings);
    if (result.manifest.caveats) exit(EXIT.unverified);
    return;
  }
  const written = await exportToStream({ ...options, targets, writeChunk: context.write });
  const { manifest } = written;
  for (const file of manifest.files.filter(({ excluded }) => excluded)) context.note(describeFile(file));
  for (const remark of remarksOn(written)) context.note(remark);
  if (manifest.origin.made_by_demo) context.note(MADE_UP);
  for (const caveat of describeCaveats(manifest)) context.note(caveat);
  noteUnmatchedDispositions(context, settings);
  if (manifest.caveats) exit(EXIT.unverified);
}

/** Returns what was written, a line a file. */
export function describeExport({ folder, ...written }: ExportResult, workingFolder: string): string {
  const { manifest } = written;
  const { run, origin, files } = manifest;
  const lines = files.flatMap((file) => [
    `${relative(workingFolder, join(folder, file.file))}  ${describeFile(file)}`,
    ...(file.sheets ?? []).map((sheet) => `  ${sheet.sheet}  ${describeTable(sheet)}`),
  ]);
  if (run !== null) lines.push(`From run ${run.run_id}, finished ${run.finished_at}, verdict ${run.verdict}`);
  if (origin.made_by_demo) lines.push(MADE_UP);
  lines.push(...describeCaveats(manifest), ...remarksOn(written));
  if (written.unrecorded) lines.push(UNRECORDED);
  return lines.join("\n");
}

const UNRECORDED = "The warehouse can only be read here, so its table exports does not have these files.";

/** What a person should know before the figures are used. */
function remarksOn({ manifest, newKey, isWarehouseEmpty }: Omit<ExportResult, "folder">): string[] {
  const { files, filter, compared_with } = manifest;
  const calls = files.reduce((sum, { rows, examined = 0 }) => sum + rows + examined, 0);
  const tooRecent = files.reduce((sum, { excluded }) => sum + (excluded?.["too recent"] ?? 0), 0);
  const cut = files
    .flatMap(({ sheets = [] }) => sheets)
    .reduce((sum, { cut_texts = 0 }) => sum + cut_texts, 0);
  const unknown = filter.excluded_callers_without_calls ?? 0;
  const remarks: [isDue: boolean, text: string][] = [
    [
      calls === 0 && !isWarehouseEmpty,
      "No call in the warehouse matches the filter: the files have no rows.",
    ],
    [calls === 0 && isWarehouseEmpty, "The warehouse has no calls: the files have no rows."],
    [
      compared_with?.begins_before_first_call === true,
      `The comparison period begins ${compared_with?.from}, before the first call in the warehouse: its figures are too low.`,
    ],
    [
      unknown > 0,
      `${formatQuantity(unknown, "number")} in --exclude-callers ${unknown === 1 ? "has" : "have"} no call in the warehouse.`,
    ],
    [filter.excluded_callers === 0, "--exclude-callers names no number: calls of all callers count."],
    [
      tooRecent > 0,
      `${formatQuantity(tooRecent, "call")} of the last 6 hours ${tooRecent === 1 ? "was" : "were"} left for the next file: start it one day before this one ends.`,
    ],
    [
      cut > 0,
      `${formatQuantity(cut, "text")} ${cut === 1 ? "is" : "are"} cut to the 32,767 characters that a cell holds; CSV and Parquet have all of them.`,
    ],
    [newKey !== undefined, `Created a key for caller_hash, ${newKey}: keep it with your backups.`],
  ];
  return remarks.flatMap(([isDue, text]) => (isDue ? [text] : []));
}

function describeFile(file: ManifestFile): string {
  const { rows, examined, excluded, sheets } = file;
  if (sheets !== undefined) return formatQuantity(sheets.length, "sheet");
  if (examined !== undefined) {
    const reasons = Object.entries(excluded ?? {}).map(
      ([reason, count]) => `${formatCount(count)} ${reason}`,
    );
    const left = reasons.length > 0 ? `; left out: ${reasons.join(", ")}` : "";
    return `${formatQuantity(rows, "row")} of ${formatQuantity(examined, "call")} examined${left}`;
  }
  return describeTable(file);
}

function describeTable({ contents, rows, sums }: TableEntry): string {
  if (sums?.calls === undefined) return formatQuantity(rows, contents === "calls" ? "call" : "row");
  return `${formatQuantity(rows, "row")}, ${formatQuantity(sums.calls, "call")}`;
}
