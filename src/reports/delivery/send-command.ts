import { type ChildProcess, spawn } from "node:child_process";
import { describeError } from "../../base/errors.ts";
import { toPrintableLines } from "../../base/text/printable.ts";
import { ALL_SETTINGS } from "../../config/settings.ts";
import type { AttemptContext, AttemptOutcome } from "./attempt.ts";

export const DEFAULT_COMMAND_MS = 600_000;
/** Time to end after SIGTERM, and for its output after its end, in milliseconds. */
const [GRACE_MS, DRAIN_MS] = [5000, 500];
const TAIL_LENGTH = 4000;

export interface Command {
  program: string;
  args: readonly string[];
  /** Absolute path of the working folder. */
  cwd: string;
  timeoutMs: number;
}

/** Never retried: nobody knows what it did before it failed. */
export async function runCommand(
  { program, args, cwd, timeoutMs }: Command,
  { signal, claim }: AttemptContext,
): Promise<AttemptOutcome> {
  claim();
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd,
      env: toBareEnvironment(process.env),
      detached: process.platform !== "win32", // a process group, so that its children are stopped, too
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    return { kind: "refused", error: `Cannot start ${program}: ${describeError(error)}` };
  }
  const output = keepTail(child);
  let whyStopped: string | undefined;
  let killer: NodeJS.Timeout | undefined;
  const stop = (why: string) => {
    whyStopped ??= why;
    killGroup(child, "SIGTERM");
    killer ??= setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS);
  };
  const deadline = setTimeout(() => stop(`did not end within ${timeoutMs / 1000} s`), timeoutMs);
  const onAbort = () => stop("was stopped");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const problem = await waitForEnd(child);
    if (problem === undefined && whyStopped === undefined) return { kind: "delivered" };
    const wrote = output();
    const error = `${program} ${whyStopped ?? problem}${wrote === "" ? "" : `, and wrote last: ${wrote}`}`;
    return { kind: "refused", error };
  } catch (error) {
    return { kind: "refused", error: `Cannot start ${program}: ${describeError(error)}` };
  } finally {
    clearTimeout(deadline);
    clearTimeout(killer);
    signal.removeEventListener("abort", onAbort);
    if (whyStopped !== undefined) killGroup(child, "SIGKILL"); // processes that it left behind
  }
}

/** Returns how a process failed, undefined if it did not; rejects if it cannot be started. */
async function waitForEnd(child: ChildProcess): Promise<string | undefined> {
  const ended = Promise.withResolvers<string | undefined>();
  const closed = Promise.withResolvers<void>();
  child.once("error", ended.reject);
  child.once("exit", (exitCode, by) =>
    ended.resolve(exitCode === 0 ? undefined : by === null ? `ended with ${exitCode}` : `was ended by ${by}`),
  );
  child.once("close", () => closed.resolve());
  const problem = await ended.promise;
  // Processes that it started may hold its output open.
  const drained = setTimeout(closed.resolve, DRAIN_MS);
  await closed.promise;
  clearTimeout(drained);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return problem;
}

/** Keeps the last output of a process; returns a function that gives it as printable text. */
function keepTail({ stdout, stderr }: ChildProcess): () => string {
  let tail = "";
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      tail = (tail + text).slice(-TAIL_LENGTH);
    });
  }
  return () => toPrintableLines(tail.trim()).slice(-TAIL_LENGTH);
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has already ended.
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
