import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Ended, type ProgramOptions, runProgram } from "./program.ts";

/** One system call of a traced program. */
export interface SystemCall {
  thread: string;
  name: string;
  /** The files it names, by path or by descriptor; absolute. */
  paths: string[];
}

/** What strace does to a program. */
export interface Injection {
  /** As in strace(1): `pwrite64:signal=KILL:when=3`. */
  rule: string;
  /** Only calls on these files are counted and hit. */
  paths: readonly string[];
}

export interface Traced extends Ended {
  calls: SystemCall[];
  /** Whether the injection was reached. */
  isHit: boolean;
}

const STRACE = "strace";

/** Calls that change or create files. With `?` strace skips one that this machine's architecture lacks. */
const TRACED = ["pwrite64", "write", "fsync", "fdatasync", "ftruncate", "rename", "unlink", "mkdir", "openat"]
  .concat("renameat", "renameat2", "unlinkat", "mkdirat")
  .map((name) => `?${name}`)
  .join(",");

/** Loaded into the traced program: its temporary files get the same names in each run. */
const COUNTED_NAMES = `
  import crypto from "node:crypto";
  import { syncBuiltinESMExports } from "node:module";
  let count = 0;
  crypto.randomUUID = () => String(++count);
  syncBuiltinESMExports();`;

/** Makes a run equal to the previous one; also with one thread for the file system. */
const REPEATABLE = {
  UV_THREADPOOL_SIZE: "1",
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COUNTED_NAMES)}`,
};

/** Returns why nothing can be traced on this machine; undefined if it can. */
export function whyUntraceable(): string | undefined {
  const { error, status, stderr } = spawnSync(STRACE, ["-f", "-o", "/dev/null", "true"], {
    encoding: "utf8",
  });
  if (error !== undefined) return `strace cannot be started: ${error.message}`;
  return status === 0 ? undefined : `strace cannot trace: ${stderr.trim()}`;
}

/** Runs a program under strace. (Never with --seccomp-bpf, under which injections do not happen.) */
export async function runTraced(
  command: readonly string[],
  { cwd, env }: ProgramOptions,
  injection?: Injection,
): Promise<Traced> {
  using folder = makeTempFolder();
  const log = join(folder.path, "strace.txt");
  const strace = [STRACE, "-f", "-y", "-s", "0", "-o", log, "-e", "signal=none", "-e", `trace=${TRACED}`];
  if (injection) strace.push("-e", `inject=${injection.rule}`);
  for (const path of injection?.paths ?? []) strace.push("-P", path);
  const ended = await runProgram([...strace, ...command], { cwd, env: { ...env, ...REPEATABLE } });
  const lines = readFileSync(log, "utf8").split("\n");
  return {
    ...ended,
    calls: lines.flatMap((line) => parseLine(line) ?? []),
    isHit: (ended.signal === "SIGKILL" && !ended.hung) || lines.some((line) => line.includes("(INJECTED)")),
  };
}

/** `123 fsync(4</a/b>) = 0`; the second half of a call that another thread interrupted has no new information. */
function parseLine(line: string): SystemCall | undefined {
  const [, thread, name, rest] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
  if (thread === undefined || name === undefined || rest === undefined) return undefined;
  const paths = rest.matchAll(/\d<(\/[^>]*?)(?: \(deleted\))?>|"(\/[^"]*)"/g);
  return {
    thread,
    name,
    paths: [...paths].flatMap(([, byDescriptor, byPath]) => byDescriptor ?? byPath ?? []),
  };
}
