import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { describeError } from "../../../src/base/errors.ts";
import { toCalltallyError } from "../../../src/base/known-error.ts";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { parsePrometheus } from "../../schedule/prometheus.ts";
import { parseLines, startLogging } from "../../support/logging-program.ts";
import { type RunOptions, settingsFor, startCalltally } from "../../support/run.ts";
import { passOn, stall, startServer } from "../../support/services/server.ts";
import { readColumn } from "../../support/warehouses/warehouse.ts";
import { makeFolder, makeSandboxFolder } from "../folder.ts";
import { hasScript, runOnTerminal, unlessNoScript } from "../terminal.ts";
import { until } from "../until.ts";

/** Jobs that must not run in a test. */
const NEVER = "0 0 29 2 *";
const OTHERS_NEVER = { CALLTALLY_EXPORT_CRON: NEVER, CALLTALLY_INSIGHTS_CRON: NEVER };
const EVERY_SECOND = { CALLTALLY_SYNC_CRON: "* * * * * *", CALLTALLY_JITTER_SECONDS: "0", ...OTHERS_NEVER };

/** Starts the schedule. */
const startSchedule = (options: RunOptions, ...flags: string[]) =>
  startLogging(["schedule", ...flags], options);

/** A server that forwards nothing to another until it is opened. */
async function startGate(url: string) {
  const opened = Promise.withResolvers<void>();
  const gate = await startServer((...exchange) => opened.promise.then(() => passOn(url)(...exchange)));
  return { ...gate, url: gate.url.origin, open: opened.resolve };
}

describe("calltally schedule", () => {
  it("leaves no sync running after SIGKILL", async () => {
    const limits = { CALLTALLY_LIMIT: "100", CALLTALLY_CONCURRENCY: "1" };
    const service = { calls: 3000, latencyMs: 300 };
    await using folder = await makeSandboxFolder(service, { ...EVERY_SECOND, ...limits });
    await using schedule = startSchedule(folder.options, "--begin");
    await until(() => folder.sandbox.requests.length >= 3);
    const [pid = 0] = readColumn(folder.database, "SELECT pid FROM sync_runs").map(Number);
    expect(isAlive(pid)).toBe(true);
    schedule.child.kill("SIGKILL");
    await until(() => !isAlive(pid));
    expect(folder.read("SELECT status, error FROM sync_runs")).toEqual([
      { status: "interrupted", error: "Stopped by SIGTERM" },
    ]);
  });

  it("serves health and metrics: failing until a sync succeeds, and of a damaged warehouse", async () => {
    await using sandbox = await startSandbox({ calls: 120 });
    await using gate = await startGate(sandbox.url);
    const [bad = 0, odd = 0] = sandbox.calls.ids;
    sandbox.calls.edit(bad, { duration: "long" });
    sandbox.calls.edit(odd, { msclkid: "m1" });
    using folder = makeFolder({
      ...settingsFor({ ...sandbox, url: gate.url }),
      CALLTALLY_EXPORT_CRON: NEVER,
      CALLTALLY_SYNC_CRON: "0 0 1 1 *",
    });
    await using schedule = startSchedule(folder.options, "--begin", "--listen", "127.0.0.1:0");
    const { seen, stop } = schedule;
    const { metrics, healthz } = z
      .looseObject({ metrics: z.url(), healthz: z.url() })
      .parse(await seen(({ msg }) => msg === "listening"));
    expect((await fetch(healthz)).status).toBe(503);
    expect(parsePrometheus(await (await fetch(metrics)).text())).toMatchObject({
      calltally_calls: { samples: { '{state="live"}': 0 } },
    });
    gate.open();

    const done = await seen((line) => "seconds" in line);
    expect(done).toMatchObject({ level: "warn", msg: "done with problems: see calltally status" });
    await seen(({ job, msg }) => job === "export" && msg === "done");
    const well = await fetch(healthz);
    expect({ status: well.status, body: await well.json() }).toMatchObject({
      status: 200,
      body: {
        status: "ok",
        last_good_sync: { run_id: 1, verdict: "exact" },
        jobs: [
          { job: "sync", last_exit_code: 3 },
          { job: "export", last_exit_code: 0 },
        ],
      },
    });
    const page = parsePrometheus(await (await fetch(metrics)).text());
    const samples = Object.fromEntries(Object.entries(page).map(([name, metric]) => [name, metric.samples]));
    expect(samples).toMatchObject({
      calltally_job_runs_total: {
        '{name="sync",exit_code="0"}': 0,
        '{name="sync",exit_code="3"}': 1,
        '{name="export",exit_code="0"}': 1,
      },
      calltally_job_healthy: { '{name="sync"}': 1, '{name="export"}': 1 },
      calltally_calls: { '{state="live"}': 119, '{state="gone"}': 0 },
      calltally_rejected_rows: { "": 1 },
      calltally_schema_drift: { "": 1 },
      calltally_statements: { '{level="doubt"}': 0, '{level="caution"}': 1, '{level="note"}': 0 },
    });
    writeFileSync(folder.database, "damaged ".repeat(1024));
    expect(await (await fetch(healthz)).json()).toMatchObject({
      status: "failing",
      reason: expect.stringMatching(
        `^cannot read the warehouse: Cannot use ${folder.database} .* not an SQLite database`,
      ),
    });
    await stop();
  });

  it("--list shows the next runs in the zone of the settings, without an account", async () => {
    const env = { CALLTALLY_TIMEZONE: "Asia/Tokyo", CALLTALLY_SYNC_CRON: "30 5 * * *" };
    using folder = makeFolder(env);
    const { code, stdout } = await folder.run("schedule --list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^job +cron +last done +next, Asia\/Tokyo\n/);
    expect(stdout).toMatch(/^sync +30 5 \* \* \* +never +at once(, \d{4}-\d\d-\d\d 05:30){2}$/m);
  });
});

describe("calltally job", () => {
  it.skipIf(!hasScript)(`logs for a person on a terminal${unlessNoScript}`, () => {
    const access = settingsFor({ url: "http://127.0.0.1:1", token: "token-417" });
    using folder = makeFolder({ ...access, CALLTALLY_RETRY_SECONDS: "0" });
    folder.begin();
    const shown = runOnTerminal(["job", "sync"], folder.options);
    expect(stripVTControlCharacters(shown)).toMatch(
      /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] WARN: Cannot reach http:\/\/127\.0\.0\.1:1: .* \{"job":"sync","exitCode":5,.*\}\r\n$/,
    );
    expect(shown).not.toBe(stripVTControlCharacters(shown));
  });

  it("logs an uncaught error as a line, too", async () => {
    await using api = await startServer(stall);
    using folder = makeFolder({
      ...settingsFor({ url: api.url.origin, token: "token-417" }),
      NODE_OPTIONS:
        "--import=data:text/javascript,process.on('SIGUSR2',()=>{throw(Error('hidden+token-417'))})",
    });
    folder.begin();
    const job = startCalltally(["job", "sync"], folder.options);
    await until(() => api.requests.length > 0 || job.exitCode !== null);
    job.kill("SIGUSR2");
    const { code, stderr } = await job.done;
    expect({ code, lines: parseLines(stderr) }).toMatchObject({
      code: 1,
      lines: [
        { level: "fatal", job: "sync", msg: describeError(toCalltallyError(new Error("hidden+[secret]"))) },
      ],
    });
  });

  it("respects the log level", async () => {
    await using folder = await makeSandboxFolder({ calls: 50 }, { CALLTALLY_LOG_LEVEL: "warn" });
    expect(await folder.run("job sync --begin")).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
