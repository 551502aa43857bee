import { resolve as resolvePath } from "node:path";
import { UsageError } from "../base/errors.ts";
import { localDate } from "../calendar/local-time.ts";
import { describeRange } from "../calendar/periods.ts";
import { readCallersFile } from "../config/callers-file.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import type { ReportContent } from "../config/file-schema.ts";
import { parseSecretFile } from "../config/secret-file.ts";
import type { DeliveryTarget } from "../delivery/delivery-target.ts";
import { parseHookUrl } from "../delivery/hook-url.ts";
import { expandPattern, type PlaceholderValues } from "../delivery/placeholders.ts";
import { parseSmtpUrl } from "../delivery/smtp-url.ts";
import { FOLDER_CAN } from "../export/output/folder.ts";
import { CLUSTER_CAN } from "../produce/published-source.ts";
import { WAREHOUSE_CAN } from "../produce/warehouse-source.ts";
import { AS_WRITTEN, check } from "../request/check.ts";
import { LISTS } from "../request/option-values.ts";
import { type Ask, resolve } from "../request/resolve.ts";
import { type NamedReport, toReportError } from "./report.ts";

/** What making a report takes. */
export interface ReportPlan {
  ask: Ask;
  /** Folder of its files. */
  folder: string;
  /** What stands for the placeholders of subjects and commands. */
  values: PlaceholderValues;
  /** Contents with a row for each call, caller or conversion: hashes and click ids tell people apart as well. */
  personal: string[];
}

/**
 * Returns what a report of an account consists of.
 *
 * @param nowMs the moment that its days are counted from: when it was due, milliseconds since 1970-01-01 UTC
 * @throws UsageError that names the report, for what does not go together
 */
export function planReport(report: NamedReport, nowMs: number): ReportPlan {
  const { name, content, file, account, settings } = report;
  const { timezone } = settings;
  try {
    assertOwnFolder(report);
    const source = content.engine === undefined ? WAREHOUSE_CAN : CLUSTER_CAN;
    check(content, { source, output: FOLDER_CAN }, AS_WRITTEN);
    const readCallers = (path: string) => readCallersFile(file.resolvePath(path), "filter.exclude_callers");
    const ask = resolve(content, { nowMs, timezone, readCallers });
    const { from, to } = ask.range ?? {};
    const values = {
      account: account ?? undefined,
      report: name,
      ...ask.range,
      period: from === undefined || to === undefined ? undefined : describeRange({ from, to }),
      date: localDate(new Date(nowMs).toISOString(), timezone),
    };
    return {
      ask,
      folder: file.resolvePath(expandPattern(folderOf(content, account), values)),
      values,
      personal: LISTS.filter((list) => ask.contents.some(({ kind }) => kind === list)),
    };
  } catch (error) {
    throw toReportError(report, error);
  }
}

/**
 * Returns whom a report goes to.
 *
 * @throws UsageError that names the place of a secret that cannot be used
 */
export function toDeliveryTargets(
  { name, content, file }: NamedReport,
  { values, personal }: Pick<ReportPlan, "values" | "personal">,
  workingFolder: string,
): DeliveryTarget[] {
  const { deliver = [] } = content;
  const { smtp_url_file: smtpFile } = file.content;
  const read = <T>(path: string, place: string, parse: (text: string) => T) =>
    parseSecretFile(file.resolvePath(path), place, parse);
  return deliver.flatMap(({ email, webhook, command }, index): DeliveryTarget[] => {
    const placeOf = (...path: string[]) => file.placeOf(["reports", name, "deliver", index, ...path]);
    if (personal.length > 0 && !content.personal_data && webhook === undefined) {
      throw new UsageError(
        `${placeOf(email === undefined ? "command" : "email")}: ${personal.join(", ")}: personal data is not delivered unless asked for`,
        { hint: `Leave ${personal.join(", ")} out, or set personal_data: true in the report.` },
      );
    }
    if (email !== undefined) {
      if (smtpFile === undefined) {
        throw new UsageError(`${placeOf("email")}: there is no smtp_url_file at the top of the file`);
      }
      const smtp = read(smtpFile, file.placeOf(["smtp_url_file"]), (text) => parseSmtpUrl(text, email.from));
      return [
        {
          channel: "email",
          to: email.to,
          subject:
            email.subject ?? (values.period === undefined ? "{report}: calls" : "{report}: calls, {period}"),
          smtp,
        },
      ];
    }
    if (webhook !== undefined) {
      return [
        { channel: "webhook", url: read(webhook.url_file, placeOf("webhook", "url_file"), parseHookUrl) },
      ];
    }
    const [program, ...args] = command ?? [];
    return program === undefined
      ? []
      : [{ channel: "command", argv: [program, ...args], cwd: workingFolder }];
  });
}

/** Two reports in one folder would overwrite each other's manifest and files. */
function assertOwnFolder({ name, content, file, account, settings }: NamedReport): void {
  const { reports = {}, accounts = {} } = file.content;
  const all = Object.keys(accounts);
  const own = toPlace(file, name, content, account);
  if (own === resolvePath(settings.exportDir).toLowerCase()) {
    throw new UsageError(`the folder ${folderOf(content, account)} is that of export as well`, OWN_FOLDER);
  }
  for (const [report, other] of Object.entries(reports)) {
    for (const owner of other.accounts ?? (all.length === 0 ? [null] : all)) {
      const isItself = report === name && owner === account;
      if (isItself || toPlace(file, report, other, owner) !== own) continue;
      const whose = [
        ...(report === name ? [] : [`the report ${report}`]),
        ...(owner === account ? [] : [`the account ${owner}`]),
      ].join(" of ");
      throw new UsageError(
        `the folder ${folderOf(content, account)} is that of ${whose} as well`,
        OWN_FOLDER,
      );
    }
  }
}

const OWN_FOLDER = {
  hint: "Give each report of each account a folder of its own, such as with {account} and {report} in it.",
};

/** The pattern of a report's folder. */
function folderOf({ folder }: ReportContent, account: string | null): string {
  return folder ?? (account === null ? "reports/{report}" : "reports/{account}/{report}");
}

/** Tells folders apart: with the names in it, but not the days, and without capitals, as macOS and Windows do. */
function toPlace(
  file: CalltallyFile,
  report: string,
  content: ReportContent,
  account: string | null,
): string {
  const pattern = folderOf(content, account).replaceAll("{report}", report);
  return resolvePath(file.resolvePath(pattern.replaceAll("{account}", account ?? "{account}"))).toLowerCase();
}
