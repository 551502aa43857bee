import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { calltally, type RunOptions, settingsFor, startCalltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { compareDumps, dumpWarehouse } from "./dump.ts";

// However often and wherever `sync` is killed: one complete run leaves what a run leaves that was never killed.

const KILLS = Number(process.env.CALLTALLY_KILLS ?? 10);
const MAX_IN_A_ROW = 4;
const LANES = 2;

const WAREHOUSE = "data/calltally.db";
const NOW = new Date();
const CALLS = { old: 1200, added: 300 };
const LATENCY_MS = 40;
// Two neighbours repeat a page of 100 or less, which would hide a lost one.
const SYNC = ["sync", "--rebind", "--json", "--limit", "150"];

/** The state that the killed runs find. */
interface Start {
  title: string;
  folder: string;
  env?: Record<string, string>;
  /** The number of requests of a sync that is not killed. */
  requests: number;
}

it(`sync has the same calls as the service after ${KILLS} kills`, async () => {
  using temp = makeTempFolder();
  const starts = await makeStarts(temp.path);
  const cwd = join(temp.path, "clean");
  mkdirSync(cwd);
  await using service = await startService();
  await syncToEnd(service, { cwd });
  const clean = dumpWarehouse(join(cwd, WAREHOUSE));
  expect(clean.calls).toHaveLength(CALLS.old + CALLS.added);

  const counts = { rounds: 0, kills: 0, resumed: 0 };
  async function killAndRecover({ title, folder, env = {}, requests }: Start): Promise<void> {
    using work = makeTempFolder();
    cpSync(folder, work.path, { recursive: true });
    await using service = await startService();
    const options = { cwd: work.path, env };
    const inARow = counts.kills < KILLS ? 1 + (counts.rounds % MAX_IN_A_ROW) : 1;
    for (let row = 0; row < inARow; row++) {
      const isKilled = await killSync(service, options, Math.floor(nextFraction() * requests));
      if (isKilled) counts.kills++;
    }
    const warehouse = join(work.path, WAREHOUSE);
    if (existsSync(warehouse)) expect(dumpWarehouse(warehouse).contradictions).toEqual([]);
    const { resumed } = await syncToEnd(service, options);
    if (resumed) counts.resumed++;
    const differences = compareDumps(clean, dumpWarehouse(warehouse));
    expect(differences.slice(0, 5), `${inARow} kills, from ${title}`).toEqual([]);
  }
  // Kills that never fall between two pages would show nothing. That depends on the machine's speed, so at the end first
  // loads are killed one at a time, until two were resumed.
  const areTelling = () => counts.resumed > 1;
  async function lane(): Promise<void> {
    while (counts.kills < KILLS || (!areTelling() && counts.kills < 3 * KILLS)) {
      const start = counts.kills < KILLS ? starts[counts.rounds % starts.length] : starts[0];
      counts.rounds++;
      if (start) await killAndRecover(start);
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(areTelling(), JSON.stringify(counts)).toBe(true);
});

/** Fractions from 0 to 1 of which any few consecutive ones are spread evenly. */
let fraction = 0;
function nextFraction(): number {
  fraction = (fraction + (Math.sqrt(5) - 1) / 2) % 1;
  return fraction;
}

/** Makes the folders from which killed runs start, with a service that has changed since. */
async function makeStarts(folder: string): Promise<Start[]> {
  const at = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };
  const lacking = { title: "a warehouse that lacks the news", folder: at("lacking") };
  const outdated = {
    title: "a warehouse of calls that were edited since, some of them rejected then",
    folder: at("outdated"),
    env: { CALLTALLY_FULL_EVERY_HOURS: "0" },
  };
  await using service = await startSandbox({ calls: CALLS.old, now: NOW, oddTexts: true });
  await syncToEnd(service, { cwd: lacking.folder });
  service.calls.ids.forEach((id, index) => {
    if (index % 3 === 0) service.calls.edit(id, { duration: 1, summary: "as it was" });
    if (index % 3 === 1) service.calls.edit(id, { transcription: undefined });
    if (index % 50 === 0) service.calls.edit(id, { call_started: "soon" });
  });
  const rejecting = await calltally(SYNC, { cwd: outdated.folder, env: settingsFor(service) });
  expect(rejecting).toMatchObject({ code: 3, stderr: "" });
  const starts: Start[] = [];
  for (const start of [{ title: "nothing", folder: at("nothing") }, lacking, outdated]) {
    starts.push({ ...start, requests: await countRequests(start) });
  }
  return starts;
}

/** Counts the requests of a sync that is not killed. */
async function countRequests({ folder, env = {} }: Omit<Start, "requests">): Promise<number> {
  using work = makeTempFolder();
  cpSync(folder, work.path, { recursive: true });
  await using service = await startService();
  await syncToEnd(service, { cwd: work.path, env });
  return service.requests.length;
}

/** Starts the service in its present state; each one has the same calls. */
async function startService(): Promise<Sandbox> {
  const service = await startSandbox({ calls: CALLS.old, now: NOW, latencyMs: LATENCY_MS });
  for (let call = 0; call < CALLS.added; call++) service.calls.insert();
  return service;
}

/** Starts a sync and kills it a moment after some requests; returns whether it was still running. */
async function killSync(
  service: Sandbox,
  options: Required<Pick<RunOptions, "cwd" | "env">>,
  requests: number,
): Promise<boolean> {
  const target = service.requests.length + requests;
  const sync = startCalltally(SYNC, { ...options, env: { ...settingsFor(service), ...options.env } });
  while (service.requests.length < target && sync.exitCode === null) await sleep(1);
  await sleep(Math.random() * (requests === 0 ? 10 : 1) * LATENCY_MS);
  sync.kill("SIGKILL");
  const { code, stderr } = await sync.done;
  expect({ code: code ?? 0, stderr }).toEqual({ code: 0, stderr: "" });
  return code === null;
}

/** Runs a sync that must complete; returns the run. */
async function syncToEnd(service: Sandbox, { cwd, env }: RunOptions): Promise<{ resumed: number | null }> {
  const { code, stdout, stderr } = await calltally(SYNC, { cwd, env: { ...settingsFor(service), ...env } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}
