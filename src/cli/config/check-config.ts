import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Account, type Configuration, readHeartbeat } from "../../config/accounts.ts";
import type { CalltallyFile } from "../../config/calltally-file.ts";
import { readDoorbell } from "../../config/doorbell.ts";
import type { ReportContent } from "../../config/file-schema.ts";
import { inspectSettings } from "../../config/inspect-settings.ts";
import { assertPrivate, readSecretFile } from "../../config/secret-file.ts";
import { SETTINGS } from "../../config/settings.ts";
import { describeError, EXIT, type ExitCode } from "../../errors.ts";
import { parseCron } from "../../schedule/cron.ts";
import { readCallersFile } from "../callers-file.ts";
import { accountsOf, type Context, loadConfiguration } from "../context.ts";
import { checkFolders } from "../doctor/check-machine.ts";
import { checkAliases, checkSettings } from "../doctor/check-settings.ts";
import { formatQuantity } from "../terminal-text.ts";

/** Runs `calltally config check`. */
export async function runConfigCheck(
  context: Context,
  json: boolean,
  exit: (code: ExitCode) => void,
): Promise<void> {
  const configuration = await loadConfiguration(context);
  const { file } = configuration;
  const problems = [
    ...accountsOf(context).flatMap((account) => {
      const { name } = account;
      const own = checkAccount(account);
      return name === undefined ? own : own.map((problem) => `${name}: ${problem}`);
    }),
    ...(file === undefined ? [] : checkFile(file, configuration, context)),
  ];
  const { reports = {} } = file?.content ?? {};
  const counts = {
    accounts: configuration.accounts.length,
    reports: Object.keys(reports).length,
  };
  if (json) context.print(JSON.stringify({ file: file?.path ?? null, ...counts, problems }));
  else {
    for (const problem of problems) context.print(problem);
    const what = `${formatQuantity(counts.accounts, "account")}, ${formatQuantity(counts.reports, "report")}`;
    const end = problems.length === 0 ? "no problem" : formatQuantity(problems.length, "problem");
    context.print(`${file?.name ?? "Without calltally.yaml"}: ${what}: ${end}`);
  }
  if (problems.length > 0) exit(EXIT.usage);
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
function checkFile(file: CalltallyFile, { accounts }: Configuration, context: Context): string[] {
  const { smtp_url_file: smtp, reports = {} } = file.content;
  const secret = (path: readonly (string | number)[], name: string, check: (text: string) => void) =>
    problemsOf(() => {
      const text = readSecretFile(file.resolvePath(name), file.placeOf(path));
      try {
        check(text);
      } catch (error) {
        throw new Error(`${file.placeOf(path)}: ${describeError(error)}`);
      }
    });
  const zones = accounts.map(({ sources }) => inspectSettings(sources).settings.timezone);
  return [
    ...(smtp === undefined ? [] : secret(["smtp_url_file"], smtp, assertSmtpUrl)),
    ...problemsOf(() => readDoorbell(file)),
    ...Object.entries(reports).flatMap(([name, report]) => checkReport(name, report)),
  ];

  function checkReport(name: string, report: ReportContent): string[] {
    const { cron, filter, deliver = [] } = report;
    const at = (...path: (string | number)[]) => ["reports", name, ...path];
    const exclude = filter?.exclude_callers;
    return [
      ...(cron === undefined
        ? []
        : problemsOf(() => {
            for (const zone of zones) assertCron(cron, zone, file.placeOf(at("cron")));
          })),
      ...(exclude === undefined
        ? []
        : problemsOf(() => {
            try {
              readCallersFile(file.resolvePath(exclude));
            } catch (error) {
              throw new Error(`${file.placeOf(at("filter", "exclude_callers"))}: ${describeError(error)}`);
            }
          })),
      ...deliver.flatMap(({ email, webhook, command }, index) => [
        ...(email !== undefined && smtp === undefined
          ? [
              `${file.placeOf(at("deliver", index, "email"))}: there is no smtp_url_file at the top of the file`,
            ]
          : []),
        ...(webhook === undefined
          ? []
          : secret(at("deliver", index, "webhook", "url_file"), webhook.url_file, assertHookUrl)),
        ...(command?.[0] === undefined || isExecutable(command[0], context)
          ? []
          : [
              `${file.placeOf(at("deliver", index, "command", 0))}: there is no program ${command[0]} in the PATH`,
            ]),
      ]),
    ];
  }
}

function assertCron(expression: string, timezone: string, place: string): void {
  try {
    parseCron(expression, timezone);
  } catch (error) {
    throw new Error(`${place}: ${expression} is not a cron expression: ${describeError(error)}`);
  }
}

function assertSmtpUrl(text: string): void {
  const url = URL.parse(text);
  if (url === null || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "") {
    throw new Error("the file does not hold an address such as smtps://user:password@mail.example.com");
  }
}

function assertHookUrl(text: string): void {
  const url = URL.parse(text);
  const isLoopback = url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback)) return;
  throw new Error("the file does not hold an address with https://, or http:// for this machine");
}

function isExecutable(program: string, { env, folder }: Context): boolean {
  const candidates = program.includes("/")
    ? [join(program.startsWith("/") ? "" : folder, program)]
    : (env.PATH ?? "").split(delimiter).map((path) => join(path, program));
  return candidates.some((path) => {
    try {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  });
}

/** What goes wrong in a piece of work. */
function problemsOf(work: () => void): string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [describeError(error)];
  }
}
