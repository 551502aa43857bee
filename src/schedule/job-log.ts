import { describeError } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { type Log, openLog } from "../base/log.ts";
import type { Settings } from "../config/load-settings.ts";
import { type Statement, say } from "../export/statements/statements.ts";
import type { Notice } from "../features/notice.ts";
import type { AttributionProgress } from "../warehouse/attribution/attribute-all.ts";

/** Opens the log of some accounts: for people on a terminal (https://no-color.org), for machines elsewhere. */
export function openLogOf(
  accounts: readonly [Settings, ...Settings[]],
  { NO_COLOR }: Readonly<Record<string, string | undefined>>,
): Promise<Log> {
  return openLog({
    level: accounts[0].logLevel,
    style: !process.stderr.isTTY ? "json" : NO_COLOR ? "plain" : "colored",
    secrets: accounts.flatMap(secretsOf),
  });
}

export function secretsOf({ token, heartbeatUrl }: Settings): (string | undefined)[] {
  return [token, heartbeatUrl?.href, heartbeatUrl?.pathname];
}

export function logUncaught(log: Log): void {
  process.once("uncaughtException", (error) => {
    const known = toCalltallyError(error);
    log.fatal({ exitCode: known.exitCode }, describeError(known));
    process.exit(known.exitCode);
  });
}

/** Logs hold no names of visitors: `calltally status` shows them. */
export function logNotice(log: Log): (notice: Notice) => void {
  return ({ logged }) => log.warn(logged, "notice: see calltally status");
}

/** Logs doubts and cautions as warnings. */
export function logStatements(log: Log, statements: readonly Statement[]): void {
  for (const statement of statements) {
    const { level, id, values } = statement;
    log[level === "note" ? "info" : "warn"]({ [level]: id, ...values }, say(statement).text);
  }
}

export function logAttribution(log: Log): (progress: AttributionProgress) => void {
  return ({ read, total }) => {
    if (total > 0 && read === total) log.info({ calls: total }, "attributed again");
  };
}
