import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CalltallyError, describeError } from "../base/errors.ts";
import { type Account, type Configuration, readHeartbeat } from "../config/accounts.ts";
import { readCallersFile } from "../config/callers-file.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import { readDoorbell } from "../config/doorbell.ts";
import type { ReportContent } from "../config/file-schema.ts";
import { inspectSettings } from "../config/inspect-settings.ts";
import { assertPrivate, parseSecretFile } from "../config/secret-file.ts";
import type { SettingSources } from "../config/setting-layers.ts";
import { SETTINGS } from "../config/settings.ts";
import { parseHookUrl } from "../delivery/hook-url.ts";
import { parseSmtpUrl } from "../delivery/smtp-url.ts";
import { toDeliveryTargets } from "../reports/delivery-targets.ts";
import { planReport } from "../reports/plan-report.ts";
import { ofAccount } from "../reports/report.ts";
import { parseCron } from "../schedule/cron.ts";
import { checkFolders } from "./check-machine.ts";
import { checkAliases, checkSettings } from "./check-settings.ts";

/** A sender: a report may name one of its own. */
const ANYBODY = "calls@example.com";

/** Where the system looks for programs when nothing says so, as in cron. */
const DEFAULT_PATH = "/usr/bin:/bin";

export interface CheckedConfig {
  /** Path of `calltally.yaml`; null where there is none. */
  file: string | null;
  /** How many there are. */
  accounts: number;
  reports: number;
  /** What is wrong, and what to do about it, a text each. */
  problems: string[];
}

/** Checks the settings of accounts and all that `calltally.yaml` has, without sending anything. */
export function checkConfig(
  configuration: Configuration,
  chosen: readonly Account[],
  sources: SettingSources,
): CheckedConfig {
  const { file, accounts } = configuration;
  const found = [
    ...chosen.flatMap((account) => {
      const { name } = account;
      const own = checkAccount(account);
      return name === undefined ? own : own.map((problem) => `${name}: ${problem}`);
    }),
    ...(file === undefined ? [] : checkFile(file, configuration, sources)),
  ];
  return {
    file: file?.path ?? null,
    accounts: accounts.length,
    reports: Object.keys(file?.content.reports ?? {}).length,
    problems: [...new Set(found)], // several reports may have one problem in common
  };
}

/** What stands in the way of an account's syncs and exports. */
function checkAccount({ sources, heartbeatFile }: Account): string[] {
  const inspected = inspectSettings(sources);
  const { settings, tokenFile, found } = inspected;
  const place = found.find(({ env }) => env === SETTINGS.tokenFile.env)?.place;
  const secrets = [
    ...(tokenFile === undefined || place === undefined
      ? []
      : problemsOf(() => assertPrivate(tokenFile, place))),
    ...(heartbeatFile === undefined ? [] : problemsOf(() => readHeartbeat(heartbeatFile))),
  ];
  const checks = [
    ...checkSettings(inspected),
    ...checkAliases(settings),
    ...checkFolders(sources.folder, settings.database, settings.exportDir),
  ];
  return [
    ...checks.filter(({ state }) => state === "fail").map(({ name, message }) => `${name}: ${message}`),
    ...secrets,
  ];
}

/** What stands in the way of the reports, and of whatever else only the file has. */
function checkFile(file: CalltallyFile, { accounts }: Configuration, sources: SettingSources): string[] {
  const { smtp_url_file: smtp, reports = {} } = file.content;
  const secret = (path: readonly (string | number)[], name: string, check: (text: string) => unknown) =>
    problemsOf(() => parseSecretFile(file.resolvePath(name), file.placeOf(path), check));
  const zones = accounts.map(({ sources }) => inspectSettings(sources).settings.timezone);
  return [
    ...(smtp === undefined ? [] : secret(["smtp_url_file"], smtp, (text) => parseSmtpUrl(text, ANYBODY))),
    ...problemsOf(() => readDoorbell(file)),
    ...Object.entries(reports).flatMap(([name, report]) => checkReport(name, report)),
  ];

  function checkReport(name: string, content: ReportContent): string[] {
    const { cron, filter, deliver = [] } = content;
    const at = (...path: (string | number)[]) => ["reports", name, ...path];
    const placeOf = (...path: (string | number)[]) => file.placeOf(at(...path));
    const exclude = filter?.exclude_callers;
    const problems = [
      ...(cron === undefined
        ? []
        : problemsOf(() => {
            for (const zone of zones) assertCron(cron, zone, placeOf("cron"));
          })),
      ...(exclude === undefined
        ? []
        : problemsOf(() => {
            try {
              for (const path of [exclude].flat()) readCallersFile(file.resolvePath(path));
            } catch (error) {
              throw new Error(`${placeOf("filter", "exclude_callers")}: ${describeError(error)}`);
            }
          })),
      ...deliver.flatMap(({ email, webhook, command }, index) => [
        ...(email !== undefined && smtp === undefined
          ? [`${placeOf("deliver", index, "email")}: there is no smtp_url_file at the top of the file`]
          : []),
        ...(webhook === undefined
          ? []
          : secret(at("deliver", index, "webhook", "url_file"), webhook.url_file, parseHookUrl)),
        ...(command?.[0] === undefined || isExecutable(command[0], sources)
          ? []
          : [`${placeOf("deliver", index, "command", 0)}: there is no program ${command[0]} in the PATH`]),
      ]),
    ];
    if (problems.length > 0) return problems;
    // Of all accounts it says the same, but for what their names and zones make of it.
    return [...new Set(accounts.flatMap((account) => tryReport({ name, content, file }, account)))];
  }

  /** Does all that making and delivering a report begins with; what is wrong with the account itself is said of that. */
  function tryReport(report: Parameters<typeof ofAccount>[0], account: Account): string[] {
    const [named] = resultsOf(() => ofAccount(report, account));
    if (named === undefined) return [];
    return problemsOf(() => toDeliveryTargets(named, planReport(named, Date.now()), sources.folder));
  }
}

function assertCron(expression: string, timezone: string, place: string): void {
  try {
    parseCron(expression, timezone);
  } catch (error) {
    throw new Error(`${place}: ${expression} is not a cron expression: ${describeError(error)}`);
  }
}

function isExecutable(program: string, { env, folder }: SettingSources): boolean {
  const candidates = program.includes("/")
    ? [join(program.startsWith("/") ? "" : folder, program)]
    : (env.PATH ?? DEFAULT_PATH).split(delimiter).map((path) => join(path, program));
  return candidates.some((path) => {
    try {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  });
}

/** What a piece of work returns; nothing where it goes wrong. */
function resultsOf<T>(work: () => T): T[] {
  try {
    return [work()];
  } catch {
    return [];
  }
}

/** What goes wrong in a piece of work, and what to do about it. */
function problemsOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    const hint = error instanceof CalltallyError ? error.hint : undefined;
    return [hint === undefined ? describeError(error) : `${describeError(error)}. ${hint}`];
  }
}
