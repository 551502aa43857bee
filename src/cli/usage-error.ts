import type { CommanderError } from "@commander-js/extra-typings";
import { cannotUse, UsageError } from "../base/errors.ts";

/** What commander says of a command line, what we say of it, and the advice of its own. */
type Rephrase = (command: string, ...parts: string[]) => UsageError;
const SENTENCES: readonly [RegExp, Rephrase][] = [
  [
    /^error: option '(--[\w-]+).*?' argument '(.*)' is invalid\. (.*)$/s,
    (command, flag = "", text = "", problem = "") =>
      cannotUse(`${flag} ${quoted(text)}`, problem, helpOf(command)),
  ],
  [
    /^error: command-argument value '(.*)' is invalid for argument '.*?'\. (.*)$/s,
    (command, text = "", problem = "") => cannotUse(quoted(text), problem, helpOf(command)),
  ],
  [
    /^error: option '(--[\w-]+).*?' argument missing$/,
    (command, flag = "") => cannotUse(flag, "its value is missing", helpOf(command)),
  ],
  [
    /^error: option '(--[\w-]+).*?' cannot be used with option '(--[\w-]+).*?'$/,
    (command, flag = "", other = "") =>
      cannotUse(`${flag} with ${other}`, "only one of them can be given", helpOf(command)),
  ],
  [
    /^error: unknown option '(.*?)'(?:\n\((.*)\))?$/s,
    (command, flag = "", advice = helpOf(command)) =>
      cannotUse(flag, `${command} has no such option`, advice),
  ],
  [
    /^error: unknown command '(.*?)'(?:\n\((.*)\))?$/s,
    (command, name = "", advice = helpOf(command)) =>
      new UsageError(`Cannot run ${command} ${quoted(name)}: there is no such command`, { hint: advice }),
  ],
  [
    /^error: missing required argument '(.*)'$/,
    (command, name = "") =>
      new UsageError(`Cannot run ${command}: <${name}> is missing`, { hint: helpOf(command) }),
  ],
  [
    /^error: required option '(--[\w-]+).*' not specified$/,
    (command, flag = "") =>
      new UsageError(`Cannot run ${command}: ${flag} is missing`, { hint: helpOf(command) }),
  ],
  [
    /^error: (too many arguments).*$/s,
    (command, problem = "") => new UsageError(`Cannot run ${command}: ${problem}`, { hint: helpOf(command) }),
  ],
];

/** Returns what commander refuses about a command line in the words of our own errors. */
export function toUsageError({ message }: CommanderError, command: string): UsageError {
  for (const [pattern, rephrase] of SENTENCES) {
    const [sentence, ...parts] = pattern.exec(message) ?? [];
    if (sentence !== undefined) return rephrase(command, ...parts);
  }
  return new UsageError(`Cannot run ${command}: ${message.replace(/^error: /, "")}`, {
    hint: helpOf(command),
  });
}

function helpOf(command: string): string {
  return `\`${command} --help\` lists arguments and options.`;
}

/** Blanks and line breaks would not be seen. */
function quoted(text: string): string {
  return /^[^\s\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text);
}
