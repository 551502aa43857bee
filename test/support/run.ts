import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import pLimit from "p-limit";
import { assertNoSecrets } from "../cli/privacy/secrets.ts";
import { runWarm } from "../cli/warm-pool.ts";
import { DIST } from "./built.ts";
import { LONGEST_MS } from "./enough-time.ts";

/** The built program. */
export const BIN = join(DIST, "bin.js");

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  /** The whole environment, as bare as cron's. */
  env?: Record<string, string>;
  /** Octal. @default that of this process */
  umask?: string | undefined;
  /** The maximum of file descriptors, in a separate process. @default those of this process */
  files?: number;
  /** Time after which `calltally` kills it, milliseconds. @default that of the slowest test */
  deadlineMs?: number;
  /** User and group to run as, if this process is root's. */
  uid?: number | undefined;
  /** Whether `stdout` has the lines of both streams, as on a terminal; not in a separate process. @default false */
  isMerged?: boolean;
}

const { NODE_COMPILE_CACHE: compiled = "" } = process.env;
/** Node's compile cache for tests: see build.ts. */
const COMPILED = { NODE_COMPILE_CACHE: compiled };

/** Starts the built program; `done` rejects if the output has a secret. */
export function startCalltally(
  args: string[],
  { cwd, env = {}, umask, files, uid }: RunOptions,
): ChildProcess & { done: Promise<Finished> } {
  const command = [process.execPath, BIN, ...args];
  const limits = [umask !== undefined && `umask ${umask}`, files !== undefined && `ulimit -n ${files}`];
  const script = [...limits.filter((limit) => limit !== false), 'exec "$0" "$@"'].join("; ");
  const [file = "", ...rest] =
    umask === undefined && files === undefined ? command : ["/bin/sh", "-c", script, ...command];
  const child = spawn(file, rest, {
    cwd,
    env: { ...COMPILED, ...env },
    uid,
    gid: uid,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = new Promise<number | null>((ended, failed) =>
    child.once("close", ended).once("error", failed),
  );
  const done = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
    ([code, stdout, stderr]) => {
      assertNoSecrets({ stdout, stderr }, env);
      return { code, stdout, stderr };
    },
  );
  return Object.assign(child, { done });
}

/** Variables that Node reads only when it starts. */
const OF_NODE = /^(NODE_|UV_|SSL_|LD_|LC_|LANG|TZ)/;

/**
 * Runs the built program until it ends, in a process that may have run other commands; in one of its own if the options
 * require a new process, and always with `CALLTALLY_WARM=0`, as in `npm run test:soak`. A hanging one is
 * killed: its exit code is null. With `CALLTALLY_WARM=here`, as in `npm run test:mutants`, the program runs from src in this
 * process.
 */
export async function calltally(args: string[], options: RunOptions): Promise<Finished> {
  const { cwd, env = {}, umask, uid, isMerged, deadlineMs = LONGEST_MS } = options;
  if (!HAS_PROCESSES) return await runHere(args, options);
  const needsOwn = Object.keys(env).some((name) => OF_NODE.test(name));
  if (needsOwn || process.env.CALLTALLY_WARM === "0") {
    const child = startCalltally(args, options);
    const deadline = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
    return child.done.finally(() => clearTimeout(deadline));
  }
  const { code, ...output } = await runWarm(
    { bin: BIN, uid, compiled, deadlineMs },
    { args, cwd, env: { ...COMPILED, ...env }, umask, isMerged },
  );
  const finished = { code, stdout: toText(output.stdout), stderr: toText(output.stderr) };
  assertNoSecrets(finished, env);
  return finished;
}

const toText = (bytes: Buffer) => new TextDecoder().decode(bytes);

/** Whether commands run in processes; behaviour of separate processes is not tested otherwise. */
export const HAS_PROCESSES = process.env.CALLTALLY_WARM !== "here";

/** The working folder belongs to the whole process. */
const oneAtOnce = pLimit(1);

/** Runs the program from src in the process of the tests, where a mutant is switched on. */
async function runHere(args: string[], { cwd, env = {} }: RunOptions): Promise<Finished> {
  const { runCommand } = await import("../../src/cli/main.ts");
  return await oneAtOnce(async () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const host = { env, cwd: () => cwd, exitCode: undefined, stdout, stderr };
    const outputs = Promise.all([text(stdout), text(stderr)]);
    const folder = process.cwd();
    process.chdir(cwd);
    try {
      await runCommand(args, new AbortController().signal, host);
    } finally {
      process.chdir(folder);
      stdout.end();
      stderr.end();
    }
    const [out, errors] = await outputs;
    return { code: Number(host.exitCode ?? 0), stdout: out, stderr: errors };
  });
}

/** The settings that point the program at a server. */
export function settingsFor({ url, token }: { url: string; token: string }): Record<string, string> {
  return { CALLTALLY_BASE_URL: url, CALLTALLY_TOKEN: token };
}
