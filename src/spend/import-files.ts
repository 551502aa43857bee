import { systemClock } from "../base/clock.ts";
import { openExistingWarehouse } from "../warehouse/open.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import type { ReadOptions, ReadReport, SpendRow } from "./read-report.ts";
import { type ReportFile, readReportFile } from "./report-file.ts";
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
      const key = contentOf(row);
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

function contentOf({ line: _, ...row }: SpendRow): string {
  return JSON.stringify(row);
}
