import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { systemClock } from "../base/clock.ts";
import { UsageError } from "../base/errors.ts";
import { adviseOn, reasonOf } from "../base/file-access.ts";
import { toPrintable } from "../base/printable.ts";
import { openExistingWarehouse } from "../warehouse/open.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import { decodeReport } from "./decode-report.ts";
import { type ReadOptions, type ReadReport, readReport } from "./read-report.ts";
import { type ImportedSpend, type ImportSpendOptions, importSpend, readCurrency } from "./spend-table.ts";

export interface ImportFilesOptions extends Omit<ReadOptions, "currency">, Pick<ImportSpendOptions, "named"> {
  /** Whether to add rows that an earlier one of the files has, too. */
  add: boolean | undefined;
  signal: AbortSignal;
}

/** @throws UsageError for anything that cannot be imported, before anything is written */
export function importFiles(
  own: OwnWarehouse & Pick<ImportSpendOptions, "currency">,
  paths: readonly string[],
  { add, named, signal, ...options }: ImportFilesOptions,
): { reports: ReportFile[]; imported: ImportedSpend } {
  using warehouse = openOwn(own, openExistingWarehouse);
  const currency = own.currency ?? readCurrency(warehouse) ?? named;
  const read = paths.map((path) => readReportFile(path, { ...options, currency }));
  const reports = add ? read : leaveOutRepeated(read);
  signal.throwIfAborted();
  const importedAt = new Date(systemClock.now()).toISOString();
  return {
    reports,
    imported: importSpend(warehouse, reports, { currency: own.currency, named, importedAt }),
  };
}

/**
 * Leaves out rows that an earlier report has, too, e.g. where weeks overlap; within one report, equal rows are
 * several ad groups.
 */
export function leaveOutRepeated<Report extends Pick<ReadReport, "rows" | "left_out"> & { file: string }>(
  reports: readonly Report[],
): Report[] {
  /** For each content, its places in the report that has it most often. */
  const known = new Map<string, string[]>();
  return reports.map((report) => {
    const own = new Map<string, string[]>();
    const left_out = [...report.left_out];
    const rows = report.rows.filter((row) => {
      const { line: _, ...content } = row;
      const key = JSON.stringify(content);
      const places = own.get(key) ?? [];
      own.set(key, places);
      const same = known.get(key)?.[places.length];
      places.push(`line ${row.line} of ${report.file}`);
      if (same !== undefined) left_out.push({ line: row.line, reason: `the same as ${same}; --add adds it` });
      return same === undefined;
    });
    for (const [key, places] of own)
      if (places.length > (known.get(key)?.length ?? 0)) known.set(key, places);
    return { ...report, rows, left_out: left_out.sort((a, b) => a.line - b.line) };
  });
}

/** Larger files are not reports by day, and would be held in memory. */
export const MAX_REPORT_BYTES = 64 * 1024 * 1024;

export interface ReportFile extends ReadReport {
  file: string;
  encoding: string;
}

/** @throws UsageError that names the file */
export function readReportFile(path: string, options: Parameters<typeof readReport>[1]): ReportFile {
  return readTextFile(path, (text) => readReport(text, options));
}

/** Decodes a file, and reads its text. @throws UsageError that names the file */
export function readTextFile<Read extends object>(path: string, read: (text: string) => Read) {
  const name = toPrintable(path);
  try {
    const { text, encoding } = decodeReport(readBytes(path, name));
    return { file: basename(path), encoding, ...read(text) };
  } catch (error) {
    if (!(error instanceof UsageError) || error.message.startsWith("Cannot ")) throw error;
    const { message, hint } = error;
    throw new UsageError(`Cannot import ${name}: ${message}`, { hint });
  }
}

function readBytes(path: string, name: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size <= MAX_REPORT_BYTES) return readFileSync(path);
  } catch (error) {
    throw new UsageError(`Cannot read ${name}: ${reasonOf(error)}`, { hint: adviseOn(error) });
  }
  throw new UsageError(`Cannot import ${name}: it is larger than 64 MiB`, { hint: "Split it by days." });
}
