import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { tryAcquireLock } from "../../src/warehouse/lock.ts";
import { openWarehouseReader } from "../../src/warehouse/open.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { writeAccounts } from "./agency.ts";
import { calltally, startCalltally } from "./run.ts";

const SCHEDULED = { status: "done", scheduled_for: expect.stringMatching(/T07:00:00\.000Z$/) };

/** Writes an account and its report of each Monday, of calls that are not older than two hours. */
function configure(
  folder: string,
  sandbox: { url: string; token: string },
  more: Record<string, string> = {},
) {
  writeAccounts(folder, { acme: sandbox }, { more });
  const report =
    'reports:\n  weekly:\n    contents: [channel]\n    range: { last: 4w }\n    cron: "0 7 * * 1"\n    fresh: 2h\n';
  appendFileSync(join(folder, "calltally.yaml"), report);
  const database = join(folder, "data/acme/calltally.db");
  return {
    database,
    rowsOf: (table: "report_runs" | "jobs" | "sync_runs") => {
      using warehouse = openWarehouseReader(database);
      return warehouse.sqlite.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all();
    },
  };
}

/** Starts the program; `said` waits for words of its log. */
function startLogged(args: string[], cwd: string) {
  const child = startCalltally(args, { cwd });
  let log = "";
  const said = (words: string) =>
    new Promise<void>((resolve, reject) => {
      child.stderr?.on("data", (chunk) => {
        log += String(chunk);
        if (log.includes(words)) resolve();
      });
      child.once("close", () => reject(new Error(`It ended without ${words}: ${log}`)));
    });
  return Object.assign(child, { said });
}

async function stop(child: ReturnType<typeof startCalltally>, signal: NodeJS.Signals) {
  const killedMs = Date.now();
  child.kill(signal);
  const { code } = await child.done;
  expect(Date.now() - killedMs).toBeLessThan(5000);
  return code;
}

describe("a report that waits for fresh calls", () => {
  it("stops soon while another process syncs, and is made later for the same slot", async () => {
    using folder = makeTempFolder();
    await using acme = await startSandbox({ calls: 50, token: "t0ken-of-acme" });
    const { database, rowsOf } = configure(folder.path, acme);
    const options = { cwd: folder.path };
    {
      using _sync = tryAcquireLock(database);
      for (const [signal, exitCode] of [
        ["SIGTERM", 143],
        ["SIGINT", 130],
      ] as const) {
        const job = startLogged(["job", "report:weekly"], folder.path);
        await job.said("waiting for it");
        expect(await stop(job, signal)).toBe(exitCode);
      }
    }
    expect((await calltally(["job", "report:weekly"], options)).code).toBe(0);
    expect(rowsOf("report_runs")).toMatchObject([SCHEDULED]);
  });

  it("stops soon with the schedule, and with its own sync, and is made later for the same slot", async () => {
    using folder = makeTempFolder();
    await using acme = await startSandbox({ calls: 400, token: "t0ken-of-acme", latencyMs: 60 });
    const { database, rowsOf } = configure(folder.path, acme, { acme: "limit: 100\n    jitter_seconds: 0" });
    const options = { cwd: folder.path };
    const job = startCalltally(["job", "report:weekly"], options);
    while (acme.requests.length < 3) await new Promise(setImmediate);
    expect(await stop(job, "SIGTERM")).toBe(143);
    expect(rowsOf("report_runs")).toEqual([]);
    expect(rowsOf("sync_runs")).toMatchObject([{ status: "interrupted" }]);
    expect(rowsOf("jobs")).toMatchObject([{ job: "report:weekly", exit_code: 143, failing_since: null }]);
    {
      using _sync = tryAcquireLock(database);
      const schedule = startLogged(["schedule"], folder.path);
      await schedule.said("waiting for it");
      expect(await stop(schedule, "SIGTERM")).toBe(0);
    }
    expect(rowsOf("report_runs")).toEqual([]);
    const ends = rowsOf("jobs").filter(({ job }) => job === "report:weekly");
    expect(ends).toMatchObject([{ exit_code: 143, error: null, failing_since: null }]);
    const listed = await calltally(["schedule", "--list", "--json"], options);
    expect(listed.stdout).toMatch(/"report:weekly"[^}]*"is_behind": ?true/);
    expect((await calltally(["job", "report:weekly"], options)).code).toBe(0);
    expect(rowsOf("report_runs")).toMatchObject([SCHEDULED]);
  });
});
