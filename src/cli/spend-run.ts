import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { systemClock } from "../clock.ts";
import { formatMicros } from "../currency.ts";
import { EXIT, type ExitCode, UsageError } from "../errors.ts";
import { reasonOf } from "../file-access.ts";
import { toPrintable } from "../printable.ts";
import { MAX_REPORT_BYTES, type ReadReport, readReport } from "../spend/read-report.ts";
import { leaveOutRepeated } from "../spend/repeated-rows.ts";
import { openExistingWarehouse } from "../warehouse/open.ts";
import { openOwn } from "../warehouse/own-warehouse.ts";
import { type ImportedSpend, importSpend } from "../warehouse/spend-table.ts";
import type { Context } from "./context.ts";
import { type FilesScope, overFiles } from "./over-files.ts";
import type { SpendImportFlags } from "./spend-command.ts";
import { formatCount, formatQuantity } from "./terminal-text.ts";

/** Rows left out that a person is shown; `--json` has all. */
const SHOWN = 20;

interface ImportedFile extends ReadReport {
  file: string;
  /** Its path as given, for a person. */
  name: string;
}

/** Runs `calltally spend import`. */
export async function runSpendImport(
  context: Context,
  paths: readonly string[],
  flags: SpendImportFlags,
  exit: (code: ExitCode) => void,
): Promise<void> {
  await overFiles({ context, exit }, { paths, ...flags }, (scope) => importOne(scope, flags));
}

function importOne(
  { context, exit, settings, files: paths }: FilesScope,
  { json, map = {}, currency, add, ...flags }: SpendImportFlags,
): void {
  // All that can be refused is refused before anything is written.
  const read = paths.map((path) => readFile(path, { ...flags, map }));
  const files = add ? read : leaveOutRepeated(read);
  context.signal.throwIfAborted();
  using warehouse = openOwn(settings, openExistingWarehouse);
  const importedAt = new Date(systemClock.now()).toISOString();
  const imported = importSpend(warehouse, files, {
    currency: settings.currency,
    named: currency,
    importedAt,
  });
  if (json) context.print(JSON.stringify(toJson(files, imported)));
  else context.tell(describeImport(files, imported));
  if (files.some(({ left_out }) => left_out.length > 0)) exit(EXIT.unverified);
}

function readFile(path: string, options: Parameters<typeof readReport>[1]): ImportedFile {
  const name = toPrintable(path);
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > MAX_REPORT_BYTES)
      throw new UsageError(`Cannot import ${name}: it is larger than 64 MiB`, { hint: "Split it by days." });
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot read ${name}: ${reasonOf(error)}`);
  }
  try {
    return { file: basename(path), name, ...readReport(bytes, options) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, hint } = error;
    throw new UsageError(`Cannot import ${name}: ${message}`, hint === undefined ? {} : { hint });
  }
}

function toJson(files: readonly ImportedFile[], { currency, sources }: ImportedSpend) {
  return {
    currency,
    files: files.map(({ rows, name: _name, ...file }) => ({ ...file, rows: rows.length })),
    sources: sources.map(({ cost_micros, ...source }) => ({
      ...source,
      cost: Number(formatMicros(cost_micros)),
    })),
  };
}

function describeImport(files: readonly ImportedFile[], { currency, sources }: ImportedSpend): string {
  const lines = files.map(describeFile);
  for (const { source, days, first_day, last_day, rows, cost_micros, replaced_rows } of sources) {
    const replaced = replaced_rows > 0 ? `, in place of ${formatQuantity(replaced_rows, "earlier row")}` : "";
    lines.push(
      `${toPrintable(source)}  ${formatQuantity(days, "day")}, ${first_day}${days > 1 ? ` to ${last_day}` : ""}, ${formatQuantity(rows, "row")}, ${formatMicros(cost_micros)} ${currency}${replaced}`,
    );
  }
  const leftOut = files.flatMap(({ file, left_out }) =>
    left_out.map(({ line, reason }) => toPrintable(`  ${file}:${line}  ${reason}`)),
  );
  if (leftOut.length > 0)
    lines.push(`Left out: ${formatQuantity(leftOut.length, "row")}`, ...leftOut.slice(0, SHOWN));
  if (leftOut.length > SHOWN) lines.push(`  and ${formatCount(leftOut.length - SHOWN)} more: --json has all`);
  return lines.join("\n");
}

/** Says where each line of a file went. */
function describeFile({ file, report, lines, rows, left_out, ...aside }: ImportedFile): string {
  const parts = [
    `${formatQuantity(rows.length, "row")}`,
    ...(left_out.length > 0 ? [`${formatCount(left_out.length)} left out`] : []),
    "1 header",
    ...describeLines(aside.title_lines, "title"),
    ...describeLines(aside.total_lines, "total"),
    ...describeLines(aside.note_lines, "note"),
    ...describeLines(aside.blank_lines, "empty"),
  ];
  return `${toPrintable(file)}  ${report}, ${formatQuantity(lines, "line")}: ${parts.join(", ")}`;
}

function describeLines({ length }: readonly number[], name: string): string[] {
  return length > 0 ? [`${formatCount(length)} ${name}`] : [];
}
