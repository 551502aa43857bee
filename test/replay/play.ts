import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { NOW, type Step, splitCommand } from "./case.ts";
import type { Cluster } from "./cluster.ts";
import type { Service } from "./service.ts";

const FROZEN_CLOCK = pathToFileURL(join(import.meta.dirname, "frozen-clock.ts")).href;
const LIBRARY_CALL = join(import.meta.dirname, "library-call.ts");
const DEADLINE_MS = 180_000;

/** How one command ended. */
export interface Ended {
  command: string;
  /** Null where it hung and was killed. */
  code: number | null;
  stdout: Buffer;
  stderr: string;
}

/** Where cases are played, one after the other. */
export interface Stand {
  /** The folder that commands run in; the same for each case and build, since files name it. */
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
  onEnded: (ended: Ended) => void;
}

/** Empties the folder of a stand, and copies a fixture there. */
export function setUp({ folder, service }: Stand, fixture: string | undefined): void {
  rmSync(folder, { recursive: true, force: true });
  if (fixture === undefined) mkdirSync(folder, { recursive: true });
  else cpSync(fixture, folder, { recursive: true, preserveTimestamps: true });
  service.posts.length = 0;
  service.mails.length = 0;
  service.requests = 0;
}

/** Plays steps in the folder of a stand. */
export async function play(stand: Stand, steps: readonly Step[], options: PlayOptions): Promise<void> {
  const { folder, service } = stand;
  let now: string = NOW;
  service.now = now;
  for (const step of steps) {
    if (typeof step === "string") {
      const args = [join(options.build, "dist/bin.js"), ...splitCommand(filled(step, stand))];
      options.onEnded({ command: step, ...(await run(args, stand, now, options)) });
    } else if ("at" in step) {
      now = step.at;
      service.now = now;
    } else if ("serve" in step) service.listings = new Map(Object.entries(step.serve));
    else if ("write" in step) writeFiles(step.write, stand);
    else if ("remove" in step) rmSync(join(folder, step.remove), { recursive: true });
    else if ("drop" in step) await stand.cluster?.drop(step.drop);
    else if ("sql" in step) {
      using database = opened(join(folder, step.database));
      database.sqlite.exec(step.sql);
    } else {
      const asked = JSON.stringify(step.library);
      const args = [LIBRARY_CALL, options.build, filled(asked, stand)];
      options.onEnded({ command: asked, ...(await run(args, stand, now, options)) });
    }
  }
}

/** Opens a warehouse, and merges its log into the file at the end. */
export function opened(path: string) {
  const sqlite = new Database(path, { fileMustExist: true });
  return {
    sqlite,
    [Symbol.dispose]: () => {
      sqlite.pragma("wal_checkpoint(TRUNCATE)");
      sqlite.close();
    },
  };
}

/** Puts in the addresses of what runs beside the program. */
function filled(text: string, { service, cluster }: Stand): string {
  return text
    .replaceAll("SERVICE", service.url)
    .replaceAll("MAIL", service.mailHost)
    .replace(/\b(CLUSTER|FIRST|SECOND)\b/g, (name) => cluster?.addressOf(name) ?? name);
}

function writeFiles(files: Record<string, string>, stand: Stand): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(stand.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, filled(text, stand), { mode: 0o600 });
  }
}

async function run(args: readonly string[], { folder, service }: Stand, now: string, options: PlayOptions) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      LANG: "C.UTF-8",
      TZ: "UTC",
      NODE_OPTIONS: `--import=${FROZEN_CLOCK}`,
      NODE_COMPILE_CACHE: options.compiled,
      REPLAY_NOW: now,
      REPLAY_PORT: String(service.freePort),
      CALLTALLY_CONCURRENCY: "1",
      ...(options.env.CALLTALLY_TOKEN !== undefined && { CALLTALLY_BASE_URL: service.url }),
      ...spelledFor(options),
    },
  });
  const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  const closed = new Promise<number | null>((done, failed) =>
    child.once("close", done).once("error", failed),
  );
  const [code, stdout, stderr] = await Promise.all([closed, buffer(child.stdout), buffer(child.stderr)]);
  clearTimeout(deadline);
  return { code, stdout, stderr: stderr.toString() };
}

/** Returns the environment with the names that settings have in a build: a few were renamed. */
function spelledFor({ build, env }: PlayOptions): Record<string, string> {
  const isRenamed = readFileSync(join(build, "docs/reference/settings.md"), "utf8").includes(
    "PUBLISH_PASSWORD_FILE",
  );
  if (isRenamed) return env;
  const before = (name: string) => name.replace("PUBLISH_PASSWORD_FILE", "CLICKHOUSE_PASSWORD_FILE");
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [before(name), value]));
}

export const isBuilt = (root: string): boolean => existsSync(join(root, "dist/bin.js"));
