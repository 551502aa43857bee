import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { loadSettings } from "../../src/config/load-settings.ts";
import { syncJob } from "../../src/operate/jobs/sync.ts";
import { runDaemon } from "../../src/schedule/daemon.ts";

import { keepLines } from "../support/log-lines.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { openNewWarehouse } from "../support/warehouses/warehouse.ts";
import { writeAtOnce } from "../support/write-at-once.ts";

const SECRET = "a-secret-of-the-doorbell";
const headers = { authorization: `Bearer ${SECRET}` };
/** Ends on request with the given exit code; fails if another one of its account is running. */
const PROGRAM = `const { existsSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
  const { join } = require("node:path");
  const account = process.argv.at(-1);
  const running = join(__dirname, account + ".running");
  writeFileSync(running, "", { flag: "wx" });
  process.on("SIGTERM", () => process.exit(143));
  setInterval(() => {
    const end = join(__dirname, account + ".end");
    if (!existsSync(end)) return;
    const code = Number(readFileSync(end, "utf8"));
    rmSync(end);
    rmSync(running);
    process.exit(code);
  }, 5);`;

/** A schedule of two accounts without overdue jobs, whose syncs have no slots for a long time and end on request. */
function startDaemon({ minMs = 1, account }: { minMs?: number; account?: string } = {}) {
  const folder = makeTempFolder();
  const file = join(folder.path, "program.cjs");
  writeFileSync(file, PROGRAM);
  const settings = loadSettings({ env: { CALLTALLY_SYNC_CRON: "0 0 1 1 *" }, folder: folder.path });
  const accounts = ["acme", "beta"].map((name) => {
    const database = join(folder.path, `${name}.db`);
    openNewWarehouse(database)[Symbol.dispose]();
    return { name, settings: { ...settings, database, jitterSeconds: 0 }, args: [name] };
  });
  const { log, lines } = keepLines();
  const stop = new AbortController();
  const daemon = runDaemon([{ ...syncJob, readLastDone: () => new Date().toISOString() }], {
    accounts,
    log,
    signal: stop.signal,
    listen: { host: "127.0.0.1", port: 0 },
    doorbell: { secret: SECRET, account, minMs },
    program: [file],
  });
  const url = () => String(lines.find(({ doorbell }) => doorbell !== undefined)?.doorbell);
  const count = (name: string, msg: RegExp) =>
    lines.filter((line) => line.account === name && msg.test(line.msg ?? "")).length;
  const until = async (name: string, msg: RegExp, number: number) => {
    while (count(name, msg) < number) await sleep(5);
  };
  const starts = (name: string) => count(name, /^started$/);
  return {
    lines,
    url,
    starts,
    started: (name: string, number: number) => until(name, /^started$/, number),
    /** Lets the run of an account end. */
    end: async (name: string, exitCode = 0) => {
      const ended = lines.filter((line) => line.account === name && "seconds" in line).length;
      while (!readdirSync(folder.path).includes(`${name}.running`)) await sleep(5);
      writeAtOnce(join(folder.path, `${name}.end`), String(exitCode));
      while (lines.filter((line) => line.account === name && "seconds" in line).length === ended)
        await sleep(5);
    },
    isRunning: (name: string) => existsSync(join(folder.path, `${name}.running`)),
    ring: async (name: string) => (await fetch(`${url()}/${name}`, { method: "POST", headers })).status,
    metrics: async () => await (await fetch(url().replace("doorbell", "metrics"))).text(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await daemon;
      folder[Symbol.dispose]();
    },
  };
}

describe("runDaemon with a doorbell", () => {
  it("responds to a storm during a run with exactly one more run, of that account only, and counts it", async () => {
    await using daemon = startDaemon();
    await Promise.all(["acme", "beta"].map((name) => daemon.started(name, 1)));
    await daemon.end("beta");
    const statuses = await Promise.all(Array.from({ length: 200 }, () => daemon.ring("acme")));
    expect(new Set(statuses)).toEqual(new Set([202]));
    expect(daemon.starts("acme")).toBe(1);
    await daemon.end("acme");
    await daemon.started("acme", 2);
    await daemon.end("acme");
    expect(await daemon.ring("nobody")).toBe(404);
    expect(await daemon.ring("")).toBe(404);
    const metrics = await daemon.metrics();
    expect(metrics).toContain('calltally_doorbell_rings_total{account="acme"} 200\n');
    expect(metrics).toContain('calltally_doorbell_rings_total{account="beta"} 0\n');
    expect(metrics).toContain('calltally_doorbell_coalesced_total{account="acme"} 199\n');
    expect(metrics).toContain('calltally_doorbell_refused_total{status="404"} 2\n');
    // Another ring, and its sync is the third: the storm has caused no more.
    await daemon.ring("acme");
    await daemon.started("acme", 3);
    expect([daemon.starts("acme"), daemon.starts("beta")]).toEqual([3, 1]);
    expect(daemon.lines.filter(({ msg }) => msg === "doorbell rang: a sync follows")).toMatchObject([
      { account: "acme" },
      { account: "acme" },
    ]);
  });

  it("repeats a ring whose sync was locked out, and not one whose sync failed", async () => {
    await using daemon = startDaemon();
    await daemon.started("acme", 1);
    await daemon.end("acme", 6);
    await daemon.started("acme", 2);
    await daemon.end("acme", 5);
    await daemon.ring("acme");
    await daemon.started("acme", 3);
    await daemon.end("acme");
    await daemon.end("beta");
    await daemon.ring("beta");
    await daemon.started("beta", 2);
    expect(daemon.starts("acme")).toBe(3);
  });

  it("rings for its single account, even without a name, and for no other", async () => {
    await using daemon = startDaemon({ account: "beta" });
    await daemon.started("beta", 1);
    await daemon.end("beta");
    const { status } = await fetch(daemon.url(), { method: "POST", headers });
    expect([status, await daemon.ring("acme")]).toEqual([202, 404]);
    await daemon.started("beta", 2);
    expect(daemon.starts("acme")).toBe(0);
  });
});

it("runDaemon warns about a doorbell that nothing can ring", async () => {
  using folder = makeTempFolder();
  const settings = loadSettings({ env: {}, folder: folder.path });
  const warned = async (account: string | undefined, isListening: boolean) => {
    const { log, messages } = keepLines();
    const accounts = [{ name: undefined, settings, args: [] }];
    const options = { accounts, log, signal: AbortSignal.abort(), program: [] };
    const listen = isListening ? { host: "127.0.0.1", port: 0 } : undefined;
    await runDaemon([], { ...options, listen, doorbell: { secret: SECRET, account, minMs: 1 } });
    return messages();
  };
  expect(await warned(undefined, false)).toContain("nothing can ring the doorbell without --listen");
  expect(await warned("acme", true)).toContain(
    "the doorbell belongs to an account that is not scheduled here",
  );
  expect(await warned(undefined, true)).toEqual(["listening", "stopped"]);
});
