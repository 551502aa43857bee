import { describeError } from "../../base/errors.ts";
import { type Program, runProgram } from "../../base/run-program.ts";
import { ALL_SETTINGS } from "../../config/settings.ts";
import type { AttemptContext, AttemptOutcome } from "./attempt.ts";

export const DEFAULT_COMMAND_MS = 600_000;

export type Command = Pick<Program, "program" | "args" | "cwd" | "timeoutMs">;

/** Never retried: nobody knows what it did before it failed. */
export async function runCommand(
  { program, args, cwd, timeoutMs }: Command,
  { signal, claim }: AttemptContext,
): Promise<AttemptOutcome> {
  claim();
  try {
    const env = toBareEnvironment(process.env);
    const { problem, output } = await runProgram({ program, args, cwd, env, timeoutMs }, signal);
    if (problem === undefined) return { kind: "delivered" };
    const error = `${program} ${problem}${output === "" ? "" : `, and wrote last: ${output}`}`;
    return { kind: "refused", error };
  } catch (error) {
    return { kind: "refused", error: describeError(error) };
  }
}

/** The environment of a command: PATH and the like, and calltally's settings without secrets. */
function toBareEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = [
    "PATH",
    "HOME",
    ...ALL_SETTINGS.filter(({ isSecret }) => !isSecret).map((setting) => setting.env),
  ];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
