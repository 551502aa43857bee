import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { readConfiguration } from "../../src/config/read-configuration.ts";
import { reportJobs } from "../../src/jobs/report.ts";
import type { SandboxOptions } from "../../src/sandbox/server.ts";
import { runDaemon } from "../../src/schedule/daemon.ts";
import { tryAcquireLock } from "../../src/warehouse/lock.ts";
import { startMailServer } from "../delivery/mail-server.ts";
import { keepLines } from "../support/log-lines.ts";
import { type LogLine, startLogging } from "../support/logging-program.ts";
import { BIN, startCalltally } from "../support/run.ts";
import { json, startServer, text } from "../support/server.ts";
import { readRows } from "../support/warehouse.ts";
import { makeAgencyFolder } from "./agency.ts";
import { until } from "./until.ts";

const SCHEDULED = { status: "done", scheduled_for: expect.stringMatching(/T07:00:00\.000Z$/) };

/** A working folder with an account and its report of each Monday, with calls no older than two hours. */
async function makePlace(
  acme: SandboxOptions,
  { more = "limit: 1000", top = "", contents = "[channel]", deliver = "" } = {},
) {
  const folder = await makeAgencyFolder({ acme }, { top, more: { acme: more } });
  const report = `reports:
  weekly:
    contents: ${contents}
    range: { last: 4w }
    cron: "0 7 * * 1"
    fresh: 2h
`;
  appendFileSync(join(folder.path, "calltally.yaml"), report + deliver);
  const database = join(folder.path, "data/acme/calltally.db");
  const rowsOf = (table: "report_runs" | "deliveries" | "jobs" | "sync_runs") =>
    readRows(database, `SELECT * FROM ${table}`);
  return { ...folder, database, rowsOf };
}

const isWaiting = ({ msg }: LogLine) => msg.includes("waiting for it");

async function stop(child: ReturnType<typeof startCalltally>, signal: NodeJS.Signals) {
  child.kill(signal);
  return (await child.done).code;
}

describe("report that waits for fresh calls", () => {
  it("stops soon with the schedule and with its own sync, and is made later for the same slot", async () => {
    await using folder = await makePlace({ calls: 600, latencyMs: 300 }, { more: "limit: 100" });
    const { options, run, acme, database, rowsOf } = folder;
    const job = startCalltally(["job", "report:weekly"], options);
    await until(() => acme.requests.length >= 3);
    expect(await stop(job, "SIGTERM")).toBe(143);
    expect(rowsOf("report_runs")).toEqual([]);
    expect(rowsOf("sync_runs")).toMatchObject([{ status: "interrupted" }]);
    expect(rowsOf("jobs")).toMatchObject([{ job: "report:weekly", exit_code: 143, failing_since: null }]);
    {
      using _sync = tryAcquireLock(database);
      await using schedule = startLogging(["schedule"], options);
      await schedule.seen(isWaiting);
      expect((await schedule.stop()).code).toBe(0);
    }
    expect(rowsOf("report_runs")).toEqual([]);
    const ends = rowsOf("jobs").filter(({ job }) => job === "report:weekly");
    expect(ends).toMatchObject([{ exit_code: 143, error: null, failing_since: null }]);
    const listed = await run("schedule --list --json");
    expect(listed.stdout).toMatch(/"report:weekly"[^}]*"is_behind": ?true/);
    expect((await run("job report:weekly")).code).toBe(0);
    expect(rowsOf("report_runs")).toMatchObject([SCHEDULED]);
  });
});

it.each([
  { args: ["run", "weekly", "--deliver"], signal: "SIGINT", exitCode: 130, error: "Stopped by SIGINT" },
  { args: ["job", "report:weekly"], signal: "SIGTERM", exitCode: 143, error: "Stopped by SIGTERM" },
] as const)("a report that waits for a mail server stops soon: $signal", async (stopped) => {
  const { args, signal, exitCode, error } = stopped;
  const connected = Promise.withResolvers<void>();
  await using mail = await startMailServer({
    lacksTls: true,
    onConnect: () => {
      connected.resolve();
      return new Promise<undefined>(() => {});
    },
  });
  await using folder = await makePlace(
    { calls: 50 },
    {
      top: "smtp_url_file: smtp.url\n",
      deliver: "    deliver: [{ email: { to: [marketing@acme.example] } }]\n",
    },
  );
  folder.write("smtp.url", `smtp://127.0.0.1:${mail.port}?from=calls@example.com`);
  await folder.say("sync");
  const report = startCalltally([...args], folder.options);
  await connected.promise;
  expect(await stop(report, signal)).toBe(exitCode);
  expect(folder.rowsOf("report_runs")).toMatchObject([{ status: "interrupted", error }]);
  expect(folder.rowsOf("deliveries")).toMatchObject([{ status: "pending", attempts: 1, finished_at: null }]);
});

/** A clock whose waits end soon. */
function impatientClock(): Clock & { slept: () => number } {
  let sleptMs = 0;
  return {
    now: () => Date.now() + sleptMs,
    sleep: async (delayMs, signal) => {
      await systemClock.sleep(10, signal);
      sleptMs += delayMs;
    },
    slept: () => sleptMs,
  };
}

/** Runs only the schedule of the report, with children of the built program, until it logs the words; returns the time waited. */
async function keepScheduleUntil(words: string, folder: string): Promise<number> {
  const path = join(folder, "calltally.yaml");
  // From another working folder; the paths are not relative to it.
  const { file, accounts, shared } = readConfiguration(path, { env: {}, folder: import.meta.dirname });
  const [account] = accounts;
  if (account === undefined) throw new Error("There is no account");
  const settings = { ...loadSettings(account.sources), jitterSeconds: 0 };
  const jobs = reportJobs({ file }, account, shared.folder);
  const { log, messages } = keepLines();
  const clock = impatientClock();
  const stop = new AbortController();
  const kept = runDaemon([], {
    accounts: [{ name: "acme", settings, args: ["--config", path, "--account", "acme"], jobs }],
    log,
    signal: stop.signal,
    listen: undefined,
    program: [BIN],
    clock,
  });
  await until(() => messages().includes(words));
  stop.abort();
  await kept;
  return clock.slept();
}

describe("schedule", () => {
  it("retries a report that a recipient refused temporarily, without blocking others meanwhile", async () => {
    // A process that blocks others does not wait for such a long pause.
    const later = text("", 503, { "retry-after": "60" });
    await using hook = await startServer(later, later, json({}));
    const deliver = "    deliver: [{ webhook: { url_file: hook.url } }]\n";
    await using folder = await makePlace({ calls: 50 }, { deliver });
    const { rowsOf } = folder;
    folder.write("hook.url", hook.url.href);
    expect((await folder.run("job report:weekly")).code).toBe(9);
    expect(rowsOf("report_runs")).toMatchObject([
      { status: "interrupted", error: "not yet delivered to every recipient" },
    ]);
    expect(rowsOf("deliveries")).toMatchObject([{ status: "pending", attempts: 1 }]);

    const sleptMs = await keepScheduleUntil("done", folder.path);
    expect(sleptMs).toBeGreaterThan(299_000);
    expect(hook.requests).toHaveLength(3);
    expect(rowsOf("report_runs")).toMatchObject([{ ...SCHEDULED, error: null }]);
    expect(rowsOf("deliveries")).toMatchObject([{ status: "delivered", attempts: 3 }]);
  });
});

describe("report whose process is killed while it writes", () => {
  it("leaves no partial set of files, and is resumed under the same number", async () => {
    await using folder = await makePlace({ calls: 300 }, { contents: "[channel, source, calls]" });
    const { options, run, rowsOf } = folder;
    const target = join(folder.path, "reports/acme/weekly");
    mkdirSync(target, { recursive: true });
    await run("sync");
    const seen = new Set<string>();
    // Each file appears under a temporary name, and is renamed at the end.
    for (let changes = 1; changes <= 13; changes += 4) {
      const job = startCalltally(["job", "report:weekly"], options);
      let left = changes;
      const watcher = watch(target, () => {
        if (--left === 0) job.kill("SIGKILL");
      });
      const { code } = await job.done;
      watcher.close();
      const state = checkSet(target);
      seen.add(`${code ?? "killed"}: ${state}`);
      expect(rowsOf("report_runs")).toMatchObject([{ report_run_id: 1 }]);
      if (code !== null) break;
    }
    expect(seen).toContain("killed: nothing");
    expect((await run("job report:weekly")).code).toBe(0);
    expect(rowsOf("report_runs")).toMatchObject([{ report_run_id: 1, ...SCHEDULED }]);
    expect(checkSet(target)).toBe("3 files");
  });
});

/** Describes a folder of exports by its manifest, whose files must match. */
function checkSet(folder: string): string {
  const path = join(folder, "manifest.json");
  if (!existsSync(path)) {
    expect(readdirSync(folder).filter((name) => !name.startsWith("."))).toEqual([]);
    return "nothing";
  }
  const manifest: { unfinished?: boolean; files: { file: string; sha256: string }[] } = JSON.parse(
    readFileSync(path, "utf8"),
  );
  if (manifest.unfinished) {
    expect(manifest.files).toEqual([]);
    return "unfinished";
  }
  for (const { file, sha256 } of manifest.files) {
    const found = createHash("sha256")
      .update(readFileSync(join(folder, file)))
      .digest("hex");
    expect({ file, sha256: found }).toEqual({ file, sha256 });
  }
  return `${manifest.files.length} files`;
}
