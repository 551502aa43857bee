import { systemClock } from "../../base/clock.ts";
import type { LineRule } from "../../intake/line-rule.ts";
import { readCurrency } from "../../intake/one-currency.ts";
import { readTextFile } from "../../intake/read-file.ts";
import { openExistingWarehouse } from "../../warehouse/file/open.ts";
import { type OwnWarehouse, openOwn } from "../../warehouse/file/own-warehouse.ts";
import { type ReadReport, readReport } from "./read-report.ts";
import type { ReadSpendOptions } from "./spend-intake.ts";
import { type ImportedSpend, type ImportSpendOptions, importSpend } from "./spend-table.ts";

export interface ImportFilesOptions
  extends Omit<ReadSpendOptions, "currency">,
    Pick<ImportSpendOptions, "named"> {
  /** How rows count that an earlier one of the files has, too. @default "once" */
  lines: LineRule | undefined;
  signal: AbortSignal;
}

/** @throws UsageError for anything that cannot be imported, before anything is written */
export function importFiles(
  account: OwnWarehouse & Pick<ImportSpendOptions, "currency">,
  paths: readonly string[],
  { lines, named, signal, ...options }: ImportFilesOptions,
): { reports: ReportFile[]; imported: ImportedSpend } {
  using warehouse = openOwn(account, openExistingWarehouse);
  const currency = account.currency ?? readCurrency(warehouse) ?? named;
  const read = paths.map((path) => readReportFile(path, { ...options, currency }));
  const reports = lines === "add" ? read : leaveOutRepeated(read);
  signal.throwIfAborted();
  const importedAt = new Date(systemClock.now()).toISOString();
  return {
    reports,
    imported: importSpend(warehouse, reports, { currency: account.currency, named, importedAt }),
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
    const ofReport = new Map<string, string[]>();
    const left_out = [...report.left_out];
    const rows = report.rows.filter((row) => {
      const { line: _, ...content } = row;
      const key = JSON.stringify(content);
      const places = ofReport.get(key) ?? [];
      ofReport.set(key, places);
      const same = known.get(key)?.[places.length];
      places.push(`line ${row.line} of ${report.file}`);
      if (same !== undefined)
        left_out.push({
          line: row.line,
          reason: `the same as ${same}; --lines add adds it`,
          amount_micros: row.cost_micros,
        });
      return same === undefined;
    });
    for (const [key, places] of ofReport)
      if (places.length > (known.get(key)?.length ?? 0)) known.set(key, places);
    return { ...report, rows, left_out: left_out.sort((a, b) => a.line - b.line) };
  });
}

export type ReportFile = ReturnType<typeof readReportFile>;

/** @throws UsageError that names the file */
function readReportFile(path: string, options: ReadSpendOptions) {
  return readTextFile(path, (text) => readReport(text, options));
}
