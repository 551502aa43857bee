import { constants } from "node:fs";
import { delimiter, join } from "node:path";
import { attempt, CalltallyError, describeError, problemOf } from "../base/errors.ts";
import { may } from "../base/file-access.ts";
import type { Account } from "../config/accounts.ts";
import { readCallersFile } from "../config/callers-file.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import { inspectSettings } from "../config/load-settings.ts";
import { parseSecretFile, statOf } from "../config/secret-file.ts";
import type { SettingSources } from "../config/setting-layers.ts";
import { parseHookUrl } from "../delivery/hook-body.ts";
import { toDeliveryTargets } from "../reports/delivery-targets.ts";
import { planReport } from "../reports/plan-report.ts";
import { ofAccount, type ReportOfFile } from "../reports/report.ts";
import { parseCron } from "../schedule/cron.ts";

/** Where the system looks for programs if PATH is not set, as in cron. */
const DEFAULT_PATH = "/usr/bin:/bin";

/** Returns what would prevent the reports of a file from being made and delivered. */
export function checkReports(
  file: CalltallyFile,
  accounts: readonly Account[],
  sources: SettingSources,
): string[] {
  const zones = accounts.map(({ sources }) => inspectSettings(sources).settings.timezone);
  return Object.entries(file.content.reports ?? {}).flatMap(([name, content]) => {
    const report = { name, content, file };
    const problems = checkContent(report, zones, sources);
    if (problems.length > 0) return problems;
    // Accounts share most problems.
    return [...new Set(accounts.flatMap((account) => tryReport(report, account, sources.folder)))];
  });
}

function checkContent(
  { name, content, file }: ReportOfFile,
  zones: string[],
  sources: SettingSources,
): string[] {
  const { cron, filter, deliver = [] } = content;
  const { smtp_url_file: smtp } = file.content;
  const placeOf = (...path: (string | number)[]) => file.placeOf(["reports", name, ...path]);
  const excluded = [filter?.exclude_callers ?? []].flat();
  const wrongCron = cron && problemOf(() => zones.map((zone) => parseCron(cron, zone)));
  const wrongFile = problemOf(() => excluded.map((path) => readCallersFile(file.resolvePath(path))));
  return [
    ...(wrongCron ? [`${placeOf("cron")}: ${cron} is not a cron expression: ${wrongCron}`] : []),
    ...(wrongFile ? [`${placeOf("filter", "exclude_callers")}: ${wrongFile}`] : []),
    ...deliver.flatMap(({ email, webhook, command }, index) => [
      ...(email !== undefined && smtp === undefined
        ? [`${placeOf("deliver", index, "email")}: there is no smtp_url_file at the top of the file`]
        : []),
      ...problemsOf(() => {
        const place = placeOf("deliver", index, "webhook", "url_file");
        if (webhook) parseSecretFile(file.resolvePath(webhook.url_file), place, parseHookUrl);
      }),
      ...(command?.[0] === undefined || isExecutable(command[0], sources)
        ? []
        : [`${placeOf("deliver", index, "command", 0)}: there is no program ${command[0]} in the PATH`]),
    ]),
  ];
}

/** Takes the first steps of making and delivering a report; problems of the account itself are reported elsewhere. */
function tryReport(report: ReportOfFile, account: Account, workingFolder: string): string[] {
  const named = attempt(() => ofAccount(report, account));
  if (named === undefined) return [];
  return problemsOf(() => toDeliveryTargets(named, planReport(named, Date.now()), workingFolder));
}

function isExecutable(program: string, { env, folder }: SettingSources): boolean {
  const candidates = program.includes("/")
    ? [join(program.startsWith("/") ? "" : folder, program)]
    : (env.PATH ?? DEFAULT_PATH).split(delimiter).map((path) => join(path, program));
  return candidates.some((path) => may(path, constants.X_OK) && statOf(path)?.isFile());
}

/** Returns what a function throws, with its hint, as text; nothing if it succeeds. */
export function problemsOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    const hint = error instanceof CalltallyError ? error.hint : undefined;
    return [hint === undefined ? describeError(error) : `${describeError(error)}. ${hint}`];
  }
}
