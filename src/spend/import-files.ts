import { systemClock } from "../base/clock.ts";
import { openExistingWarehouse } from "../warehouse/open.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import type { ReadOptions } from "./read-report.ts";
import { leaveOutRepeated } from "./repeated-rows.ts";
import { type ReportFile, readReportFile } from "./report-file.ts";
import { type ImportedSpend, type ImportSpendOptions, importSpend } from "./spend-table.ts";

export interface ImportFilesOptions extends ReadOptions, Pick<ImportSpendOptions, "named"> {
  /** Whether to add rows that an earlier one of the files has as well. */
  add: boolean | undefined;
  signal: AbortSignal;
}

/**
 * Imports reports of ad platforms into the warehouse of an account.
 *
 * @throws UsageError for what cannot be imported, before anything is written
 */
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
