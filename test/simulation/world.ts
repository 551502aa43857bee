import { EventEmitter } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import Database from "better-sqlite3";
import { stringify } from "yaml";
import { deriveSeed, seededRandom } from "../../src/sandbox/random.ts";
import { agencySettings, furnish, makeClients } from "./agency/clients.ts";
import { SimulatedCluster } from "./cluster.ts";
import {
  boot,
  now,
  type Process,
  runAs,
  setRestless,
  settle,
  startProcess,
  takeOverNode,
  uptimeMs,
} from "./machine.ts";
import { openMailbox } from "./mailbox.ts";
import { type Responder, Service } from "./service.ts";
import type { Features, Mishap, Ran, World } from "./types.ts";

const TOKEN = "token-of-the-simulation-1";
/** Memory has no waits for files. */
const TEMP = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

let current: Simulated | undefined;
let isTakenOver = false;

interface Simulated extends World, AsyncDisposable {
  readonly lines: readonly string[];
  spawn(args: readonly string[]): unknown;
}

/** Makes a new world; only one at a time, since a process has one clock. */
export async function makeWorld(
  seed: number,
  features: Features,
  {
    inspect,
    ...span
  }: { startMs: number; endMs: number; inspect: (world: World, ran: Ran) => Promise<void> },
): Promise<Simulated> {
  const { runCommand } = await import("../../src/cli/main.ts");
  if (!isTakenOver) takeOverNode((args) => current?.spawn(args));
  isTakenOver = true;
  const folder = mkdtempSync(join(TEMP, "calltally-life-"));
  const working = process.cwd();
  process.chdir(folder);
  const lines: string[] = [];
  const service = new Service({
    now: () => span.startMs + uptimeMs(),
    random: seededRandom(deriveSeed(seed, "service")),
    order: features.order,
    token: TOKEN,
  });
  const mailbox = await openMailbox();
  const cluster = new SimulatedCluster();
  // All accounts have one address: the token decides whose calls are served.
  const serviceOf = (query: ReadonlyMap<string, string>) =>
    world.clients.find((client) => query.get("authorization") === `Bearer ${client.service.token}`)
      ?.service ?? service;
  const respond: Responder = (path, query, body) =>
    path.startsWith("/v3/") ? serviceOf(query).respond(path, query, body) : cluster.respond(query, body);
  boot({ folder, nowMs: span.startMs, seed: deriveSeed(seed, "machine"), respond });
  let stopping: AbortController | undefined;
  let hasBegun = false;
  let schedule: Promise<unknown> | undefined;

  const runIn = async (child: Process, args: readonly string[], signal: AbortSignal): Promise<Ran> => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const host = { env: {}, cwd: () => folder, exitCode: undefined as number | undefined, stdout, stderr };
    const outputs = Promise.all([text(stdout), text(stderr)]);
    const [startedAt, lagged] = [uptimeMs(), service.lagged];
    await runAs(child, () => runCommand([...args], signal, host));
    stdout.end();
    stderr.end();
    const [out, err] = await outputs;
    const code = child.isDead ? undefined : Number(host.exitCode ?? 0);
    const ran = {
      args,
      code,
      stdout: out,
      stderr: err,
      startedAt,
      endedAt: uptimeMs(),
      isKilled: child.isDead,
      isDiskFull: child.fullAt !== undefined,
      hasLagged: service.lagged > lagged,
    };
    if (child.isDaemon) world.log(`the schedule ended: ${code} ${err}`);
    else {
      world.ran.push(ran);
      const took = `after ${child.steps} steps, ${Math.round(ran.endedAt - startedAt)} ms`;
      const line = `${args.join(" ")}: ${code ?? "killed"} ${took} ${err.split("\n", 1)[0]}`;
      world.log(line.replaceAll(folder, "").trimEnd());
      await inspect(world, ran);
    }
    return ran;
  };
  const aim = (child: Process, of: Mishap["of"]) => {
    const at = world.mishaps.findIndex((each) => each.of === of);
    const [mishap] = at === -1 ? [] : world.mishaps.splice(at, 1);
    if (mishap?.kind === "kill") child.killAt = mishap.step;
    if (mishap?.kind === "full disk") child.fullAt = mishap.step;
    if (mishap !== undefined) world.log(`  next: ${mishap.kind} at step ${mishap.step}`);
    return child;
  };

  const world: Simulated = {
    seed,
    lines,
    features,
    clients: [],
    importing: undefined,
    balances: [],
    question: undefined,
    folder,
    ...span,
    service,
    ran: [],
    settings: {},
    rules: {
      qualified_seconds: 60,
      answered: ["answered"],
      missed: ["missed"],
      aliases: {},
      hours: undefined,
    },
    mishaps: [],
    mailbox,
    cluster,
    spend: new Map(),
    jobs: new Map(),
    conversions: new Map(),
    forgotten: new Set(),
    basis: undefined,
    lastRun: 0,
    answered: undefined,
    callsMade: 0,
    jumpedAt: Number.NEGATIVE_INFINITY,
    restored: undefined,
    isBackupOld: false,
    spendOfBackup: undefined,
    jobsOfBackup: undefined,
    thrownAway: undefined,
    value: features.value,
    uptime: uptimeMs,
    counts: new Map(),
    now,
    path: (...names) => join(folder, ...names),
    log: (line) => void lines.push(`${new Date(now()).toISOString()} ${line}`),
    count: (what, by = 1) => void world.counts.set(what, (world.counts.get(what) ?? 0) + by),
    run: async (...args) => {
      await settle();
      const { signal } = new AbortController();
      const first = aim(startProcess(), "operator");
      const ran = await runIn(first, args, signal);
      const isHit = ran.isKilled || (first.fullAt ?? Number.POSITIVE_INFINITY) <= first.steps;
      if (!isHit) return ran;
      world.count("commands run again");
      return await runIn(startProcess(), args, signal);
    },
    read: (sql) => world.readFile("data/calls.db", sql),
    readFile: (name, sql) => {
      const file = join(folder, name);
      if (!existsSync(file)) return [];
      const sqlite = new Database(file, { readonly: true });
      try {
        return sqlite.prepare<[], Record<string, unknown>>(sql).all();
      } finally {
        sqlite.close();
      }
    },
    writeSettings: () => writeFileSync(join(folder, "calltally.yaml"), stringify(world.settings)),
    startSchedule: () => {
      stopping = new AbortController();
      const daemon = startProcess({ isDaemon: true });
      // As the operator does: only the first start may begin a warehouse.
      schedule = runIn(daemon, hasBegun ? ["schedule"] : ["schedule", "--begin"], stopping.signal);
      hasBegun = true;
    },
    stopSchedule: async () => {
      stopping?.abort(new Error("stopped"));
      await schedule;
      await settle();
    },
    spawn: (args) => {
      const child = aim(startProcess(), "schedule");
      const stop = new AbortController();
      const emitter = Object.assign(new EventEmitter(), {
        pid: child.pid,
        kill: () => stop.abort(new Error("stopped")),
      });
      const job = args.slice(args.indexOf("job"));
      const named = job.filter((_, index) => job[index] !== "--run" && job[index - 1] !== "--run");
      runIn(child, named, stop.signal).then(({ code }) => {
        setRestless(code === undefined || code !== 0);
        emitter.emit("exit", code ?? null, code === undefined ? "SIGKILL" : null);
      });
      return emitter;
    },
    [Symbol.asyncDispose]: async () => {
      await world.stopSchedule();
      process.chdir(working);
      if (process.env.KEEP_LIFE === undefined) rmSync(folder, { recursive: true });
    },
  };
  current = world;
  mkdirSync(join(folder, "secrets"));
  const secrets = {
    token: TOKEN,
    smtp: `smtp://127.0.0.1:${mailbox.port}?from=calls@example.com`,
    hook: `http://127.0.0.1:${mailbox.hookPort}/hook`,
  };
  for (const [name, secret] of Object.entries(secrets))
    writeFileSync(join(folder, "secrets", name), `${secret}\n`, { mode: 0o600 });
  if (features.isAgency) {
    Object.assign(world, { clients: makeClients(seed, world) });
    furnish(world.clients);
    Object.assign(world.settings, agencySettings(world.clients));
  } else Object.assign(world.settings, settingsOf(features));
  world.writeSettings();
  return world;
}

function settingsOf({
  syncEveryHours,
  fullEveryHours,
  goneAfterHours,
  limit,
  concurrency,
  timezone,
  publishesAfterSync,
}: Features) {
  return {
    base_url: "http://127.0.0.1:9",
    log_level: "silent",
    jitter_seconds: 0,
    timezone,
    limit,
    concurrency,
    full_every_hours: fullEveryHours,
    gone_after_hours: goneAfterHours,
    sync_cron: `0 */${syncEveryHours} * * *`,
    export_cron: "0 5 * * 3",
    qualified_seconds: 60,
    answered: ["answered"],
    missed: ["missed"],
    smtp_url_file: "secrets/smtp",
    publish: { to: "clickhouse://127.0.0.1:8123/calls", personal_data: true, after_sync: publishesAfterSync },
    reports: {
      weekly: {
        contents: ["channel"],
        range: { last: "1w" },
        cron: "0 7 * * 1",
        deliver: [
          { email: { to: ["one@example.com", "two@example.com"], subject: "Calls, {period}" } },
          { webhook: { url_file: "secrets/hook" } },
        ],
      },
    },
    accounts: { acme: { token_file: "secrets/token", database: "data/calls.db", export_dir: "exports" } },
  };
}
