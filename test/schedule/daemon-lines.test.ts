import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/base/errors.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { runDaemon } from "../../src/schedule/daemon.ts";
import { openWarehouse } from "../../src/warehouse/file/open.ts";
import { insertJobStart, type JobEnd, readJobs, updateJobEnd } from "../../src/warehouse/runs/job-table.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { keepLines } from "../support/log-lines.ts";
import { startServer, text } from "../support/services/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { openNewWarehouse } from "../support/warehouses/warehouse.ts";
import { writeAtOnce } from "../support/write-at-once.ts";
import { StoppedClock } from "./stopped-clock.ts";

const job = (name: string, cron: string, lastDone: string | null, idle?: string) => ({
  name,
  cron: () => cron,
  cronSetting: "",
  idle: () => idle,
  isSync: name === "sync",
  readLastDone: () => lastDone,
  run: async () => EXIT.done,
});

const JOBS = [
  job("sync", "7 * * * *", "2026-11-20T02:10:00.000Z"),
  job("export", "30 5 * * *", null),
  job("insights", "15 4 * * *", null, "CALLTALLY_INSIGHT_IDS is empty"),
];

/** A program that ends with an exit code once a file, whose path it gets, contains one. */
const PROGRAM = `const { existsSync, readFileSync } = require("node:fs");
  const end = require("node:path").join(__dirname, "end");
  setInterval(() => existsSync(end) && process.exit(Number(readFileSync(end, "utf8"))), 5);`;

/** A schedule at 3 o'clock on a stopped clock, whose export is overdue and ends on request. */
async function start({ heartbeat }: { heartbeat?: URL } = {}) {
  const folder = makeTempFolder();
  const program = join(folder.path, "program.cjs");
  writeFileSync(program, PROGRAM);
  const database = join(folder.path, "calls.db");
  openNewWarehouse(database)[Symbol.dispose]();
  const env = heartbeat === undefined ? {} : { CALLTALLY_HEARTBEAT_URL: heartbeat.href };
  const settings = { ...loadSettings({ env, folder: folder.path }), database, jitterSeconds: 0 };
  const { log, lines } = keepLines();
  const clock = new StoppedClock("2026-11-20T03:00:00.000Z");
  const stop = new AbortController();
  const daemon = runDaemon(JOBS, {
    accounts: [{ name: undefined, settings, args: [] }],
    log,
    signal: stop.signal,
    listen: { host: "127.0.0.1", port: 0 },
    program: [program],
    clock,
    random: () => 0,
  });
  while (!lines.some(({ msg }) => msg === "started")) await sleep(5);
  return {
    database,
    clock,
    lines,
    url: new URL(String(lines[0]?.healthz)).origin,
    end: async (exitCode: number) => {
      const end = join(folder.path, "end");
      if (!existsSync(end)) writeAtOnce(end, String(exitCode));
      while (!lines.some((line) => "seconds" in line)) await sleep(5);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await daemon;
      folder[Symbol.dispose]();
    },
  };
}

function readRecords(database: string) {
  using warehouse = openWarehouse(database);
  return readJobs(warehouse);
}

/** Records the end of an export, as the job does it. */
function recordEnd(database: string, end: Omit<JobEnd, "job">): void {
  using warehouse = openWarehouse(database);
  insertJobStart(warehouse, "export", end.startedAt);
  writeTransaction(warehouse, (tx) => updateJobEnd(tx, { job: "export", ...end }));
}

const OF_THE_EXPORT = { job: "export", started_at: "2026-11-20T03:00:00.000Z" };

describe("runDaemon", () => {
  it("logs its actions with durations in seconds, and serves the state of the jobs", async () => {
    let seen: Awaited<ReturnType<typeof start>>["lines"] = [];
    {
      await using daemon = await start();
      const { lines, url, clock } = daemon;
      seen = lines;
      const get = async (path: string) => await (await fetch(url + path)).text();
      const running = 'calltally_job_running{name="export"}';
      expect(await get("/metrics")).toContain(`${running} 1\n`);
      clock.jump(61_500);
      await daemon.end(0);
      const metrics = await get("/metrics");
      expect(metrics).toContain(`${running} 0\n`);
      expect(metrics).toContain('calltally_job_last_duration_seconds{name="export"} 61.5\n');
      expect(metrics).toContain('calltally_job_runs_total{name="export",exit_code="0"} 1\n');
      const next = Date.parse("2026-11-20T03:07:00.000Z") / 1000;
      expect(metrics).toContain(`calltally_job_next_run_timestamp_seconds{name="sync"} ${next}\n`);
      expect(metrics).not.toContain("insights");
      const never = { status: "failing", reason: "no sync has succeeded yet" };
      expect(JSON.parse(await get("/healthz"))).toMatchObject({
        ...never,
        jobs: [
          { job: "sync", ...never },
          { job: "export", status: "ok", last_success: "2026-11-20T03:01:01.500Z" },
        ],
      });
    }
    const [own, ofJob] = [seen[0]?.run, seen[5]?.run];
    expect([own, ofJob].join()).toMatch(/^([\da-f]{8}),(?!\1)[\da-f]{8}$/);
    const scheduled = { level: 30, run: own, msg: "scheduled" };
    const url = String(seen[0]?.healthz).replace("/healthz", "");
    expect(seen).toEqual([
      { level: 30, run: own, healthz: `${url}/healthz`, metrics: `${url}/metrics`, msg: "listening" },
      {
        ...scheduled,
        job: "sync",
        cron: "7 * * * *",
        lastDone: "2026-11-20T02:10:00.000Z",
        next: "2026-11-20T03:07:00.000Z",
      },
      { ...scheduled, job: "export", cron: "30 5 * * *", next: "2026-11-20T05:30:00.000Z" },
      { level: 30, run: own, job: "insights", msg: "left out: CALLTALLY_INSIGHT_IDS is empty" },
      { level: 30, run: own, job: "export", msg: "missed a slot: running now" },
      { level: 30, job: "export", run: ofJob, msg: "started" },
      { level: 30, job: "export", run: ofJob, exitCode: 0, seconds: 61.5, msg: "done" },
      { level: 30, run: own, msg: "stopped" },
    ]);
  });

  it("records the end of a job that may not have recorded it, and informs the monitor", async () => {
    await using monitor = await startServer(text("OK"));
    await using daemon = await start({ heartbeat: new URL("/ping", monitor.url) });
    const { database } = daemon;
    // As its last run left it.
    const times = { startedAt: "2026-11-19T05:30:00.000Z", finishedAt: "2026-11-20T02:59:59.999Z" };
    recordEnd(database, { ...times, exitCode: 0, result: "success", error: null });
    daemon.clock.jump(2000);
    await daemon.end(1);
    while (monitor.requests.length === 0) await sleep(5);
    expect(monitor.requests.map(({ url }) => url)).toEqual(["/ping/fail"]);
    expect(daemon.lines.at(-1)).toMatchObject({ level: 50, seconds: 2, msg: "failed with exit code 1" });
    expect(readRecords(database)).toEqual([
      {
        ...OF_THE_EXPORT,
        finished_at: "2026-11-20T03:00:02.000Z",
        exit_code: 1,
        error: "failed with exit code 1",
        succeeded_at: "2026-11-20T02:59:59.999Z",
        failing_since: "2026-11-20T03:00:02.000Z",
        failed_runs: 1,
      },
    ]);
  });

  it("does not replace the more detailed end that a job has recorded itself", async () => {
    await using monitor = await startServer(text("OK"));
    await using daemon = await start({ heartbeat: new URL("/ping", monitor.url) });
    const record = {
      ...OF_THE_EXPORT,
      finished_at: OF_THE_EXPORT.started_at,
      exit_code: 1,
      error: "Cannot write x",
      succeeded_at: null,
      failing_since: OF_THE_EXPORT.started_at,
      failed_runs: 1,
    };
    const times = { startedAt: record.started_at, finishedAt: record.finished_at };
    recordEnd(daemon.database, { ...times, exitCode: 1, result: "failure", error: record.error });
    daemon.clock.jump(2000);
    await daemon.end(1);
    while (monitor.requests.length === 0) await sleep(5);
    expect(readRecords(daemon.database)).toEqual([record]);
  });
});
