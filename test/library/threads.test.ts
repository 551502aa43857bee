import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { parseSync } from "oxc-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Warehouse } from "../../src/library/index.ts";
import { DIST } from "../support/built.ts";
import { LONGEST_MS } from "../support/enough-time.ts";
import { LIBRARY, openWarehouse } from "../support/library.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { fillWarehouse } from "../support/warehouses/warehouse.ts";

const folder = makeTempFolder();
const database = join(folder.path, "calls.db");
let warehouse: Warehouse;

/** Takes SQLite a second or more before its first row. */
const SLOW = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)
SELECT count(*) AS n FROM n`;

const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

/** As many as one reply holds, and more. */
const ROWS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";

/** Code that knows the process of the latest query. */
const LATEST_CHILD = `
  const { ChildProcess } = await import("node:child_process");
  const { ref } = ChildProcess.prototype;
  let latestChild;
  ChildProcess.prototype.ref = function () { latestChild = this; return ref.apply(this); };`;

beforeAll(() => {
  const calls = Array.from({ length: 300 }, (_, index) =>
    makeCall({ call_id: index + 1, gclid: `Cj${index}` }),
  );
  fillWarehouse(database, calls);
  warehouse = openWarehouse(database);
});
afterAll(async () => {
  await warehouse[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Runs a program that uses the built library, and returns its output once it has ended by itself. */
function run(code: string): { status: number | null; output: string } {
  const program = `const { openWarehouse, syncWarehouse } = await import(${JSON.stringify(pathToFileURL(LIBRARY))});
const database = ${JSON.stringify(database)};
${code}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    timeout: LONGEST_MS,
  });
  return { status, output: stdout + stderr };
}

describe("an open warehouse", () => {
  it("does not block the event loop while SQLite works", async () => {
    await warehouse.readBasis();
    let longestMs = 0;
    let before = process.threadCpuUsage();
    // Of the processor, so that a busy machine is no failure.
    const timer = setInterval(() => {
      const { user, system } = process.threadCpuUsage(before);
      longestMs = Math.max(longestMs, (user + system) / 1000);
      before = process.threadCpuUsage();
    }, 1);
    const [row] = await Array.fromAsync(warehouse.query(SLOW));
    expect(row).toEqual({ n: 3_000_000 });
    const { rows } = await warehouse.rollup({ by: ["gclid"] });
    expect(rows).toHaveLength(300);
    await setTimeout(20);
    clearInterval(timer);
    // As long as SQLite takes here, or less than a quarter of it: however fast the machine is.
    const sqlite = new Database(":memory:");
    const started = process.threadCpuUsage();
    expect(sqlite.prepare(SLOW).get()).toEqual({ n: 3_000_000 });
    const { user, system } = process.threadCpuUsage(started);
    sqlite.close();
    expect(longestMs).toBeLessThan((user + system) / 1000 / 4);
  });

  it("ends what its signal aborts with its reason, and goes on answering", async () => {
    const stop = new AbortController();
    const enough = new Error("enough");
    const slow = warehouse.query(SLOW, [], { signal: stop.signal }).next();
    const rollup = warehouse.rollup({ by: ["gclid"] }, { signal: stop.signal });
    const export_ = warehouse.export(join(folder.path, "out"), {}, { signal: stop.signal });
    const free = warehouse.rollup({ by: [] });
    const results = Promise.allSettled([slow, rollup, export_]);
    stop.abort(enough);
    expect(await results).toEqual(Array(3).fill({ status: "rejected", reason: enough }));
    expect(existsSync(join(folder.path, "out", "manifest.json"))).toBe(false);
    expect((await free).rows).toMatchObject([{ calls: 300 }]);
    const again = warehouse.rollup({ by: [] }, { signal: stop.signal });
    await expect(again).rejects.toBe(enough);
  });

  it("rejects what waits if its thread crashes, and starts another for what is asked next", async () => {
    const crash = run(`
      const warehouse = openWarehouse(database);
      const { Worker } = await import("node:worker_threads");
      const { postMessage } = Worker.prototype;
      let thread;
      Worker.prototype.postMessage = function (...args) { thread = this; return postMessage.apply(this, args); };
      await warehouse.readBasis();
      const slow = warehouse.query(${JSON.stringify(SLOW)}).next();
      thread.terminate();
      console.log(await slow.catch(({ message }) => message));
      console.log((await warehouse.readBasis()).calls);`);
    expect(crash).toEqual({ status: 0, output: "The thread of calltally has ended\n300\n" });
  });

  it("rejects a query whose process is killed, and starts another for the next query", () => {
    const killed = run(`${LATEST_CHILD}
      const warehouse = openWarehouse(database);
      const { signal } = new AbortController();
      const endless = warehouse.query(${JSON.stringify(ENDLESS)}, [], { signal }).next();
      latestChild.kill("SIGTERM");
      console.log(await endless.catch(({ message }) => message));
      console.log((await warehouse.query("SELECT 7 AS a", [], { signal }).next()).value.a);`);
    expect(killed).toEqual({ status: 0, output: "The process of the query has ended (SIGTERM)\n7\n" });
  });

  it.each([
    ["its signal aborts", "stop.abort()", "AbortError"],
    ["the warehouse is closed", "warehouse[Symbol.dispose]()", "UsageError"],
    ["its reader leaves", "await rows.return()", "no more rows"],
  ])("kills the process of a query between two rows when %s", (_, end, next) => {
    const left = run(`${LATEST_CHILD}
      const warehouse = openWarehouse(database);
      const stop = new AbortController();
      const rows = warehouse.query(${JSON.stringify(ROWS)}, [], { signal: stop.signal });
      console.log((await rows.next()).value.i);
      const ended = new Promise((resolve) => latestChild.once("exit", (_, by) => resolve(by)));
      ${end};
      latestChild.ref();
      console.log(await ended);
      const all = async () => { for await (const _ of rows); return "no more rows"; };
      console.log(await all().catch(({ name }) => name));`);
    expect(left).toEqual({ status: 0, output: `1\nSIGKILL\n${next}\n` });
  });

  it("keeps its process alive while it works, and not when idle, even if it was not disposed of", () => {
    const idle = run(`
      const warehouse = openWarehouse(database);
      warehouse.rollup({ by: [] }).then(async ({ rows }) => {
        console.log(rows[0].calls);
        console.log((await warehouse.calls().next()).value.call_id);
      });`);
    expect(idle).toEqual({ status: 0, output: "300\n1\n" });
  });

  it("ends an endless query with its signal, answers meanwhile, and lets its process end", () => {
    const endless = run(`
      const warehouse = openWarehouse(database);
      const signal = AbortSignal.timeout(500);
      const rows = warehouse.query(${JSON.stringify(ENDLESS)}, [], { signal });
      const ended = rows.next().catch(({ name }) => name);
      console.log((await warehouse.readBasis()).calls);
      console.log(await ended);
      const some = warehouse.query("SELECT ? AS a UNION ALL SELECT 2", [1n], { signal: new AbortController().signal });
      console.log((await some.next()).value.a);
      const waiting = warehouse.query(${JSON.stringify(ENDLESS)}, [], { signal: new AbortController().signal }).next();
      setTimeout(() => warehouse[Symbol.dispose](), 300);
      console.log(await waiting.catch(({ message }) => message.replace(/ .* it/, " it")));`);
    expect(endless).toEqual({ status: 0, output: "300\nTimeoutError\n1\nCannot it is closed\n" });
  });
});

/** Returns the packages that a script of the build loads as it starts, also through its chunks, and its bytes. */
function loadedBy(script: string): { packages: string[]; bytes: number } {
  const packages = new Set<string>();
  const scripts = new Map<string, number>();
  const visit = (file: string) => {
    if (scripts.has(file)) return;
    const source = readFileSync(join(DIST, file), "utf8");
    scripts.set(file, source.length);
    const { staticImports, staticExports } = parseSync(file, source).module;
    const requests = [
      ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
    ];
    for (const request of requests) {
      if (request.startsWith("./")) visit(request.slice(2));
      else if (!isBuiltin(request)) packages.add(request);
    }
  };
  visit(script);
  return { packages: [...packages].sort(), bytes: [...scripts.values()].reduce((sum, bytes) => sum + bytes) };
}

describe("the built library", () => {
  it("loads neither mail, prompts, assistants, servers nor the command line", () => {
    const [library, reader, syncer] = ["index", "read-worker", "sync-worker"].map((name) =>
      loadedBy(`${name}.js`),
    );
    expect([library?.packages, reader?.packages, syncer?.packages]).toEqual([
      ["better-sqlite3", "fastest-levenshtein", "temporal-polyfill"],
      [
        "better-sqlite3",
        "csv-parse/sync",
        "csv-stringify/sync",
        "fastest-levenshtein",
        "p-limit",
        "temporal-polyfill",
      ],
      ["better-sqlite3", "csv-parse/sync", "fastest-levenshtein", "p-limit", "temporal-polyfill", "undici"],
    ]);
    // Of each, zod is 750 kB.
    expect(library?.bytes).toBeLessThan(1_200_000);
    expect(Math.max(reader?.bytes ?? 0, syncer?.bytes ?? 0)).toBeLessThan(1_600_000);
  });
});
