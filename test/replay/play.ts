import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { runWarm } from "../cli/warm-pool.ts";
import { askAssistant } from "./ask-assistant.ts";
import { type Ended, NOW, type Step, splitCommand } from "./case.ts";
import type { Cluster } from "./cluster.ts";
import type { Service } from "./service.ts";

const FROZEN_CLOCK = pathToFileURL(join(import.meta.dirname, "frozen-clock.ts")).href;
const LIBRARY_CALL = join(import.meta.dirname, "library-call.ts");
const DEADLINE_MS = 180_000;

/** Where cases are played, one after the other. */
export interface Stand {
  /** The folder that commands run in; the same for each case and build, because files name it. */
  folder: string;
  service: Service;
  cluster: Cluster | undefined;
}

interface PlayOptions {
  /** Root of a built program. */
  build: string;
  env: Record<string, string>;
  /** Folder for what Node has compiled. */
  compiled: string;
  /** Whether each command has a process of its own, whose peak memory is measured. */
  isCold: boolean;
  onEnded: (ended: Ended) => void;
}

/** Empties the folder of a stand, and copies a fixture there. */
export function setUp({ folder, service }: Stand, fixture: string | undefined): void {
  rmSync(folder, { recursive: true, force: true });
  if (fixture === undefined) mkdirSync(folder, { recursive: true });
  else cpSync(fixture, folder, { recursive: true, preserveTimestamps: true });
  service.listings = new Map();
  service.posts.length = 0;
  service.requests = 0;
}

/** Plays steps in the folder of a stand. */
export async function play(stand: Stand, steps: readonly Step[], options: PlayOptions): Promise<void> {
  const { folder, service } = stand;
  const bin = join(options.build, "dist/bin.js");
  let now: string = NOW;
  service.now = now;
  const run = async (command: string, program: string, args: readonly string[]) => {
    const env = envOf(stand, now, options);
    const ended = await (options.isCold ? runCold : runInPool)(program, args, { ...options, folder, env });
    options.onEnded({ command, ...ended });
  };
  const words = (command: string) => splitCommand(fill(command, stand));
  for (const step of steps) {
    if (typeof step === "string") await run(step, bin, words(step));
    else if ("command" in step) {
      const place = { ...options, folder, env: envOf(stand, now, options) };
      options.onEnded({
        command: step.command,
        ...(await runCold(bin, words(step.command), place, step.input)),
      });
    } else if ("at" in step) {
      now = step.at;
      service.now = now;
    } else if ("serve" in step) service.listings = new Map(Object.entries(step.serve));
    else if ("write" in step) writeFiles(step.write, stand);
    else if ("remove" in step) rmSync(join(folder, step.remove), { recursive: true });
    else if ("drop" in step) await stand.cluster?.drop(step.drop);
    else if ("mcp" in step) {
      const child = spawn(process.execPath, [bin, ...words(step.mcp)], {
        cwd: folder,
        env: envOf(stand, now, options),
        timeout: DEADLINE_MS,
      });
      for (const ended of await askAssistant(child, step.calls)) options.onEnded(ended);
    } else {
      const call = JSON.stringify(step.library);
      await run(call, LIBRARY_CALL, [options.build, fill(call, stand)]);
    }
  }
}

/** Opens a warehouse, and merges its log into the file at the end. */
export function openFile(path: string) {
  const sqlite = new Database(path, { fileMustExist: true });
  return {
    sqlite,
    [Symbol.dispose]: () => {
      sqlite.pragma("wal_checkpoint(TRUNCATE)");
      sqlite.close();
    },
  };
}

/** Puts in the addresses of the service and of the cluster. */
function fill(text: string, { service, cluster }: Stand): string {
  return text
    .replaceAll("SERVICE", service.url)
    .replace(/\b(CLUSTER|FIRST|SECOND)\b/g, (name) => cluster?.addressOf(name) ?? name);
}

function writeFiles(files: Record<string, string>, stand: Stand): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(stand.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, fill(text, stand), { mode: 0o600 });
  }
}

let runs = 0;

function envOf({ folder, service }: Stand, now: string, { env, compiled }: PlayOptions) {
  return {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    LANG: "C.UTF-8",
    TZ: "UTC",
    NODE_OPTIONS: `--import=${FROZEN_CLOCK}`,
    NODE_COMPILE_CACHE: compiled,
    REPLAY_NOW: now,
    REPLAY_PORT: String(service.freePort),
    REPLAY_RUN: String(runs++),
    CALLTALLY_CONCURRENCY: "1",
    ...(env.CALLTALLY_TOKEN !== undefined && { CALLTALLY_BASE_URL: service.url }),
    ...env,
  };
}

interface Place {
  folder: string;
  env: Record<string, string>;
  compiled: string;
}

async function runInPool(bin: string, args: readonly string[], { folder, env, compiled }: Place) {
  const { code, stdout, stderr } = await runWarm(
    { bin, preload: FROZEN_CLOCK, compiled, deadlineMs: DEADLINE_MS },
    { args: [...args], cwd: folder, env },
  );
  return { code, stdout, stderr: stderr.toString() };
}

const TIME = "/usr/bin/time";

async function runCold(bin: string, args: readonly string[], { folder, env }: Place, input = "") {
  const peakFile = `${folder}.peak`;
  const node = [process.execPath, "--max-semi-space-size=8", bin, ...args];
  const [file = "", ...rest] = existsSync(TIME) ? [TIME, "-q", "-f", "%M", "-o", peakFile, ...node] : node;
  const child = spawn(file, rest, { cwd: folder, env, timeout: DEADLINE_MS });
  child.stdin.on("error", () => {}).end(input);
  const closed = new Promise<number | null>((done, failed) =>
    child.once("close", done).once("error", failed),
  );
  const [code, stdout, stderr] = await Promise.all([closed, buffer(child.stdout), buffer(child.stderr)]);
  const peakKb = existsSync(peakFile) ? Number(readFileSync(peakFile, "utf8")) : Number.NaN;
  rmSync(peakFile, { force: true });
  return { code, stdout, stderr: stderr.toString(), ...(peakKb > 0 && { peakKb }) };
}

export const isBuilt = (root: string): boolean => existsSync(join(root, "dist/bin.js"));
