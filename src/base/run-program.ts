import { type ChildProcess, spawn } from "node:child_process";
import { describeError } from "./errors.ts";
import { toPrintableLines } from "./text/printable.ts";

/** Time to end after SIGTERM, and for its output after its end, in milliseconds. */
const [GRACE_MS, DRAIN_MS] = [5000, 500];
const TAIL_LENGTH = 4000;

export interface Program {
  program: string;
  args: readonly string[];
  /** Absolute path of the working folder. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  /** Whether processes that it leaves behind are killed, also when it succeeds. @default false */
  isAlone?: boolean;
}

export interface ProgramEnd {
  /** How it failed, such as `ended with 1`; undefined if it succeeded. */
  problem: string | undefined;
  /** The end of its output, as printable text. */
  output: string;
}

/**
 * Runs a program without a shell and without input. Out of time or aborted, it is stopped with all processes that it
 * started.
 * @throws Error if it cannot be started
 */
export async function runProgram(
  { program, args, cwd, env, timeoutMs, isAlone = false }: Program,
  signal: AbortSignal | undefined,
): Promise<ProgramEnd> {
  const child = start({ program, args, cwd, env });
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
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    const problem = await waitForEnd(child);
    return { problem: whyStopped ?? problem, output: output() };
  } catch (error) {
    throw cannotStart(program, error);
  } finally {
    clearTimeout(deadline);
    clearTimeout(killer);
    signal?.removeEventListener("abort", onAbort);
    if (isAlone || whyStopped !== undefined) killGroup(child, "SIGKILL"); // processes that it left behind
  }
}

function start({ program, args, cwd, env }: Pick<Program, "program" | "args" | "cwd" | "env">): ChildProcess {
  try {
    return spawn(program, args, {
      cwd,
      env,
      detached: process.platform !== "win32", // a process group, so that its children are stopped, too
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    throw cannotStart(program, error);
  }
}

const cannotStart = (program: string, error: unknown) =>
  new Error(`Cannot start ${program}: ${describeError(error)}`);

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
