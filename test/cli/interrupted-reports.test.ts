import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { readConfiguration } from "../../src/config/read-configuration.ts";
import { reportJobs } from "../../src/jobs/report.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { runDaemon } from "../../src/schedule/daemon.ts";
import { tryAcquireLock } from "../../src/warehouse/lock.ts";
import { openReader } from "../../src/warehouse/open.ts";
import { type MailServer, startMailServer } from "../delivery/mail-server.ts";
import { json, startBadServer, text } from "../support/bad-server.ts";
import { keepLines } from "../support/log-lines.ts";
import { type LogLine, startLogging } from "../support/logging-program.ts";
import { BIN, startCalltally } from "../support/run.ts";
import { writeAccounts } from "./agency.ts";
import { makeFolder } from "./folder.ts";
import { until } from "./until.ts";

const SCHEDULED = { status: "done", scheduled_for: expect.stringMatching(/T07:00:00\.000Z$/) };

/** Writes an account and its report of each Monday, with calls no older than two hours. */
function configure(
  folder: string,
  sandbox: { url: string; token: string },
  {
    more,
    top,
    contents = "[channel]",
    deliver = "",
  }: { more?: Record<string, string>; top?: string; contents?: string; deliver?: string } = {},
) {
  writeAccounts(folder, { acme: sandbox }, { ...(more && { more }), ...(top && { top }) });
  const report = `reports:
  weekly:
    contents: ${contents}
    range: { last: 4w }
    cron: "0 7 * * 1"
    fresh: 2h
`;
  appendFileSync(join(folder, "calltally.yaml"), report + deliver);
  const database = join(folder, "data/acme/calltally.db");
  return {
    database,
    rowsOf: (table: "report_runs" | "deliveries" | "jobs" | "sync_runs") => {
      using warehouse = openReader(database);
      return warehouse.sqlite.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all();
    },
  };
}

/** Writes a report that is also mailed to one address. */
function configureMail(
  folder: string,
  sandbox: Parameters<typeof configure>[1],
  { port }: Pick<MailServer, "port">,
) {
  const url = `smtp://127.0.0.1:${port}?from=calls@example.com`;
  writeFileSync(join(folder, "smtp.url"), url, { mode: 0o600 });
  return configure(folder, sandbox, {
    top: "smtp_url_file: smtp.url\n",
    deliver: "    deliver: [{ email: { to: [marketing@acme.example] } }]\n",
  });
}

const isWaiting = ({ msg }: LogLine) => msg.includes("waiting for it");

async function stop(child: ReturnType<typeof startCalltally>, signal: NodeJS.Signals) {
  child.kill(signal);
  return (await child.done).code;
}

describe("report that waits for fresh calls", () => {
  it("stops soon with the schedule and with its own sync, and is made later for the same slot", async () => {
    using folder = makeFolder();
    const { options, run } = folder;
    await using acme = await startSandbox({ calls: 1000, token: "t0ken-of-acme", latencyMs: 300 });
    const { database, rowsOf } = configure(folder.path, acme, { more: { acme: "limit: 100" } });
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
  using folder = makeFolder();
  await using acme = await startSandbox({ calls: 50, token: "t0ken-of-acme" });
  const connected = Promise.withResolvers<void>();
  await using mail = await startMailServer({
    lacksTls: true,
    onConnect: () => {
      connected.resolve();
      return new Promise<undefined>(() => {});
    },
  });
  const { rowsOf } = configureMail(folder.path, acme, mail);
  await folder.run("sync");
  const report = startCalltally([...args], { cwd: folder.path });
  await connected.promise;
  expect(await stop(report, signal)).toBe(exitCode);
  expect(rowsOf("report_runs")).toMatchObject([{ status: "interrupted", error }]);
  expect(rowsOf("deliveries")).toMatchObject([{ status: "pending", attempts: 1, finished_at: null }]);
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
    using folder = makeFolder();
    await using acme = await startSandbox({ calls: 50, token: "t0ken-of-acme" });
    // A process that blocks others does not wait for such a long pause.
    const later = text("", 503, { "retry-after": "60" });
    await using hook = await startBadServer(later, later, json({}));
    writeFileSync(join(folder.path, "hook.url"), `${hook.url}`, { mode: 0o600 });
    const deliver = "    deliver: [{ webhook: { url_file: hook.url } }]\n";
    const { rowsOf } = configure(folder.path, acme, { deliver });
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
    using folder = makeFolder();
    const { options, run } = folder;
    await using acme = await startSandbox({ calls: 300, token: "t0ken-of-acme" });
    const { rowsOf } = configure(folder.path, acme, { contents: "[channel, source, calls]" });
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
