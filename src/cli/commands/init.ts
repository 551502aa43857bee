import { lstatSync, rmdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { Draft } from "../../base/draft.ts";
import { CalltallyError, codeOf, EXIT, type ExitCode, UsageError } from "../../base/errors.ts";
import { makeFolder, removeFile } from "../../base/folder.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { COMMAND_LINE } from "../../base/text/words.ts";
import { findFile } from "../../config/accounts.ts";
import { nameFrom } from "../../config/calltally-file.ts";
import { inspectSettings } from "../../config/load-settings.ts";
import { assertNoneElsewhere, readConfiguration } from "../../config/read-configuration.ts";
import { ApiError } from "../../service/api/api-errors.ts";
import { fetchAttributionPage } from "../../service/api/attribution-client.ts";
import { ApiClient } from "../../service/api/client.ts";
import { beginWarehouse } from "../../warehouse/file/begin.ts";
import type { Context } from "../context.ts";
import { show } from "../frame.ts";
import { type Access, askAnswers, completeAnswers, type InitFlags, readFlags } from "../init/answers.ts";
import { STARTER_REPORT, toStarterYaml } from "../init/starter-file.ts";

export const command = (context: Context) =>
  new Command("init")
    .description(
      `Writes calltally.yaml and a file for the token, after trying the token with one request. Existing files are never overwritten.
On a terminal, it asks for what the flags leave out. Elsewhere, --base-url, --token-file and --timezone are required.`,
    )
    .option("--base-url <url>", "address of the API, without /v3")
    .option("--token-file <file>", "file that holds the bearer token; - reads it from standard input")
    .option("--timezone <zone>", "IANA time zone of the days in reports, e.g. America/New_York")
    .option("--account <name>", "name of the account; by default, made from the address")
    .option("--offline", "write the files without trying the token")
    .option("--config <file>", "the file to write (CALLTALLY_CONFIG, calltally.yaml)")
    .addHelpText(
      "after",
      `
Examples:
  $ calltally init
  $ calltally init --base-url https://api.example.com --token-file - --timezone America/Chicago < token`,
    )
    .action(async (flags) => await runInit(context, flags));

/** A person waits for it. */
const TIMEOUT_MS = 20_000;

async function runInit(context: Context, flags: InitFlags): Promise<void> {
  const { env, folder, signal, options } = context;
  const target = resolve(folder, findFile(options.config, { env, folder }) ?? "calltally.yaml");
  const name = nameFrom(folder, target);
  assertAbsent(target, name);
  // With them set, no command would accept the file.
  assertNoneElsewhere({ name }, { env, folder });
  const tokenPath = ({ token, account }: Access) =>
    token.file ?? join(dirname(target), "secrets", `${account}.token`);
  const tryAccess = async (access: Access) => {
    const path = tokenPath(access);
    if (access.token.file === undefined) assertAbsent(path, nameFrom(folder, path));
    const total = await countCalls(access, signal);
    return `${access.baseUrl.host} accepts the token; it counts ${formatQuantity(total, "call")}`;
  };
  const fromFlags = await readFlags(flags, context);
  const isOnTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const find = async () => {
    if (isOnTerminal) return await askAnswers(fromFlags, flags.offline ? undefined : tryAccess, signal);
    const answers = completeAnswers(fromFlags);
    if (!flags.offline) show(context, { summary: await tryAccess(answers) });
    return answers;
  };
  const answers = await find().catch((error: unknown) => {
    throw nothingWritten(error);
  });
  const { account, token } = answers;
  const path = tokenPath(answers);
  const yaml = toStarterYaml({ ...answers, tokenFile: nameFrom(dirname(target), path) });
  const files: NewFile[] = [
    ...(token.file === undefined ? [{ path, text: `${token.text}\n`, mode: 0o600 }] : []),
    { path: target, text: yaml, mode: 0o644 }, // last, so that it never names a missing file
  ].map((file) => ({ ...file, name: nameFrom(folder, file.path) }));
  writeNewFiles(files);
  // So that the schedule can be started first: a job begins no warehouse.
  for (const { sources } of readConfiguration(target, { env, folder }).accounts)
    beginWarehouse(inspectSettings(sources).settings.database);
  const flag = options.config === undefined ? "" : ` --config ${options.config}`;
  const steps = [
    [`calltally sync${flag}`, `copy the calls, into data/${account}/calltally.db`],
    [`calltally run ${STARTER_REPORT}${flag}`, `make the report, in reports/${account}/${STARTER_REPORT}`],
    [`calltally schedule${flag}`, "do both on schedule, until stopped"],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  show(context, {
    summary: `${isOnTerminal ? "\n" : ""}Wrote ${files.map((file) => file.name).join(", ")}

Next:
${steps.map(([command, what]) => `  ${command.padEnd(width)}  ${what}`).join("\n")}`,
  });
}

/** Requests two calls. @returns the service's count of calls @throws ApiError */
async function countCalls({ baseUrl, token }: Access, signal: AbortSignal): Promise<number> {
  await using client = new ApiClient({ baseUrl, token: token.text, attemptTimeoutMs: TIMEOUT_MS });
  const page = await fetchAttributionPage(client, { limit: 2, offset: 0 }, { signal, attempts: 1 });
  return page.total;
}

const HINTS: Partial<Record<ExitCode, string>> = {
  [EXIT.unreachable]:
    "Check --base-url and the network; --offline writes the files without trying the token. Nothing was written.",
};

function nothingWritten(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { exitCode, message, cause, isCauseInMessage } = error;
  const hint = error.hintIn({ ...COMMAND_LINE, baseUrl: "--base-url" });
  const known = [EXIT.refused, EXIT.contract].some((code) => code === exitCode)
    ? `${hint} Nothing was written.`
    : "Nothing was written.";
  return new CalltallyError(exitCode, message, { cause, isCauseInMessage, hint: HINTS[exitCode] ?? known });
}

export interface NewFile {
  /** Absolute. */
  path: string;
  /** As errors show it. */
  name: string;
  text: string;
  /** Permissions, before the umask. */
  mode: number;
}

/** @throws UsageError for a path that exists, even as a dangling link */
function assertAbsent(path: string, name: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw existsAlready(name);
}

/**
 * Writes all of the new files or none, each atomically, without replacing any. Folders made for them are for their
 * owner alone.
 * @throws UsageError that names an existing file
 * @throws CalltallyError (exit 7)
 */
export function writeNewFiles(files: readonly NewFile[]): void {
  const undo: (() => void)[] = [];
  try {
    for (const { path, name, text, mode } of files) {
      for (const folder of makeFolder(dirname(path))) undo.push(() => removeEmptyFolder(folder));
      using draft = new Draft(path);
      draft.write(text, mode);
      try {
        draft.add();
      } catch (error) {
        throw codeOf(error) === "EEXIST" ? existsAlready(name) : error;
      }
      undo.push(() => removeFile(path));
    }
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}

/** Another process may have put something into it. */
function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== "ENOTEMPTY") throw error;
  }
}

function existsAlready(name: string): UsageError {
  return new UsageError(`Cannot write ${name}: it already exists; nothing was written`, {
    hint: "calltally init never replaces a file: edit it, or move it away.",
  });
}
