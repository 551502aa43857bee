import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/base/errors.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { JOBS } from "../../src/operate/jobs/all.ts";
import { type DaemonOptions, runDaemon } from "../../src/schedule/daemon.ts";
import type { Job } from "../../src/schedule/job-definition.ts";
import { keepLines } from "../support/log-lines.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { openNewWarehouse } from "../support/warehouses/warehouse.ts";

/** A program that does nothing and never ends. */
const HANG = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";

/** A daemon whose program has these lines, which may write into the file `noted`. */
function makeScene(program: string, env: Record<string, string> = {}) {
  const folder = makeTempFolder();
  const [file, noted] = ["program.cjs", "noted"].map((name) => join(folder.path, name)) as [string, string];
  const head = 'const { appendFileSync, existsSync, readFileSync } = require("node:fs");';
  writeFileSync(file, `${head} const noted = ${JSON.stringify(noted)}; ${program}`);
  const database = join(folder.path, "calls.db");
  openNewWarehouse(database)[Symbol.dispose]();
  const settings = { ...loadSettings({ env, folder: folder.path }), database, jitterSeconds: 0 };
  const kept = keepLines();
  const stop = new AbortController();
  const ends = () => kept.lines.filter((line) => "seconds" in line);
  const run = (jobs: readonly Job[], options: Partial<DaemonOptions> = {}) =>
    runDaemon(jobs, {
      accounts: [{ name: undefined, settings, args: [] }],
      log: kept.log,
      signal: stop.signal,
      listen: undefined,
      program: [file],
      ...options,
    });
  return {
    ...kept,
    settings,
    stop,
    run,
    ends,
    path: folder.path,
    read: () => (existsSync(noted) ? readFileSync(noted, "utf8") : ""),
    /** Runs the jobs until that many processes have ended. */
    runUntil: async (count: number, ...args: Parameters<typeof run>) => {
      const daemon = run(...args);
      while (ends().length < count) await sleep(20);
      stop.abort();
      await daemon;
      return ends().slice(0, count);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const EVERY_SECOND = { CALLTALLY_SYNC_CRON: "* * * * * *" };
const SYNC = JOBS.filter(({ name }) => name === "sync");

const report = (cron: string, more: Partial<Job>): Job => ({
  name: "report",
  cron: () => cron,
  cronSetting: "",
  isSync: false,
  readLastDone: () => null,
  run: async () => EXIT.done,
  ...more,
});

describe("runDaemon", () => {
  it("starts the program for each run, with a run id that is also in its log lines", async () => {
    using scene = makeScene('appendFileSync(noted, process.argv.slice(2).join(" ") + "\\n");', EVERY_SECOND);
    const ends = await scene.runUntil(2, SYNC);
    const started = scene.read().split("\n").slice(0, 2);
    const runs = started.map((args) => /^job sync --run ([0-9a-f]{8})$/.exec(args)?.[1]);
    expect(new Set(runs).size).toBe(2);
    expect(ends.map(({ run }) => run)).toEqual(runs);
    expect(scene.lines.every(({ run }) => typeof run === "string")).toBe(true);
  });

  it("survives a job that crashes in any way, and continues with the next slot", async () => {
    using scene = makeScene(
      `const turn = existsSync(noted) ? readFileSync(noted, "utf8").length : 0;
      appendFileSync(noted, "x");
      if (turn === 0) process.abort();
      if (turn === 1) process.kill(process.pid, "SIGKILL");
      if (turn === 2) throw new Error("uncaught");
      if (turn === 3) process.exit(5);`,
      EVERY_SECOND,
    );
    const ends = await scene.runUntil(5, SYNC);
    expect(ends.map(({ level, exitCode, killedBy, msg }) => [level, exitCode ?? killedBy, msg])).toEqual([
      [50, "SIGABRT", "killed by SIGABRT"],
      [50, "SIGKILL", "killed by SIGKILL"],
      [50, 1, "failed with exit code 1"],
      [40, 5, "the API is unreachable or failing: next slot"],
      [30, 0, "done"],
    ]);
  });

  it.each([
    { asksHost: true, order: "+-+-" },
    { asksHost: false, order: "++--" },
  ])(
    "runs other jobs during the sync only within the limit of their host: $asksHost",
    async ({ asksHost, order }) => {
      // If both run at the same time, each waits for the other.
      using scene = makeScene(
        `appendFileSync(noted, "+");
        const isOver = () => ${asksHost} || readFileSync(noted, "utf8").startsWith("++");
        setInterval(() => isOver() && (appendFileSync(noted, "-"), process.exit()), 20);`,
        { CALLTALLY_BASE_URL: "http://127.0.0.1:9" },
      );
      const { settings, path } = scene;
      await scene.runUntil(2, [report("0 0 1 1 *", { asksHost })], {
        accounts: ["a", "b"].map((name) => {
          return { name, settings: { ...settings, database: join(path, `${name}.db`) }, args: [] };
        }),
        hostRequests: settings.concurrency,
      });
      expect(scene.read()).toBe(order);
    },
  );

  it.each([
    { title: "a signal ended it", end: 'process.kill(process.pid, "SIGKILL")', leaves: false, starts: 2 },
    { title: "it left work unfinished", end: "process.exit(9)", leaves: true, starts: 2 },
    { title: "it failed", end: "process.exit(9)", leaves: false, starts: 1 },
    { title: "it was late", end: HANG, leaves: true, starts: 1 },
  ])("retries a job five minutes later, or not: $title", async ({ title, end, leaves, starts }) => {
    using scene = makeScene(end);
    const { stop } = scene;
    scene.settings.jobMinutes = end === HANG ? 1 / 120 : 60;
    let sleptMs = 0;
    await scene.run([report("0 0 29 2 *", { isUnfinished: () => leaves })], {
      clock: {
        now: () => Date.now() + sleptMs,
        // Ten minutes pass in one step, in which nothing else is due.
        sleep: async (delayMs) => {
          sleptMs += delayMs;
          if (sleptMs > 600_000) stop.abort();
          stop.signal.throwIfAborted();
        },
      },
    });
    expect(scene.messages().filter((message) => message === "started")).toHaveLength(starts);
    const late = "stopped at its deadline (setting job_minutes)";
    expect(scene.messages().includes(late)).toBe(title === "it was late");
  });
});
