import type { DateRange } from "../calendar/dates.ts";
import { localDate } from "../calendar/local-time.ts";
import { periods } from "../calendar/periods.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import type { ReportContent } from "../config/file-schema.ts";
import type { Settings } from "../config/load-settings.ts";
import { readSecretFile } from "../config/secret-file.ts";
import type { DeliveryTarget } from "../delivery/delivery-target.ts";
import { parseHookUrl } from "../delivery/hook-url.ts";
import { expandPattern, type PlaceholderValues } from "../delivery/placeholders.ts";
import { isMailAddress, parseSmtpUrl } from "../delivery/smtp-url.ts";
import { describeError, UsageError } from "../errors.ts";
import type { FolderExportOptions, Target } from "../export/write-export.ts";
import {
  assertTogether,
  type GivenFlags,
  toComparison,
  toFilter,
  toFormat,
  toRange,
  toTargets,
} from "./export-flags.ts";
import { DEFAULT_STRETCH } from "./report-defaults.ts";
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
  request: Omit<FolderExportOptions, "signal" | "onAttributed" | "clock">;
  /** The days; open ends are missing. */
  range: DateRange;
  /** What stands for the placeholders of subjects and commands. */
  values: PlaceholderValues;
  /** Whether the files name people, or give access to what they said. */
  isPersonal: boolean;
}

/**
 * Returns what a report of an account consists of.
 *
 * @param nowMs the moment that its days are counted from: when it was due, milliseconds since 1970-01-01 UTC
 * @throws UsageError that names the report, for what does not go together
 */
export function planReport(report: NamedReport, nowMs: number): ReportPlan {
  const { name, content, file, account, settings } = report;
  const { database, timezone, lookbackHours } = settings;
  const flags = toFlags(report);
  return named(report, () => {
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
    const values = {
      account: account ?? undefined,
      report: name,
      ...range,
      period: periodOf(content, range, timezone),
      date: localDate(new Date(nowMs).toISOString(), timezone),
    };
    const pattern = content.folder ?? (account === null ? "reports/{report}" : "reports/{account}/{report}");
    const { fill, total, raw, spend, top, filter } = content;
    return {
      request: {
        database,
        timezone,
        lookbackHours,
        rules: readAttributionRules(settings),
        ...scope,
        filter: toFilter(flags),
        isEmptyAllowed: filter?.allow_empty,
        ...(fill !== undefined && { fill }),
        ...(total !== undefined && { total }),
        ...(raw !== undefined && { raw }),
        spend: spend ?? (isPage ? "if any" : false),
        ...(top !== undefined && { top }),
        ...(!isPage && { format: toFormat(flags) }),
        targets,
        folder: file.resolvePath(expandPattern(pattern, values)),
      },
      range,
      values,
      isPersonal: targets.some(namesPeople),
    };
  });
}

/**
 * Returns whom a report goes to.
 *
 * @throws UsageError that names the place of a secret that cannot be used
 */
export function toDeliveryTargets(
  { name, content, file }: NamedReport,
  { values, isPersonal }: Pick<ReportPlan, "values" | "isPersonal">,
  workingFolder: string,
): DeliveryTarget[] {
  const { deliver = [] } = content;
  const { smtp_url_file: smtpFile } = file.content;
  const read = <T>(path: string, place: string, parse: (text: string) => T): T => {
    const text = readSecretFile(file.resolvePath(path), place);
    try {
      return parse(text);
    } catch (error) {
      throw new UsageError(`${place}: the text in this file ${describeError(error)}`);
    }
  };
  return deliver.flatMap(({ email, webhook, command }, index): DeliveryTarget[] => {
    const placeOf = (...path: string[]) => file.placeOf(["reports", name, "deliver", index, ...path]);
    if (email !== undefined) {
      if (smtpFile === undefined) {
        throw new UsageError(`${placeOf("email")}: there is no smtp_url_file at the top of the file`);
      }
      const odd = email.to.find((address) => !isMailAddress(address));
      if (odd !== undefined) {
        throw new UsageError(
          `${placeOf("email", "to")}: ${JSON.stringify(odd)} is not one plain mail address`,
        );
      }
      if (isPersonal && !content.personal_data) {
        throw new UsageError(
          `${placeOf("email")}: the files name people: they are not mailed unless asked for`,
          {
            hint: "Leave out what names them, or set personal_data: true in the report.",
          },
        );
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
  };
}

/** Else the manifest in it, and files of the same name, would be those of whichever was made last. */
function assertOwnFolder({ name, content: { folder }, file, account }: NamedReport): void {
  if (folder === undefined || folder.includes("{report}")) return;
  const isOfAccount = (accounts: readonly string[] | undefined) =>
    accounts === undefined || (account !== null && accounts.includes(account));
  const other = Object.entries(file.content.reports ?? {}).find(
    ([each, content]) => each !== name && content.folder === folder && isOfAccount(content.accounts),
  );
  if (other === undefined) return;
  throw new UsageError(`the folder ${folder} is that of the report ${other[0]} as well`, {
    hint: "Give each report a folder of its own, such as with {report} in it.",
  });
}

/** The page has figures and columns of its own. */
function assertPage(content: ReportContent): void {
  const unheard = (
    ["contents", "by", "fill", "total", "raw", "top", "profile", "delimiter", "with", "conversion"] as const
  ).filter((key) => content[key] !== undefined);
  if (unheard.length === 0) return;
  throw new UsageError(`the format html is a page of its own: leave out ${unheard.join(", ")}`);
}

function namesPeople(target: Target): boolean {
  return target.kind === "google-leads" || (target.kind === "calls" && target.with.length > 0);
}

/** The last period of the days, by the grain or else by what they are counted in; without one, the first and last day. */
function periodOf(
  { grain, range: { last } = {}, format }: ReportContent,
  range: DateRange,
  zone: string,
): string | undefined {
  const { from, to } = range;
  if (from === undefined || to === undefined) return undefined;
  const counted = last ?? (format === "html" ? DEFAULT_STRETCH : "");
  const unit =
    grain ??
    (/w$/.test(counted) ? "week" : /m$|month/.test(counted) ? "month" : from === to ? "day" : undefined);
  return unit === undefined ? `${from} to ${to}` : periods({ from, to, grain: unit, zone }).at(-1)?.period;
}

/** Says of an error which report it is about. */
function named<T>({ name, file }: NamedReport, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${file.placeOf(["reports", name])}: ${error.message}`, {
      ...(error.hint !== undefined && { hint: error.hint }),
    });
  }
}
