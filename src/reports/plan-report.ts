import { resolve as resolvePath } from "node:path";
import { closedRange } from "../base/calendar/dates.ts";
import { localDate } from "../base/calendar/local-time.ts";
import { describeRange } from "../base/calendar/periods.ts";
import { UsageError } from "../base/errors.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import type { ReportContent } from "../config/file-schema.ts";
import { readCallersFile } from "../config/files/callers-file.ts";
import {
  COMMAND_PLACEHOLDERS,
  fillPlaceholders,
  type PlaceholderValues,
  SUBJECT_PLACEHOLDERS,
} from "../config/placeholder-names.ts";
import { AS_WRITTEN, check } from "../config/request/check.ts";
import { LISTS } from "../config/request/option-values.ts";
import { type Ask, isOfOneFile, resolve } from "../config/request/resolve.ts";
import { chooseBrowser } from "../export/formats/pdf/print-page.ts";
import { readLetterhead } from "../export/letterhead/letterhead.ts";
import { FOLDER_CAN } from "../export/output/folder.ts";
import { CLUSTER_CAN } from "./produce/published-source.ts";
import { WAREHOUSE_CAN } from "./produce/warehouse-source.ts";
import { recipientsOf } from "./recipients.ts";
import { type NamedReport, toReportError } from "./report.ts";

export type ReportPlan = ReturnType<typeof planReport>;

/** Counts days from `nowMs`, when the report was due. @throws UsageError for options that conflict */
export function planReport(report: NamedReport, nowMs: number) {
  const { name, content, file, account, settings } = report;
  const { timezone } = settings;
  try {
    assertOwnFolder(report);
    const source = content.engine === undefined ? WAREHOUSE_CAN : CLUSTER_CAN;
    check(content, { source, output: FOLDER_CAN }, AS_WRITTEN);
    const readCallers = (path: string) => readCallersFile(file.resolvePath(path), "filter.exclude_callers");
    const options = { nowMs, timezone, readCallers };
    const resolved = resolve(content, options);
    const ask = isMailed(report)
      ? withCharts(resolved, resolve({ ...content, format: "html" }, options))
      : resolved;
    if (ask.isPrinted) chooseBrowser(settings.browser);
    const letterhead = readLetterhead(settings, account);
    const closed = closedRange(ask.range);
    const values: PlaceholderValues = {
      account: account ?? undefined,
      report: name,
      title: letterhead.name,
      ...ask.range,
      period: closed && describeRange(closed),
      date: localDate(new Date(nowMs).toISOString(), timezone),
    };
    assertFilled(report, ask, values);
    return {
      ask,
      letterhead,
      folder: file.resolvePath(fillPlaceholders(folderOf(content, account), values)),
      values,
      /**
       * Contents with a row per call, caller or conversion: hashes and click ids also identify people. Private columns of
       * a page to explore.
       */
      personal: [
        ...LISTS.filter((list) => ask.contents.some(({ kind }) => kind === list)),
        ...((ask.rows && ask.with) || []),
      ],
    };
  } catch (error) {
    throw toReportError(report, error);
  }
}

/** Whether a mail would have a page to explore, whose scripts mail servers remove. */
function isMailed(report: NamedReport): boolean {
  const { format, min_cell } = report.content;
  if (format !== "explore" || min_cell !== undefined) return false;
  return recipientsOf(report, report.account).some(({ content: { email } }) => email !== undefined);
}

/** Adds the page of charts for mails; it needs days. */
function withCharts(ask: Ask, { contents, grain, compare }: Ask): Ask {
  if (closedRange(ask.range) === undefined) return ask;
  return { ...ask, contents: [...ask.contents, ...contents], grain, compare };
}

/** Refuses a report that would be made, and could not be sent. @throws UsageError for a placeholder without a value */
function assertFilled(report: NamedReport, { contents, format }: Ask, values: PlaceholderValues) {
  const file = contents.length === 1 || isOfOneFile(format) ? "" : undefined;
  for (const { content } of recipientsOf(report, report.account)) {
    const { email, command = [] } = content;
    fillPlaceholders(email?.subject ?? "", values, SUBJECT_PLACEHOLDERS);
    for (const arg of command.slice(1))
      fillPlaceholders(arg, { ...values, folder: "", file }, COMMAND_PLACEHOLDERS);
  }
}

/** Two reports in one folder would overwrite each other's files. */
function assertOwnFolder({ name, content, file, account, settings }: NamedReport): void {
  const { reports = {}, accounts = {} } = file.content;
  const all = Object.keys(accounts);
  const place = toPlace(file, name, content, account);
  const refuse = (whose: string) => {
    throw new UsageError(`the folder ${folderOf(content, account)} also belongs to ${whose}`, {
      hint: "Give each report of each account its own folder, for example with {account} and {report} in its path.",
    });
  };
  if (place === resolvePath(settings.exportDir).toLowerCase()) refuse("export");
  for (const [report, other] of Object.entries(reports)) {
    const named = Array.isArray(other.accounts) ? other.accounts : all;
    for (const owner of named.length === 0 ? [null] : named) {
      const whose = [
        ...(report === name ? [] : [`the report ${report}`]),
        ...(owner === account ? [] : [`the account ${owner}`]),
      ];
      if (whose.length > 0 && toPlace(file, report, other, owner) === place) refuse(whose.join(" of "));
    }
  }
}

function folderOf({ folder }: ReportContent, account: string | null): string {
  return folder ?? (account === null ? "reports/{report}" : "reports/{account}/{report}");
}

/** Returns a folder for comparison: with names but not days filled in, lower-cased as on macOS and Windows. */
function toPlace(file: CalltallyFile, report: string, content: ReportContent, account: string | null) {
  const pattern = folderOf(content, account).replaceAll("{report}", report);
  return resolvePath(file.resolvePath(pattern.replaceAll("{account}", account ?? "{account}"))).toLowerCase();
}
