import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import fs from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import Database from "better-sqlite3";
import { type Dispatcher, Pool } from "undici";
import { systemClock } from "../../src/base/clock.ts";
import { type Random, seededRandom } from "../../src/sandbox/random.ts";
import type { Responder } from "./service.ts";

/** A process of the simulated machine: a command line that runs here, with the resources that end with it. */
export interface Process {
  readonly pid: number;
  readonly isDaemon: boolean;
  readonly databases: Set<Database.Database>;
  /** Its steps: requests, sleeps, files, and begins and ends of transactions. */
  steps: number;
  /** The step at which it is killed. @default never */
  killAt?: number | undefined;
  /** The step from which the disk is full. @default never */
  fullAt?: number | undefined;
  isDead: boolean;
}

/** Ends a killed process; everything it does afterwards fails with it, too. */
class Killed extends Error {
  override name = "Killed";
}

const HOUR_MS = 3_600_000;
const running = new AsyncLocalStorage<Process>();
const alive = new Map<number, Process>();
/** The folder of files that a full disk affects. */
let folder = "";
let random: Random = seededRandom(0);
let respond: Responder | undefined;
let elapsedMs = 0;
let wallMs = 0;
let nextPid = 1000;
let jobsRunning = 0;
/** Whether the schedule has something to retry, so that its sleeps are short. */
let isRestless = false;
const sleepers = new Set<{ wakeAtMs: number; wake: () => void }>();

export const now = () => Math.floor(wallMs + elapsedMs);
/** Sets the wall clock; timers do not notice. */
export function jumpClock(ms: number): void {
  wallMs += ms;
}
export function setRestless(value: boolean): void {
  isRestless = value;
}

/** Begins a life: a new machine at a moment, with its disk in a folder. */
export function boot(options: { folder: string; nowMs: number; seed: number; respond: Responder }): void {
  folder = options.folder;
  respond = options.respond;
  random = seededRandom(options.seed);
  [elapsedMs, wallMs, nextPid, jobsRunning] = [0, options.nowMs, 1000, 0];
  alive.clear();
  sleepers.clear();
}

export function startProcess(options: Partial<Process> = {}): Process {
  const process: Process = {
    pid: nextPid++,
    isDaemon: false,
    databases: new Set(),
    steps: 0,
    isDead: false,
    ...options,
  };
  alive.set(process.pid, process);
  return process;
}

/** Runs a function as a process; its connections are closed at the end, as by the operating system. */
export async function runAs<T>(process: Process, work: () => Promise<T>): Promise<T> {
  if (!process.isDaemon) jobsRunning++;
  try {
    return await running.run(process, work);
  } finally {
    if (!process.isDaemon) jobsRunning--;
    alive.delete(process.pid);
    for (const database of process.databases) if (database.open) database.close();
  }
}

/** Lets time pass until a moment of the machine's timers, and wakes sleepers in time. */
export async function passUntil(endMs: number): Promise<void> {
  for (;;) {
    await settle();
    const [next] = [...sleepers].sort((a, b) => a.wakeAtMs - b.wakeAtMs);
    if (next === undefined || next.wakeAtMs > endMs) break;
    elapsedMs = Math.max(elapsedMs, next.wakeAtMs);
    sleepers.delete(next);
    next.wake();
  }
  elapsedMs = Math.max(elapsedMs, endMs);
}

export const uptimeMs = () => elapsedMs;

/** Macrotasks for woken code. */
const TURNS = 4;

/** Waits until every job has ended, and the schedule sleeps. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    await new Promise(setImmediate);
    if (jobsRunning > 0) turn = -1;
  }
}

/** A step of the running process, before or after which it may be killed. */
function step(): Process | undefined {
  const process = running.getStore();
  if (process === undefined) return undefined;
  if (process.isDead) throw new Killed();
  process.steps++;
  if (process.killAt !== undefined && process.steps >= process.killAt) {
    process.isDead = true;
    throw new Killed();
  }
  return process;
}

const isFull = ({ fullAt, steps }: Process) => fullAt !== undefined && steps >= fullAt;

/** A step that writes to the disk. */
function writeStep(path: unknown): void {
  if (typeof path === "string" && !path.startsWith(folder) && path.startsWith("/")) return;
  const process = step();
  if (process !== undefined && isFull(process)) {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      syscall: "write",
    });
  }
}

async function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  const process = step();
  signal?.throwIfAborted();
  if (process?.isDaemon !== true) {
    elapsedMs += delayMs;
    return;
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sleeper = { wakeAtMs: elapsedMs + lengthen(delayMs), wake: resolve };
  sleepers.add(sleeper);
  const stop = () => reject(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await promise;
  } finally {
    sleepers.delete(sleeper);
    signal?.removeEventListener("abort", stop);
  }
}

/** The schedule checks its slots every half minute; all are on the hour, so that it is woken then. */
function lengthen(delayMs: number): number {
  if (delayMs < 30_000) return delayMs;
  const unitMs = isRestless ? HOUR_MS / 12 : HOUR_MS;
  return unitMs - (now() % unitMs);
}

/** Replaces Node's clock, randomness, network, disk and processes with those of this machine. */
export function takeOverNode(spawn: (args: readonly string[]) => unknown): void {
  takeOverClock();
  takeOverRandom();
  takeOverNetwork();
  takeOverDisk();
  takeOverDatabases();
  takeOverProcesses(spawn);
  syncBuiltinESMExports();
}

function takeOverClock(): void {
  const RealDate = Date;
  class VirtualDate extends RealDate {
    constructor(...args: unknown[]) {
      super(...((args.length === 0 ? [now()] : args) as [number]));
    }
    static override now = now;
  }
  Reflect.set(globalThis, "Date", VirtualDate);
  Object.assign(systemClock, { now, sleep });
}

function takeOverRandom(): void {
  const bytes = (count: number) =>
    Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)));
  Object.assign(Math, { random: () => random() });
  Object.assign(crypto, {
    randomBytes: bytes,
    randomInt: (max: number) => Math.floor(random() * max),
    randomUUID: () =>
      bytes(16)
        .toString("hex")
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  });
}

interface Handler {
  onRequestStart(controller: object, context: unknown): void;
  onResponseStart(controller: object, status: number, headers: object, statusText: string): void;
  onResponseData(controller: object, chunk: Buffer): void;
  onResponseEnd(controller: object, trailers: object): void;
  onResponseError(controller: object, error: Error): void;
}

function takeOverNetwork(): void {
  const dispatch = Pool.prototype.dispatch;
  Pool.prototype.dispatch = function (options, handler) {
    if (options.path === "/hook") return dispatch.call(this, options, handler); // its server is real, like that of mails
    answer(String(options.path), options, handler as unknown as Handler);
    return true;
  };
}

function answer(path: string, options: Dispatcher.DispatchOptions, handler: Handler): void {
  const { query = {}, headers } = options;
  const asked = new Map(Object.entries(query).map(([name, value]) => [name, String(value)]));
  asked.set("authorization", String(Reflect.get(headers ?? {}, "authorization")));
  const controller = {
    paused: false,
    aborted: false,
    reason: null,
    pause() {},
    resume() {},
    abort() {},
    rawHeaders: [],
  };
  const process = running.getStore();
  setImmediate(() => {
    handler.onRequestStart(controller, null);
    try {
      const response = running.run(process as Process, () => {
        step();
        return respond?.(path, asked, String(options.body ?? ""));
      });
      if (response === undefined) throw new Error("There is no service");
      elapsedMs += response.tookMs;
      const { status, headers, body, isCut } = response;
      handler.onResponseStart(controller, status, headers, "");
      handler.onResponseData(controller, body);
      if (isCut) throw Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
      handler.onResponseEnd(controller, {});
    } catch (error) {
      handler.onResponseError(controller, error as Error);
    }
  });
}

function takeOverDisk(): void {
  const real = { ...fs };
  /** Functions that write to a path, with the number of that argument. */
  const writers = {
    writeFileSync: 0,
    renameSync: 1,
    linkSync: 1,
    unlinkSync: 0,
    mkdirSync: 0,
    copyFileSync: 1,
  } as const;
  for (const [name, at] of Object.entries(writers)) {
    const work = Reflect.get(real, name) as (...args: unknown[]) => unknown;
    const frees = name === "unlinkSync";
    Reflect.set(fs, name, (...args: unknown[]) => {
      if (running.getStore() !== undefined) frees ? step() : writeStep(args[at]);
      return work(...args);
    });
  }
  fs.fsyncSync = () => void step(); // a power failure is not simulated
  fs.readFileSync = ((path: unknown, ...args: [never]) => {
    const [, pid] = typeof path === "string" ? (/^\/proc\/(\d+)\/stat$/.exec(path) ?? []) : [];
    if (pid === undefined) return real.readFileSync(path as string, ...args);
    if (!alive.has(Number(pid))) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
    return `${pid} (node) ${"S ".repeat(19)}77 `;
  }) as typeof fs.readFileSync;
  const { open, rename, copyFile } = fsPromises;
  Object.assign(fsPromises, {
    rename: async (from: string, to: string) => {
      writeStep(to);
      return await rename(from, to);
    },
    copyFile: async (from: string, to: string) => {
      writeStep(to);
      return await copyFile(from, to);
    },
    open: async (...args: Parameters<typeof open>) => {
      if (args[1] !== undefined && args[1] !== "r") writeStep(args[0]);
      const handle = await open(...args);
      handle.sync = async () => void step();
      return handle;
    },
  });
}

function takeOverDatabases(): void {
  const { exec, pragma, prepare } = Database.prototype;
  const known = new WeakSet<Database.Database>();
  const note = (database: Database.Database) => {
    const process = running.getStore();
    if (process === undefined) return;
    if (process.isDead) throw new Killed();
    if (known.has(database) || database.memory) return; // the cluster has its own
    known.add(database);
    process.databases.add(database);
  };
  Database.prototype.exec = function (sql) {
    if (sql !== "ROLLBACK") {
      note(this);
      if (/^(BEGIN|COMMIT)/.test(sql)) step();
    }
    return exec.call(this, sql);
  };
  Database.prototype.pragma = function (source, options) {
    note(this);
    // The disk keeps what was written: see `fsyncSync`.
    return pragma.call(this, source.startsWith("synchronous") ? "synchronous = OFF" : source, options);
  };
  Database.prototype.prepare = function (this: Database.Database, source: string) {
    note(this);
    return prepare.call(this, source);
  } as typeof prepare;
  const statement = Object.getPrototypeOf(new Database(":memory:").prepare("SELECT 1"));
  const { run } = statement;
  statement.run = function (this: Database.Statement, ...args: unknown[]) {
    if (this.source.startsWith("BEGIN")) fill(this.database, step());
    else if (this.source === "COMMIT") step();
    const result = run.apply(this, args);
    if (this.source === "COMMIT") step();
    return result;
  };
  /** On a full disk no file can grow by a page. */
  const fill = (database: Database.Database, process: Process | undefined) => {
    if (process?.fullAt === undefined) return;
    const pages = isFull(process) ? pragma.call(database, "page_count", { simple: true }) : 1_000_000_000;
    pragma.call(database, `max_page_count = ${pages}`);
  };
}

function takeOverProcesses(spawn: (args: readonly string[]) => unknown): void {
  Object.defineProperty(process, "pid", { get: () => running.getStore()?.pid ?? 1 });
  // A job ends with the standard input that the schedule holds open, and receives signals; here it does neither.
  const input = { once: () => input, resume: () => input, unref: () => input };
  Object.defineProperty(process, "stdin", { get: () => input });
  process.once = () => process;
  const children = process.getBuiltinModule("node:child_process");
  Object.assign(children, { spawn: (_program: string, args: readonly string[]) => spawn(args) });
}
