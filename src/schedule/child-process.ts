import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

export interface ChildOptions {
  /** Time until SIGTERM. */
  deadlineMs: number;
  /** Time until it is killed after that; 0 kills it at once. */
  graceMs: number;
  signal: AbortSignal;
  /** Time until it is killed after the signal aborts; 0 kills it at once. */
  stopMs: number;
  stdio: SpawnOptions["stdio"];
  /** @default that of this process */
  env?: NodeJS.ProcessEnv;
  /** Receives the process when it was started, for its pipes. */
  onStart?: (child: ChildProcess) => void;
}

export interface Outcome {
  /** Null if a signal ended it, or it could not be started. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Whether it reached its deadline. */
  isLate: boolean;
  error: Error | null;
}

/** Runs this Node with `command`; sends SIGTERM at the deadline and when the signal aborts, then kills. */
export async function runChild(command: readonly string[], options: ChildOptions): Promise<Outcome> {
  const { deadlineMs, graceMs, signal, stopMs, onStart, ...spawnOptions } = options;
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, [...process.execArgv, ...command], spawnOptions);
  } catch (cause) {
    // Node may throw, e.g. without memory for another process; the next slot may succeed.
    const error = cause instanceof Error ? cause : new Error(String(cause));
    return { exitCode: null, signal: null, isLate: false, error };
  }
  let isLate = false;
  let killer: NodeJS.Timeout | undefined;
  const end = (graceMs: number) => {
    child.kill(graceMs === 0 ? "SIGKILL" : "SIGTERM");
    killer ??= setTimeout(() => child.kill("SIGKILL"), graceMs);
  };
  const deadline = setTimeout(() => {
    isLate = true;
    end(graceMs);
  }, deadlineMs);
  const stop = () => end(stopMs);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const ended = Promise.withResolvers<Outcome>();
    onStart?.(child);
    child.once("error", (error) => ended.resolve({ exitCode: null, signal: null, isLate, error }));
    child.once("exit", (exitCode, by) => ended.resolve({ exitCode, signal: by, isLate, error: null }));
    return await ended.promise;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(deadline);
    clearTimeout(killer);
    signal.removeEventListener("abort", stop);
  }
}
