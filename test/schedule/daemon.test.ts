import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/base/errors.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { JOBS } from "../../src/jobs/all.ts";
import { runDaemon } from "../../src/schedule/daemon.ts";
import { openReader, openWarehouse } from "../../src/warehouse/open.ts";
import { readJobs } from "../../src/warehouse/runs/job-table.ts";
import { withEnoughTime } from "../support/enough-time.ts";
import { keepLines } from "../support/log-lines.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/** A program that does nothing and never ends. */
const HANG = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";

/**
 * Runs the daemon with a program of a few lines, which finds in `turn` how often it was started before, until it has
 * been started that many times; returns its log, and the arguments of each start.
 */
async function runOver(
  program: string,
  { starts, jobMinutes = 60 }: { starts: number; jobMinutes?: number },
) {
  using folder = makeTempFolder();
  const file = join(folder.path, "program.cjs");
  const noted = join(folder.path, "starts");
  writeFileSync(
    file,
    `const { appendFileSync, existsSync, readFileSync } = require("node:fs");
    const noted = ${JSON.stringify(noted)};
    const turn = existsSync(noted) ? readFileSync(noted, "utf8").split("\\n").length - 1 : 0;
    appendFileSync(noted, process.argv.slice(2).join(" ") + "\\n");
    ${program}`,
  );
  const database = join(folder.path, "calls.db");
  openWarehouse(database)[Symbol.dispose]();
  const settings = loadSettings({ env: { CALLTALLY_SYNC_CRON: "* * * * * *" }, folder: folder.path });
  const { log, lines } = keepLines();
  const stop = new AbortController();
  const daemon = runDaemon(
    JOBS.filter(({ name }) => name === "sync"),
    {
      accounts: [
        { name: undefined, settings: { ...settings, database, jitterSeconds: 0, jobMinutes }, args: [] },
      ],
      log,
      signal: stop.signal,
      listen: undefined,
      program: [file],
    },
  );
  const read = () => (existsSync(noted) ? readFileSync(noted, "utf8").split("\n").slice(0, -1) : []);
  const ends = () => lines.filter((line) => "seconds" in line);
  while (ends().length < starts) await sleep(20);
  stop.abort();
  await daemon;
  using warehouse = openReader(database);
  return { jobs: readJobs(warehouse), lines, ends: ends().slice(0, starts), starts: read().slice(0, starts) };
}

describe("runDaemon", () => {
  it("starts the program for each run, with a run id that is also in its log lines", async () => {
    const { starts, lines, ends } = await runOver("", { starts: 2 });
    const runs = starts.map((args) => /^job sync --run ([0-9a-f]{8})$/.exec(args)?.[1]);
    expect(new Set(runs).size).toBe(2);
    expect(ends.map(({ run }) => run)).toEqual(runs);
    expect(lines.every(({ run }) => typeof run === "string")).toBe(true);
  });

  it("survives a job that crashes in any way, and continues with the next slot", async () => {
    const program = `if (turn === 0) process.abort();
      if (turn === 1) process.kill(process.pid, "SIGSEGV");
      if (turn === 2) throw new Error("uncaught");
      if (turn === 3) process.exit(5);`;
    const { ends } = await runOver(program, { starts: 5 });
    expect(ends.map(({ level, exitCode, killedBy, msg }) => [level, exitCode ?? killedBy, msg])).toEqual([
      [50, "SIGABRT", "killed by SIGABRT"],
      [50, "SIGSEGV", "killed by SIGSEGV"],
      [50, 1, "failed with exit code 1"],
      [40, 5, "the API is unreachable or failing: next slot"],
      [30, 0, "done"],
    ]);
  });

  it("stops a hanging job at its deadline, by force if necessary", async () => {
    const program = `if (turn === 0) { process.on("SIGTERM", () => process.exit(143)); setInterval(() => {}, 1000); }
      if (turn === 1) ${HANG}`;
    // A time too short for a new process to handle SIGTERM or to end by itself.
    const ends = await withEnoughTime(1500, async (timeMs) => {
      const { ends } = await runOver(program, { starts: 3, jobMinutes: timeMs / 60_000 });
      return ends[0]?.killedBy === "SIGTERM" || ends[2]?.killedBy !== undefined ? undefined : ends;
    });
    const late = "stopped at its deadline (setting job_minutes)";
    expect(ends.map(({ level, exitCode, killedBy, msg }) => [level, exitCode ?? killedBy, msg])).toEqual([
      [50, 143, late],
      [50, expect.stringMatching(/^SIG(TERM|KILL)$/), late],
      [30, 0, "done"],
    ]);
  });

  it.each([
    { program: 'process.kill(process.pid, "SIGKILL")', exit_code: 137, error: "killed by SIGKILL" },
    { program: "process.exit(99)", exit_code: 99, error: "failed with exit code 99" },
    {
      program: HANG,
      exit_code: 143,
      error: "stopped at its deadline (setting job_minutes)",
      jobMinutes: 1 / 120,
    },
  ])(
    "records the end of a job that cannot do so itself: $error",
    async ({ program, jobMinutes, ...said }) => {
      const { jobs } = await runOver(program, { starts: 1, ...(jobMinutes && { jobMinutes }) });
      expect(jobs).toMatchObject([
        { job: "sync", ...said, succeeded_at: null, failing_since: jobs[0]?.finished_at },
      ]);
    },
  );
});

it.each([
  { asksHost: true, order: "+-+-" },
  { asksHost: false, order: "++--" },
])(
  "runDaemon runs other jobs during the sync only within the limit of their host: $asksHost",
  async ({ asksHost, order }) => {
    using folder = makeTempFolder();
    const noted = join(folder.path, "noted");
    const program = join(folder.path, "program.cjs");
    // If both run at the same time, each waits for the other.
    writeFileSync(
      program,
      `const { appendFileSync, readFileSync } = require("node:fs");
    const noted = ${JSON.stringify(noted)};
    appendFileSync(noted, "+");
    const isOver = () => ${asksHost} || readFileSync(noted, "utf8").startsWith("++");
    setInterval(() => isOver() && (appendFileSync(noted, "-"), process.exit()), 20);`,
    );
    const env = { CALLTALLY_BASE_URL: "http://127.0.0.1:9" };
    const settings = loadSettings({ env, folder: folder.path });
    const { log, lines } = keepLines();
    const stop = new AbortController();
    const job = {
      name: "report",
      cron: () => "0 0 1 1 *",
      cronSetting: "",
      isSync: false,
      asksHost,
      readLastDone: () => null,
      run: async () => EXIT.done,
    };
    const daemon = runDaemon([job], {
      accounts: ["a", "b"].map((name) => {
        const database = join(folder.path, `${name}.db`);
        return { name, settings: { ...settings, database }, args: [] };
      }),
      hostRequests: settings.concurrency,
      log,
      signal: stop.signal,
      listen: undefined,
      program: [program],
    });
    while (lines.filter((line) => "seconds" in line).length < 2) await sleep(20);
    stop.abort();
    await daemon;
    expect(readFileSync(noted, "utf8")).toBe(order);
  },
);

it.each([
  { title: "a signal ended it", end: 'process.kill(process.pid, "SIGKILL")', leaves: false, starts: 2 },
  { title: "it left work unfinished", end: "process.exit(9)", leaves: true, starts: 2 },
  { title: "it failed", end: "process.exit(9)", leaves: false, starts: 1 },
  { title: "it was late", end: HANG, leaves: true, starts: 1 },
])("runDaemon retries a job five minutes later, or not: $title", async ({ end, leaves, starts }) => {
  using folder = makeTempFolder();
  const program = join(folder.path, "program.cjs");
  writeFileSync(program, end);
  const database = join(folder.path, "calls.db");
  openWarehouse(database)[Symbol.dispose]();
  const settings = loadSettings({ env: {}, folder: folder.path });
  const { log, messages } = keepLines();
  const stop = new AbortController();
  let sleptMs = 0;
  const job = {
    name: "report",
    cron: () => "0 0 29 2 *",
    cronSetting: "",
    isSync: false,
    readLastDone: () => null,
    isUnfinished: () => leaves,
    run: async () => EXIT.done,
  };
  await runDaemon([job], {
    accounts: [
      {
        name: undefined,
        settings: { ...settings, database, jobMinutes: end === HANG ? 1 / 120 : 60 },
        args: [],
      },
    ],
    log,
    signal: stop.signal,
    listen: undefined,
    program: [program],
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
  expect(messages().filter((message) => message === "started")).toHaveLength(starts);
});
