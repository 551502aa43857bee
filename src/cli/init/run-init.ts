import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { formatQuantity } from "../../base/quantity-text.ts";
import { findFile } from "../../config/accounts.ts";
import { assertNoneElsewhere } from "../../config/read-configuration.ts";
import type { Context } from "../context.ts";
import { show } from "../frame.ts";
import type { Answers, Given } from "./answers.ts";
import type { InitFlags } from "./declare-init.ts";
import { assertAbsent, type NewFile, writeNewFiles } from "./new-files.ts";
import { completeAnswers, readFlags } from "./read-flags.ts";
import { STARTER_REPORTS, toStarterYaml } from "./starter-file.ts";
import { nothingWritten, tryToken } from "./try-token.ts";

/** Runs `calltally init`. */
export async function runInit(context: Context, flags: InitFlags): Promise<void> {
  const { env, folder } = context;
  const target = resolve(folder, findFile(context.options.config, { env, folder }) ?? "calltally.yaml");
  assertAbsent(target, nameFrom(folder, target));
  // With them set, no command would take the file.
  assertNoneElsewhere({ name: nameFrom(folder, target) }, { env, folder });
  const given = await readFlags(flags, context);
  let answers: Answers;
  try {
    answers = await findAnswers(given, { context, target, offline: flags.offline === true });
  } catch (error) {
    throw nothingWritten(error);
  }
  writeNewFiles(toFiles(answers, target, folder));
  show(context, { summary: describeNext(context, answers, target) });
}

interface Circumstances {
  context: Context;
  /** The file to write. */
  target: string;
  offline: boolean;
}

async function findAnswers(given: Given, { context, target, offline }: Circumstances): Promise<Answers> {
  const { folder, signal } = context;
  const askService = async (baseUrl: URL, token: string) => {
    const total = await tryToken(baseUrl, token, signal);
    return `${baseUrl.host} accepts the token, and counts ${formatQuantity(total, "call")}`;
  };
  const secretFile = (name: string) => join(dirname(target), SECRETS, name);
  if (process.stdin.isTTY && process.stdout.isTTY) {
    const { askAnswers } = await import("./ask-answers.ts");
    const answers = await askAnswers(given, {
      tryToken: offline ? undefined : askService,
      isTaken: (name) => existsSync(secretFile(name)),
      signal,
    });
    show(context, { summary: "" });
    return answers;
  }
  const answers = completeAnswers(given);
  for (const { path, name } of toFiles(answers, target, folder)) assertAbsent(path, name);
  if (!offline) show(context, { summary: await askService(answers.baseUrl, answers.token.text) });
  return answers;
}

/** Folder of the secrets, beside `calltally.yaml`. */
const SECRETS = "secrets";

/** The files to write, `calltally.yaml` last: it never names one that is not there. */
function toFiles(answers: Answers, target: string, workingFolder: string): NewFile[] {
  const { token, smtpUrl, to, ...others } = answers;
  const folder = dirname(target);
  const secrets = [
    { ...token, path: token.file ?? join(folder, SECRETS, `${answers.account}.token`) },
    ...(smtpUrl === undefined
      ? []
      : [{ ...smtpUrl, path: smtpUrl.file ?? join(folder, SECRETS, "smtp.url") }]),
  ];
  const [tokenFile = "", smtpUrlFile] = secrets.map(({ path }) => nameFrom(folder, path));
  const email = smtpUrlFile === undefined ? undefined : { to, smtpUrlFile };
  const files = [
    ...secrets
      .filter(({ file }) => file === undefined)
      .map(({ path, text }) => ({ path, text: `${text}\n`, mode: 0o600 })),
    { path: target, text: toStarterYaml({ ...others, tokenFile, email }), mode: 0o644 },
  ];
  return files.map((file) => ({ ...file, name: nameFrom(workingFolder, file.path) }));
}

/** Says what was written, and what to do with it. */
function describeNext({ options, folder }: Context, answers: Answers, target: string): string {
  const { account, report, out, to } = answers;
  const [first, second] =
    report === "none"
      ? ["export", `write figures as files, in data/${account}/exports`]
      : [
          `run ${STARTER_REPORTS[report].name}${to.length > 0 ? " --deliver" : ""}`,
          `make ${to.length > 0 ? "and mail " : ""}the report, in ${out}/${account}/${STARTER_REPORTS[report].name}`,
        ];
  const flag = options.config === undefined ? "" : ` --config ${options.config}`;
  const steps = [
    [`calltally sync${flag}`, `copy the calls, into data/${account}/calltally.db`],
    [`calltally ${first}${flag}`, second ?? ""],
    [`calltally schedule${flag}`, "do both at their times, until stopped"],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  const written = toFiles(answers, target, folder).map(({ name }) => name);
  return `Wrote ${written.join(", ")}

Next:
${steps.map(([command, what]) => `  ${command.padEnd(width)}  ${what}`).join("\n")}`;
}

/** Returns a path as it is shown, and as the file has it: relative to a folder where it is below that. */
function nameFrom(folder: string, path: string): string {
  const below = relative(folder, path);
  return below.startsWith("..") || isAbsolute(below) ? path : below;
}
