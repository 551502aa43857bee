import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/text/nearest.ts";
import type { Account } from "../config/accounts.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import type { ReportContent } from "../config/file-schema.ts";
import { loadSettings, type Settings } from "../config/load-settings.ts";

export const REPORT_JOB = "report:";
/** Prefix of the job that makes a report again after its figures changed. */
export const RESTATED_JOB = "restated:";

export interface ReportOfFile {
  name: string;
  content: ReportContent;
  file: CalltallyFile;
}

export interface NamedReport extends ReportOfFile {
  /** Null for the only account. */
  account: string | null;
  settings: Settings;
}

/** @throws UsageError that lists the names, with a suggestion */
export function chooseReports(file: CalltallyFile | undefined, names: readonly string[]): ReportOfFile[] {
  const reports = file?.content.reports ?? {};
  const known = Object.keys(reports);
  return [...new Set(names)].map((name) => {
    const content = Object.hasOwn(reports, name) ? reports[name] : undefined;
    if (file !== undefined && content !== undefined) return { name, content, file };
    if (known.length === 0) {
      throw new UsageError(`There is no report ${name}: ${file?.name ?? "calltally.yaml"} names none`, {
        hint: "Add it there, below reports; `calltally init` writes a first one.",
      });
    }
    throw new UsageError(`There is no report ${name}: ${file?.name} has ${known.join(", ")}`, {
      hint: didYouMean(name, known) ?? "Name one of them, or add it there.",
    });
  });
}

export function ofAccount(report: ReportOfFile, account: Account): NamedReport | undefined {
  return isOfAccount(report, account) ? withSettings(report, account) : undefined;
}

/** @param account one of the report's accounts */
export function withSettings(report: ReportOfFile, account: Account): NamedReport {
  return { ...report, account: account.name ?? null, settings: loadSettings(account.sources) };
}

export function isOfAccount(
  { content: { accounts } }: Pick<ReportOfFile, "content">,
  { name }: Account,
): boolean {
  return !Array.isArray(accounts) || (name !== undefined && accounts.includes(name));
}

export function toReportError({ name, file }: ReportOfFile, error: unknown): unknown {
  if (!(error instanceof UsageError)) return error;
  return new UsageError(`${file.placeOf(["reports", name])}: ${error.message}`, {
    hint: error.hint,
  });
}
