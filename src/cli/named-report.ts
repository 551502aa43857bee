import { resolve } from "node:path";
import type { DateRange } from "../calendar/dates.ts";
import { localDate } from "../calendar/local-time.ts";
import { describeRange } from "../calendar/periods.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import type { ReportContent } from "../config/file-schema.ts";
import type { Settings } from "../config/load-settings.ts";
import { parseSecretFile } from "../config/secret-file.ts";
import type { DeliveryTarget } from "../delivery/delivery-target.ts";
import { parseHookUrl } from "../delivery/hook-url.ts";
import { expandPattern, type PlaceholderValues } from "../delivery/placeholders.ts";

import { parseSmtpUrl } from "../delivery/smtp-url.ts";
import { UsageError } from "../errors.ts";
import { LISTS } from "../export/choices.ts";
import { toExportBasis } from "../export/export-basis.ts";
import type { FigureTarget } from "../export/figure-job.ts";
import type { FolderExportOptions } from "../export/write-export.ts";
import { toEngineTargets } from "./engine.ts";
import {
  assertTogether,
  type GivenFlags,
  toComparison,
  toFilter,
  toFormat,
  toRange,
  toTargets,
} from "./export-flags.ts";
import { REPORT_TARGET, reportScope } from "./report-run.ts";

/** A report of `calltally.yaml`, and whose calls it is of. */
export interface NamedReport {
  name: string;
  content: ReportContent;
  file: CalltallyFile;
  /** Null for the only account. */
  account: string | null;
  settings: Settings;
}

/** What making a report takes. */
export interface ReportPlan {
  /** What is written, but for what is told of each run: the signal and the progress. */
  request: Omit<FolderExportOptions, "signal" | "onAttributed" | "clock" | "reportRun">;
  /** The cluster that computes its figures, where one does. */
  engine: { address: string; targets: FigureTarget[] } | undefined;
  /** The days; open ends are missing. */
  range: DateRange;
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
  const flags = toFlags(report);
  try {
    assertOwnFolder(report);
    const isPage = content.format === "html";
    const targets = isPage ? [REPORT_TARGET] : toTargets(content.contents ?? [], flags);
    if (isPage) assertPage(content);
    else assertTogether(targets, flags);
    const scope = isPage
      ? reportScope(flags, timezone, nowMs)
      : {
          range: toRange(flags, timezone, nowMs),
          grain: content.grain,
          compare: toComparison(flags),
        };
    const { range = {} } = scope;
    const { from, to } = range;
    const values = {
      account: account ?? undefined,
      report: name,
      ...range,
      period: from === undefined || to === undefined ? undefined : describeRange({ from, to }),
      date: localDate(new Date(nowMs).toISOString(), timezone),
    };
    const { fill, total, raw, spend, top, min_cell: minCell, filter } = content;
    return {
      request: {
        ...toExportBasis(settings),
        ...scope,
        filter: toFilter(flags),
        isEmptyAllowed: filter?.allow_empty,
        ...(fill !== undefined && { fill }),
        ...(total !== undefined && { total }),
        ...(raw !== undefined && { raw }),
        spend: spend ?? (isPage ? "if any" : false),
        ...(top !== undefined && { top }),
        ...(minCell !== undefined && { minCell }),
        ...(!isPage && { format: toFormat(flags) }),
        targets,
        folder: file.resolvePath(expandPattern(folderOf(content, account), values)),
      },
      engine:
        content.engine === undefined
          ? undefined
          : { address: content.engine, targets: toEngineTargets(targets, flags) },
      range,
      values,
      personal: LISTS.filter((list) => targets.some(({ kind }) => kind === list)),
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

/** The flags of `export` and `report` that say the same. */
function toFlags({ content, file }: NamedReport): GivenFlags {
  const { range, filter = {}, conversion = {} } = content;
  const list = (value: string | readonly string[] | undefined) =>
    value === undefined ? undefined : [value].flat();
  return {
    ...range,
    orgUnit: list(filter.org_unit),
    channel: list(filter.channel),
    source: list(filter.source),
    campaign: list(filter.campaign),
    disposition: list(filter.disposition),
    minDuration: filter.min_duration_seconds,
    firstTime: filter.first_time || undefined,
    hasGclid: filter.has_gclid || undefined,
    trackingNumber: list(filter.tracking_number),
    excludeCallers:
      filter.exclude_callers === undefined ? undefined : [file.resolvePath(filter.exclude_callers)],
    includeGone: filter.include_gone || undefined,
    by: content.by,
    raw: content.raw || undefined,
    spend: content.spend || undefined,
    grain: content.grain,
    fill: content.fill || undefined,
    compare: content.compare,
    total: content.total || undefined,
    top: content.top,
    minCell: content.min_cell,
    format: content.format === "html" ? undefined : content.format,
    profile: content.profile,
    delimiter: content.delimiter,
    with: content.with,
    conversionName: conversion.name,
    conversionValue: conversion.value?.toString(),
    currency: conversion.currency,
    adUserData: conversion.ad_user_data,
    adPersonalization: conversion.ad_personalization,
    every: conversion.every || undefined,
    new: conversion.new || undefined,
    measurementId: conversion.measurement_id,
  };
}

/** Else the manifest in it, and files of the same name, would be those of whichever was made last. */
function assertOwnFolder({ name, content, file, account, settings }: NamedReport): void {
  const { reports = {}, accounts = {} } = file.content;
  const all = Object.keys(accounts);
  const own = toPlace(file, name, content, account);
  if (own === resolve(settings.exportDir).toLowerCase()) {
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
  return resolve(file.resolvePath(pattern.replaceAll("{account}", account ?? "{account}"))).toLowerCase();
}

/** The page has figures and columns of its own. */
function assertPage(content: ReportContent): void {
  const unheard = (
    [
      "contents",
      "by",
      "fill",
      "total",
      "raw",
      "top",
      "min_cell",
      "profile",
      "delimiter",
      "with",
      "conversion",
    ] as const
  ).filter((key) => content[key] !== undefined);
  if (unheard.length === 0) return;
  throw new UsageError(`the format html is a page of its own: leave out ${unheard.join(", ")}`);
}

/** Returns an error that says where the report stands whose keys do not do, as the flags of the same names would not. */
export function toReportError({ name, file }: NamedReport, error: unknown): unknown {
  if (!(error instanceof UsageError)) return error;
  return new UsageError(`${file.placeOf(["reports", name])}: ${error.message}`, {
    ...(error.hint !== undefined && { hint: error.hint }),
  });
}
