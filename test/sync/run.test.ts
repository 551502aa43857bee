import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { KEEP_ALL } from "../../src/calls/privacy/keep-settings.ts";
import { exitCodeOf } from "../../src/sync/run.ts";
import type { SyncOptions } from "../../src/sync/sync-options.ts";
import { tryAcquireLock } from "../../src/warehouse/file/lock.ts";
import { readRuns } from "../../src/warehouse/runs/runs.ts";
import { FakeClock } from "../support/fake-clock.ts";
import {
  type CallService,
  callOf,
  newestFirst,
  startCallService,
  syncFrom,
} from "../support/services/call-service.ts";
import { json } from "../support/services/server.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KEEP_NO_WORDS = { ...KEEP_ALL, summaries: "never" } as const;

/** Runs SQL on the warehouse like another program. */
function change({ database }: CallService, sql: string): void {
  const sqlite = new Database(database);
  sqlite.exec(sql);
  sqlite.close();
}

describe("exitCodeOf", () => {
  it.each([
    { verdict: "exact", code: 0 },
    { verdict: "verified", code: 0 },
    { verdict: "probable", code: 0 },
    { verdict: "unverified", code: 3 },
    { verdict: null, code: 3 },
    { verdict: "exact", calls_rejected: 1, code: 3 },
    { verdict: "exact", calls_withheld: 1, code: 3 },
  ] as const)("returns $code for a run that is $verdict", ({ code, ...changes }) => {
    using warehouse = newWarehouse();
    warehouse.sqlite.exec(
      "INSERT INTO sync_runs (started_at, status, mode, plan_reason, pid) VALUES ('', 'done', 'full', '', 1)",
    );
    const [run] = readRuns(warehouse, 1);
    if (run === undefined) throw new Error("There is one");
    expect(exitCodeOf({ ...run, ...changes })).toBe(code);
  });
});

describe("runSync", () => {
  it("refuses a warehouse that is being synced, without a request", async () => {
    await using service = await startCallService(newestFirst(3));
    await service.sync();
    const { length } = service.requests;
    using _lock = tryAcquireLock(service.database);
    await expect(service.sync()).rejects.toMatchObject({
      exitCode: 6,
      message: expect.stringContaining("it is being synced"),
    });
    expect(service.requests).toHaveLength(length);
  });

  it("begins no warehouse on a schedule, and leaves no lock and no folder; by hand it does", async () => {
    await using service = await startCallService(newestFirst(3));
    const folder = join(service.folder, "mnt");
    const database = join(folder, "new.db");
    await expect(service.sync({ database, begins: false })).rejects.toMatchObject({
      exitCode: 7,
      message: `There is no warehouse at ${database}`,
      hint: expect.stringContaining("its disk may not be mounted"),
    });
    expect(existsSync(folder)).toBe(false);
    const begun: string[] = [];
    const onBegunAgain = (remains: string) => begun.push(remains);
    expect((await service.sync({ database, onBegunAgain })).calls_read).toBe(3);
    expect(begun).toEqual([]);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
    await expect(service.sync({ database, begins: false })).rejects.toMatchObject({
      message: `There is no warehouse at ${database}, but its new.db.lock is there`,
    });
    await service.sync({ database, onBegunAgain });
    expect(begun).toEqual([`${database}.lock`]);
  });

  it("ends the failure of the job, unless it is the job, which records its own end", async () => {
    await using service = await startCallService(newestFirst(3));
    await service.sync();
    const failed = "INSERT INTO jobs VALUES ('sync', '', '', 4, 'refused', NULL, '2026-11-20', 1)";
    change(service, failed);
    const read = () => service.read("SELECT exit_code, failing_since FROM jobs");
    await service.sync({ isJob: true });
    expect(read()).toEqual([{ exit_code: 4, failing_since: "2026-11-20" }]);
    await service.sync();
    expect(read()).toEqual([{ exit_code: 0, failing_since: null }]);
  });

  it.each(["lost.db.caller-key", "lost.db.replaced-20261120T120000000Z"])(
    "does not begin again in place of a lost warehouse, of which %s is left",
    async (name) => {
      await using service = await startCallService(newestFirst(3));
      const database = join(service.folder, "lost.db");
      writeFileSync(join(service.folder, name), "");
      await expect(service.sync({ database })).rejects.toMatchObject({
        exitCode: 7,
        message: `There is no warehouse at ${database}, but its ${name} is there`,
      });
      expect(service.requests).toHaveLength(0);
      expect(existsSync(database)).toBe(false);
      rmSync(join(service.folder, name));
      expect((await service.sync({ database })).calls_read).toBe(3);
    },
  );

  it("names the file that SQLite cannot use", async () => {
    await using service = await startCallService(newestFirst(3));
    await service.sync();
    change(service, "DROP TABLE sync_pages");
    await expect(service.sync()).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot use ${service.database} (SQLITE_ERROR)`,
    });
  });

  it("reports that the file was moved during the sync", async () => {
    await using service = await startCallService(newestFirst(3));
    const path = service.database;
    let moves = 0;
    const onProgress = () => {
      if (moves++ === 0) renameSync(path, `${path}.old`);
    };
    await expect(service.sync({ onProgress })).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot continue with ${path}: it no longer exists`,
    });
  });

  it("makes SQLite create its temporary files in the folder of the warehouse", async () => {
    await using service = await startCallService(newestFirst(3));
    const before = process.env.SQLITE_TMPDIR;
    delete process.env.SQLITE_TMPDIR;
    try {
      await service.sync();
      expect(process.env.SQLITE_TMPDIR).toBe(service.folder);
    } finally {
      delete process.env.SQLITE_TMPDIR;
      if (before !== undefined) process.env.SQLITE_TMPDIR = before;
    }
  });

  it("accepts another address or token only if it is declared to be the same account", async () => {
    await using service = await startCallService(newestFirst(3));
    await service.sync();
    await using other = await startCallService([callOf(9, 1)]);
    await expect(syncFrom(other, service.folder)).rejects.toMatchObject({ exitCode: 2 });
    expect(other.requests).toEqual([]);
    const api = { baseUrl: service.url, token: "another" };
    service.calls = other.calls;
    await expect(service.sync({ api })).rejects.toMatchObject({ exitCode: 2 });
    expect(service.read("SELECT 1 FROM calls")).toHaveLength(3);
    expect(await service.sync({ api, rebind: true })).toMatchObject({ calls_new: 1 });
  });

  it("records the ids of failed requests and the service's clock in the ledger", async () => {
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    const timestamp = "2026-11-20T02:00:00.000Z";
    await using service = await startCallService(newestFirst(3), ({ before }) => {
      if (before === 0) return json({ code: 500, message: "No", request_id: "failed 0" }, 500);
      return before === 1 ? json({ code: 500, message: "No" }, 500) : { timestamp };
    });
    expect(await service.sync({ clock, concurrency: 1 })).toMatchObject({
      retries: 2,
      failed_request_ids: '["failed 0"]',
      clock_ahead_ms: expect.any(Number),
      verdict: "exact",
    });
    // A whole pass from before the last one.
    service.disturb = () => ({ timestamp: "2026-11-20T00:30:00.000Z" });
    expect(await service.sync({ clock, force: "full" })).toMatchObject({
      verdict: "probable",
      verdict_reason: expect.stringContaining("came from the past"),
    });
  });

  it("stores a link with a new signature, by the configured signature parameters", async () => {
    const link = (sign: string) => `https://r.example/1?track=1&mark=${sign}`;
    await using service = await startCallService([callOf(1, 1, { recording_url: link("a") }), callOf(0, 2)]);
    const options = { force: "full", recordingSignature: new Set(["mark"]) } as const;
    await service.sync(options);
    service.calls = [callOf(1, 1, { recording_url: link("b") }), callOf(0, 2)];
    expect(await service.sync(options)).toMatchObject({ calls_changed: 0 });
    expect(service.read("SELECT recording_url FROM calls WHERE call_id = 1")).toEqual([
      { recording_url: link("b") },
    ]);
    service.calls = [callOf(1, 1, { recording_url: link("c") }), callOf(0, 2)];
    expect(await service.sync({ force: "full" })).toMatchObject({ calls_changed: 1 });
  });
});

describe("runSync with attribution rules", () => {
  const readAlias = ({ read }: CallService) => read("SELECT DISTINCT source FROM call_facts");

  it("recomputes the facts by given rules and reports it, and otherwise keeps the rules in force", async () => {
    await using service = await startCallService([callOf(1, 1, { dni_data: { utm_source: "goog" } })]);
    const clock = new FakeClock("2026-11-20T01:00:00.000Z");
    await service.sync({ clock });
    expect(readAlias(service)).toEqual([{ source: "goog" }]);
    const progress: unknown[] = [];
    const options = { clock, onAttributed: (done: unknown) => progress.push(done) };
    const rules = { ...DEFAULT_RULES, aliases: { goog: "google" } };
    await service.sync({ ...options, rules });
    expect(readAlias(service)).toEqual([{ source: "google" }]);
    expect(progress).toEqual([{ read: 1, total: 1 }]);
    await service.sync(options);
    expect(readAlias(service)).toEqual([{ source: "google" }]);
    expect(progress).toHaveLength(1);
  });

  it("restores missing facts when the whole file is checked again", async () => {
    await using service = await startCallService(newestFirst(3));
    const clock = new FakeClock("2026-11-20T01:00:00.000Z");
    await service.sync({ clock });
    change(service, "DELETE FROM call_facts WHERE call_id = 2");
    const count = () => service.read("SELECT 1 FROM call_facts").length;
    await service.sync({ clock });
    expect(count()).toBe(2);
    clock.advance(168 * HOUR_MS);
    const progress: unknown[] = [];
    const onAttributed = (done: unknown) => progress.push(done);
    await service.sync({ clock, onAttributed });
    expect(count()).toBe(3);
    expect(progress).toHaveLength(1);
    clock.advance(168 * HOUR_MS);
    await service.sync({ clock, onAttributed });
    expect(progress).toHaveLength(1);
  });
});

describe("runSync with limited retention", () => {
  const words = (id: number) => `What was said in call ${id}, which nobody may read`;
  const summarized = (count: number) =>
    newestFirst(count).map((call) => ({ ...call, summary: words(Number(call.call_id)) }));

  /** A warehouse that has kept everything of some calls, and a sync of it that keeps no words. */
  async function startKept() {
    const service = await startCallService(summarized(30));
    const clock = new FakeClock("2026-11-20T01:00:00.000Z");
    await service.sync({ clock });
    const told: unknown[] = [];
    const syncKept = (options: Partial<SyncOptions> = {}) =>
      service.sync({
        clock,
        keep: KEEP_NO_WORDS,
        onPruned: (counts) => told.push(counts),
        onNotErased: (error) => told.push(error.message),
        ...options,
      });
    return Object.assign(service, {
      clock,
      told,
      syncKept,
      readFile: () => readFileSync(service.database, "latin1"),
      readActs: () => service.read("SELECT at, erased_at FROM privacy_acts ORDER BY act_id"),
    });
  }

  it("removes and erases data before it reads, even if the service cannot be reached", async () => {
    await using service = await startKept();
    const { told, syncKept } = service;
    expect(service.readFile()).toContain(words(7));
    service.disturb = () => json({ code: 401, message: "No" }, 401);
    await expect(syncKept()).rejects.toMatchObject({ exitCode: 4 });
    expect(told).toEqual([expect.objectContaining({ summaries: 30 })]);
    expect(service.readFile()).not.toContain("which nobody may read");
    const at = "2026-11-20T01:00:00.000Z";
    expect(service.readActs()).toEqual([{ at, erased_at: at }]);
    service.disturb = () => undefined;
    expect(await syncKept({ force: "full" })).toMatchObject({ calls_changed: 0 });
    expect(told).toHaveLength(1);
    expect(service.read("SELECT 1 FROM transcripts")).toEqual([]);
  });

  it("erases at most once a day, and overwrites what it removes meanwhile", async () => {
    await using service = await startKept();
    const { clock, told, syncKept } = service;
    await syncKept();
    // Restored data must be removed again.
    clock.advance(DAY_MS - 1);
    await syncKept({ keep: KEEP_ALL, force: "full" });
    expect(service.readFile()).toContain(words(7));
    await syncKept();
    expect(told).toHaveLength(2);
    expect(service.readActs()).toMatchObject([{ erased_at: expect.any(String) }, { erased_at: null }]);
    expect(service.readFile()).not.toContain("which nobody may read");
    clock.advance(1);
    await syncKept();
    expect(service.readActs()).toMatchObject([{}, { erased_at: "2026-11-21T01:00:00.000Z" }]);
    expect(told).toHaveLength(2);
  });

  it("stops at a signal", async () => {
    await using service = await startKept();
    const { syncKept } = service;
    await expect(syncKept({ signal: AbortSignal.abort(new Error("Enough")) })).rejects.toThrow("Enough");
    expect(service.read("SELECT 1 FROM transcripts")).toHaveLength(30);
  });

  it("continues when a reader prevents erasing, and reports it", async () => {
    await using service = await startKept();
    const { told, syncKept } = service;
    const reader = new Database(service.database, { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM calls").get();
    expect(await syncKept({ force: "full" })).toMatchObject({ verdict: "exact" });
    expect(told).toEqual([
      expect.objectContaining({ summaries: 30 }),
      expect.stringContaining("another process has it open"),
    ]);
    reader.close();
    expect(service.readActs()).toMatchObject([{ erased_at: null }]);
  });
});
