import { constants } from "node:fs";
import { delimiter, join } from "node:path";
import { attempt, CalltallyError, describeError, problemOf } from "../../base/errors.ts";
import { may } from "../../base/file-access.ts";
import type { Account, Configuration } from "../../config/accounts.ts";
import { readDoorbell } from "../../config/doorbell.ts";
import { readCallersFile } from "../../config/files/callers-file.ts";
import { parseSecretFile, statOf } from "../../config/files/secret-file.ts";
import { inspectSettings } from "../../config/load-settings.ts";
import { parseHookUrl } from "../../reports/delivery/hook-body.ts";
import { toDeliveryTargets } from "../../reports/delivery-targets.ts";
import { planReport } from "../../reports/plan-report.ts";
import { recipientsOf } from "../../reports/recipients.ts";
import { isOfAccount, ofAccount, type ReportOfFile } from "../../reports/report.ts";
import { parseCron } from "../../schedule/cron.ts";
import { checkFolders } from "./check-machine.ts";
import { readMailServer } from "./check-mail.ts";
import { checkFiles, checkSettings } from "./check-settings.ts";

/** Checks the settings of accounts and all of `calltally.yaml`, without sending anything. */
export function checkConfig(
  configuration: Configuration,
  chosen: readonly Account[],
  sources: Account["sources"],
) {
  const { file, accounts } = configuration;
  const problems = [
    ...chosen.flatMap((account) => {
      const { name } = account;
      const ofAccount = checkAccount(account);
      return name === undefined ? ofAccount : ofAccount.map((problem) => `${name}: ${problem}`);
    }),
    ...(file === undefined ? [] : checkFile(file, configuration, sources)),
  ];
  return {
    /** Null if there is no `calltally.yaml`. */
    file: file?.path ?? null,
    accounts: accounts.length,
    reports: Object.keys(file?.content.reports ?? {}).length,
    /** One text each: what is wrong, and what to do about it. */
    problems: [...new Set(problems)], // reports may have problems in common
  };
}

/** Returns what would make an account's syncs and exports fail. */
function checkAccount({ sources }: Account): string[] {
  const inspected = inspectSettings(sources);
  const { settings } = inspected;
  const checks = [
    ...checkSettings(inspected, sources),
    ...checkFiles(settings),
    ...checkFolders(sources.folder, settings.database, settings.exportDir),
  ];
  return checks.filter(({ state }) => state === "fail").map(({ name, message }) => `${name}: ${message}`);
}

/** Returns what is wrong with the reports and the program's own keys. */
function checkFile(file: ReportOfFile["file"], { accounts }: Configuration, sources: Account["sources"]) {
  return [
    ...problemsOf(() => readMailServer(file)),
    ...problemsOf(() => readDoorbell(file)),
    ...checkReports(file, accounts, sources),
  ];
}

/** Where the system looks for programs if PATH is not set, as in cron. */
const DEFAULT_PATH = "/usr/bin:/bin";

/** Returns what would prevent the reports of a file from being made and delivered. */
function checkReports(file: ReportOfFile["file"], accounts: readonly Account[], sources: Account["sources"]) {
  const zones = accounts.map(({ sources }) => inspectSettings(sources).settings.timezone);
  return Object.entries(file.content.reports ?? {}).flatMap(([name, content]) => {
    const report = { name, content, file };
    const problems = [...checkContent(report, zones), ...checkRecipients(report, accounts, sources)];
    if (problems.length > 0) return problems;
    // Accounts share most problems.
    return [...new Set(accounts.flatMap((account) => tryReport(report, account, sources.folder)))];
  });
}

function checkContent({ name, content, file }: ReportOfFile, zones: string[]) {
  const { cron, filter } = content;
  const placeOf = (...path: (string | number)[]) => file.placeOf(["reports", name, ...path]);
  const excluded = [filter?.exclude_callers ?? []].flat();
  const wrongCron = cron && problemOf(() => zones.map((zone) => parseCron(cron, zone)));
  const wrongFile = problemOf(() =>
    excluded.map((path) => readCallersFile(file.resolvePath(path), "filter.exclude_callers")),
  );
  return [
    ...(wrongCron ? [`${placeOf("cron")}: ${cron} is not a cron expression: ${wrongCron}`] : []),
    ...(wrongFile ? [`${placeOf("filter", "exclude_callers")}: ${wrongFile}`] : []),
  ];
}

function checkRecipients(report: ReportOfFile, accounts: readonly Account[], sources: Account["sources"]) {
  const { file } = report;
  const { smtp_url_file: smtp } = file.content;
  const ofReport = accounts.filter((account) => isOfAccount(report, account));
  const problems = ofReport
    .flatMap(({ name = null }) => recipientsOf(report, name))
    .flatMap(({ content: { email, webhook, command }, placeOf }) => [
      ...(email !== undefined && smtp === undefined
        ? [`${placeOf("email")}: there is no smtp_url_file at the top of the file`]
        : []),
      ...problemsOf(() => {
        const place = placeOf("webhook", "url_file");
        if (webhook) parseSecretFile(file.resolvePath(webhook.url_file), place, parseHookUrl);
      }),
      ...(command?.[0] === undefined || isExecutable(command[0], sources)
        ? []
        : [`${placeOf("command", 0)}: there is no program ${command[0]} in the PATH`]),
    ]);
  return [...new Set(problems)]; // accounts share the recipients of the report
}

/** Takes the first steps of making and delivering a report; problems of the account itself are reported elsewhere. */
function tryReport(report: ReportOfFile, account: Account, workingFolder: string): string[] {
  const named = attempt(() => ofAccount(report, account));
  if (named === undefined) return [];
  return problemsOf(() => toDeliveryTargets(named, planReport(named, Date.now()), workingFolder));
}

function isExecutable(program: string, { env, folder }: Account["sources"]): boolean {
  const candidates = program.includes("/")
    ? [join(program.startsWith("/") ? "" : folder, program)]
    : (env.PATH ?? DEFAULT_PATH).split(delimiter).map((path) => join(path, program));
  return candidates.some((path) => may(path, constants.X_OK) && statOf(path)?.isFile());
}

/** Returns what a function throws, with its hint, as text; nothing if it succeeds. */
function problemsOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [
      error instanceof CalltallyError ? `${describeError(error)}. ${error.hint}` : describeError(error),
    ];
  }
}
