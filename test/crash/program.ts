import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
  /** It took too long and had to be killed. */
  hung: boolean;
}

export interface ProgramOptions {
  cwd: string;
  /** The whole environment except PATH. */
  env: Readonly<Record<string, string>>;
}

const PATIENCE_MS = 30_000;

/** Runs a program until it ends; a hanging one is killed with all of its processes. */
export async function runProgram(
  [command = "", ...args]: readonly string[],
  { cwd, env }: ProgramOptions,
): Promise<Ended> {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true, // a process group of its own
  });
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, PATIENCE_MS);
  const ended = Promise.withResolvers<Pick<Ended, "code" | "signal">>();
  child.once("error", ended.reject);
  child.once("close", (code, signal) => ended.resolve({ code, signal }));
  try {
    const [stderr, { code, signal }] = await Promise.all([text(child.stderr), ended.promise]);
    return { code, signal, stderr, hung };
  } finally {
    clearTimeout(timer);
  }
}
