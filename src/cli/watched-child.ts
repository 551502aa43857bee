import { watchParent } from "../base/watch-parent.ts";
import { type ChildOptions, type Outcome, runChild } from "../schedule/child-process.ts";
import { type Context, QUERY_PARENT } from "./context.ts";

/**
 * Runs the same command line in a child process, because a running SQL statement ignores signals and ends only with
 * its process. It is killed at the deadline and when the signal aborts.
 * @throws the signal's reason, and the error of a process that cannot be started
 */
export async function runAgain(
  { env, signal }: Pick<Context, "env" | "signal">,
  options: Pick<ChildOptions, "deadlineMs" | "stdio" | "onStart">,
): Promise<Outcome> {
  signal.throwIfAborted();
  const outcome = await runChild(process.argv.slice(1), {
    ...options,
    graceMs: 0,
    signal,
    stopMs: 0,
    env: { ...env, [QUERY_PARENT]: String(process.pid) },
  });
  signal.throwIfAborted();
  if (outcome.error !== null) throw outcome.error;
  return outcome;
}

/**
 * Lets this process end with its parent.
 * @returns false if this is not such a child process
 */
export async function isWatchedChild(env: Context["env"]): Promise<boolean> {
  const parent = Number(env[QUERY_PARENT]);
  if (parent !== process.ppid) return false;
  await watchParent(parent);
  return true;
}
