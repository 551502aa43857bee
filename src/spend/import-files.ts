import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { systemClock } from "../base/clock.ts";
import { UsageError } from "../base/errors.ts";
import { adviseOn, reasonOf } from "../base/file-access.ts";
import { toPrintable } from "../base/printable.ts";
import { openExistingWarehouse } from "../warehouse/open.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import { type ReadOptions, type ReadReport, readReport } from "./read-report.ts";
import { type ImportedSpend, type ImportSpendOptions, importSpend } from "./spend-table.ts";

export interface ImportFilesOptions extends ReadOptions, Pick<ImportSpendOptions, "named"> {
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
  const read = paths.map((path) => readReportFile(path, options));
  const reports = add ? read : leaveOutRepeated(read);
  signal.throwIfAborted();
  using warehouse = openOwn(own, openExistingWarehouse);
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
}

/** @throws UsageError that names the file */
export function readReportFile(path: string, options: Parameters<typeof readReport>[1]): ReportFile {
  const name = toPrintable(path);
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > MAX_REPORT_BYTES)
      throw new UsageError(`Cannot import ${name}: it is larger than 64 MiB`, { hint: "Split it by days." });
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot read ${name}: ${reasonOf(error)}`, { hint: adviseOn(error) });
  }
  try {
    return { file: basename(path), ...readReport(decodeReport(bytes), options) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, hint } = error;
    throw new UsageError(`Cannot import ${name}: ${message}`, { hint });
  }
}

const MARKS = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
] as const;

/** Decodes UTF-8 or UTF-16, with or without a byte order mark. @throws UsageError for other bytes */
export function decodeReport(bytes: Uint8Array): string {
  const mark = MARKS.find(({ bytes: lead }) => lead.every((byte, index) => bytes[index] === byte));
  const encoding = mark?.encoding ?? guessEncoding(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Reported below.
  }
  throw new UsageError("it is not text in UTF-8 or UTF-16", {
    hint: "Save it as CSV in UTF-8; a workbook (.xlsx) is not CSV.",
  });
}

/** A report begins with a Latin letter, a digit or a quote: in UTF-16 one of its two bytes is 0. */
function guessEncoding([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (second === 0) return "utf-16le";
  return first === 0 ? "utf-16be" : "utf-8";
}
