import type { CommanderError } from "@commander-js/extra-typings";
import { cannotUse, UsageError } from "../base/errors.ts";
import type { ExpectedFlags } from "./expected-flags.ts";

/** Commander's messages, and how we say what cannot be done, and why; $0 stands for the command. */
const SENTENCES: readonly [pattern: RegExp, verb: "use" | "run", what: string, problem: string][] = [
  [/^option '(--[\w-]+).*?' argument '(.*)' is invalid\. (.*)$/s, "use", "$1 $2", "$3"],
  [/^command-argument value '(.*)' is invalid for argument '.*?'\. (.*)$/s, "use", "$1", "$2"],
  [/^option '(--[\w-]+).*?' argument missing$/, "use", "$1", "its value is missing"],
  [
    /^option '(--[\w-]+).*?' cannot be used with option '(--[\w-]+).*?'$/,
    "use",
    "$1 with $2",
    "only one of them can be given",
  ],
  [/^unknown option '(.*?)'(?:\n\((?<advice>.*)\))?$/s, "use", "$1", "$0 has no such option"],
  [/^unknown command '(.*?)'(?:\n\((?<advice>.*)\))?$/s, "run", "$0 $1", "there is no such command"],
  [
    /^too many arguments(?: for '.*?')?\. Expected (\d+) arguments? but got \d+: (.*)\.$/s,
    "run",
    "$0 with $2",
    "it takes $1 arguments at most",
  ],
  [/^missing required argument '(.*)'$/, "run", "$0", "<$1> is missing"],
  [/^required option '(--[\w-]+).*' not specified$/, "run", "$0", "$1 is missing"],
];

/** Rewords an error of commander like our own errors. */
export function toUsageError(
  { code, message }: CommanderError,
  command: string,
  expected: ExpectedFlags = {},
): UsageError {
  const sentence = message.replace(/^error: /, "");
  const known = SENTENCES.find(([pattern]) => pattern.test(sentence));
  const [pattern, verb, what, problem] = known ?? [/^(.*)$/s, "run", "$0", "$1"];
  const match = pattern.exec(sentence);
  const fill = (template: string, show: (part: string) => string) =>
    template.replace(/\$(\d)/g, (_, index) => (index === "0" ? command : show(match?.[index] ?? "")));
  const flag = code === "commander.unknownOption" ? match?.[1]?.replace(/=.*/s, "") : undefined;
  const hint =
    expected[flag ?? ""] ?? match?.groups?.advice ?? `\`${command} --help\` lists arguments and options.`;
  const why = fill(problem, (part) => part);
  return verb === "use"
    ? cannotUse(fill(what, quoted), why, hint)
    : new UsageError(`Cannot run ${fill(what, quoted)}: ${why}`, { hint });
}

/** Blanks and line breaks would be invisible. */
function quoted(text: string): string {
  return /^[^\s\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text);
}
