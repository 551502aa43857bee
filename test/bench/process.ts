import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import { makeTempFolder } from "../support/temp-folder.ts";

const BIN = resolve(import.meta.dirname, "../../dist/bin.js");
/** The program's first line requires the Node that runs the benchmark. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
/** Makes a Node process print its usage when it ends. */
const TELL_USAGE = `data:text/javascript,${encodeURIComponent(
  "import{writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(process.env.USAGE_FILE,JSON.stringify(process.resourceUsage())))",
)}`;

export interface Measured {
  /** From the start of the process to its end. */
  seconds: number;
  stdout: string;
}

/** The resource usage of a run. */
export interface Usage extends Time {
  /** Peak memory, MB. */
  peakMb: number;
}

export interface Time {
  seconds: number;
  /** Time of all cores. */
  cpuSeconds: number;
}

const stopping = new AbortController();

/** Ends the running processes, and prevents new ones. */
export function stopMeasuring(): void {
  stopping.abort();
}

/** Runs a process until it ends. */
export async function measure(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Measured> {
  const begunMs = performance.now();
  const child = spawn(command, args, {
    env: { PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"],
    signal: stopping.signal,
  });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}: ${stdout}`);
  return { seconds: (performance.now() - begunMs) / 1000, stdout };
}

/** Runs the built program until it ends. */
export async function measureCalltally(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Usage & { stdout: string }> {
  using folder = makeTempFolder();
  const file = join(folder.path, "usage");
  const measured = await measure(BIN, args, {
    ...env,
    NODE_OPTIONS: `--import=${TELL_USAGE}`,
    USAGE_FILE: file,
  });
  const usage: NodeJS.ResourceUsage = JSON.parse(readFileSync(file, "utf8"));
  const cpuSeconds = (usage.userCPUTime + usage.systemCPUTime) / 1e6;
  return { ...measured, cpuSeconds, peakMb: usage.maxRSS / 1024 };
}

/** The same without measuring memory, which takes some time itself. */
export function measureStart(args: readonly string[]): Promise<Measured> {
  return measure(BIN, args);
}

/** Runs one of the floors; returns the duration of its work, without the start of the process. */
export async function measureFloor(name: string, ...args: (string | number)[]): Promise<Time> {
  const script = join(import.meta.dirname, `floor-${name}.ts`);
  using folder = makeTempFolder(); // a stopped one cannot remove its own
  const env = { TMPDIR: folder.path };
  const { stdout } = await measure(process.execPath, [script, ...args.map(String)], env);
  return JSON.parse(stdout);
}

/** A server in another process. */
export interface PageServer extends AsyncDisposable {
  url: string;
  /** Settings that point the program at it. */
  env: Record<string, string>;
}

/** Starts a server of that many prepared calls, which responds after `latencyMs`, and may claim to have more. */
export async function startPageServer(calls: number, latencyMs = 0, total = calls): Promise<PageServer> {
  const script = join(import.meta.dirname, "page-server.ts");
  const child = spawn(process.execPath, [script, ...[calls, latencyMs, total].map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
    signal: stopping.signal,
  });
  const exit = once(child, "exit").catch(() => {}); // it was stopped
  const [url] = await once(createInterface(child.stdout), "line");
  return {
    url: String(url),
    env: { CALLTALLY_BASE_URL: String(url), CALLTALLY_TOKEN: "bench" },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await exit;
    },
  };
}

/** Whether a program is installed for comparison. */
export function isInstalled(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}
