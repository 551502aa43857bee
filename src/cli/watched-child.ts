import { once } from "node:events";
import { Worker } from "node:worker_threads";
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

/** How often to check whether the parent process still exists. */
const WATCH_MS = 250;

/**
 * Kills this process, even during a statement, when its parent was killed and cannot do so.
 * @returns false if this is not such a child process
 */
export async function watchParent(env: Context["env"]): Promise<boolean> {
  const parent = Number(env[QUERY_PARENT]);
  if (parent !== process.ppid) return false;
  const watch = `setInterval(() => process.ppid === ${parent} || process.kill(process.pid, "SIGKILL"), ${WATCH_MS})`;
  const watcher = new Worker(watch, { eval: true });
  await once(watcher, "online");
  watcher.unref();
  return true;
}
