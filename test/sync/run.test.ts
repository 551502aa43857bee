import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { KEEP_ALL } from "../../src/privacy/keep-settings.ts";
import { exitCodeOf } from "../../src/sync/run.ts";
import type { SyncOptions } from "../../src/sync/sync-options.ts";
import { tryAcquireLock } from "../../src/warehouse/lock.ts";
import { readRuns } from "../../src/warehouse/runs/runs.ts";
import { json } from "../support/bad-server.ts";
import { FakeClock } from "../support/fake-clock.ts";
import {
  callOf,
  honestly,
  type ListService,
  newestFirst,
  startListService,
} from "../support/list-service.ts";
import { syncFrom } from "../support/row-service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { newWarehouse, readRows } from "../support/warehouse.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KEEP_NO_WORDS = { ...KEEP_ALL, summaries: "never" } as const;

/** Runs SQL on the warehouse like another program. */
function change(folder: string, sql: string): void {
  const sqlite = new Database(join(folder, "calls.db"));
  sqlite.exec(sql);
  sqlite.close();
}

const read = (folder: string, sql: string) => readRows(join(folder, "calls.db"), sql);

describe("exitCodeOf", () => {
  it.each([
    { verdict: "exact", code: 0 },
    { verdict: "verified", code: 0 },
    { verdict: "probable", code: 0 },
    { verdict: "unverified", code: 3 },
    { verdict: null, code: 3 },
    { verdict: "exact", calls_rejected: 1, code: 3 },
    { verdict: "exact", calls_withheld: 1, code: 3 },
  ] as const)("is $code for a run that is $verdict", ({ code, ...changes }) => {
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
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(3));
    await syncFrom(service, folder.path);
    const { length } = service.requests;
    using _lock = tryAcquireLock(join(folder.path, "calls.db"));
    await expect(syncFrom(service, folder.path)).rejects.toMatchObject({
      exitCode: 6,
      message: expect.stringContaining("it is being synced"),
    });
    expect(service.requests).toHaveLength(length);
  });

  it.each(["lost.db.caller-key", "lost.db.replaced-20261120T120000000Z"])(
    "does not begin again in place of a lost warehouse, of which %s is left",
    async (name) => {
      using folder = makeTempFolder();
      await using service = await startListService(newestFirst(3));
      const database = join(folder.path, "lost.db");
      writeFileSync(join(folder.path, name), "");
      await expect(syncFrom(service, folder.path, { database })).rejects.toMatchObject({
        exitCode: 7,
        message: `There is no warehouse at ${database}, but ${name} of one`,
      });
      expect(service.requests).toHaveLength(0);
      expect(existsSync(database)).toBe(false);
      rmSync(join(folder.path, name));
      expect((await syncFrom(service, folder.path, { database })).calls_read).toBe(3);
    },
  );

  it("names the file that SQLite cannot use", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(3));
    await syncFrom(service, folder.path);
    change(folder.path, "DROP TABLE sync_pages");
    await expect(syncFrom(service, folder.path)).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot use ${join(folder.path, "calls.db")} (SQLITE_ERROR)`,
    });
  });

  it("reports that the file was moved during the sync", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(3));
    const path = join(folder.path, "calls.db");
    let moves = 0;
    const onProgress = () => {
      if (moves++ === 0) renameSync(path, `${path}.old`);
    };
    await expect(syncFrom(service, folder.path, { onProgress })).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot continue with ${path}: it no longer exists`,
    });
  });

  it("makes SQLite create its temporary files in the folder of the warehouse", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(3));
    const before = process.env.SQLITE_TMPDIR;
    delete process.env.SQLITE_TMPDIR;
    try {
      await syncFrom(service, folder.path);
      expect(process.env.SQLITE_TMPDIR).toBe(folder.path);
    } finally {
      delete process.env.SQLITE_TMPDIR;
      if (before !== undefined) process.env.SQLITE_TMPDIR = before;
    }
  });

  it("accepts another address or token only if it is declared to be the same account", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(3));
    await syncFrom(service, folder.path);
    await using other = await startListService([callOf(9, 1)]);
    await expect(syncFrom(other, folder.path)).rejects.toMatchObject({ exitCode: 2 });
    expect(other.requests).toEqual([]);
    const api = { baseUrl: service.url, token: "another" };
    service.calls = other.calls;
    await expect(syncFrom(service, folder.path, { api })).rejects.toMatchObject({ exitCode: 2 });
    expect(read(folder.path, "SELECT 1 FROM calls")).toHaveLength(3);
    expect(await syncFrom(service, folder.path, { api, rebind: true })).toMatchObject({ calls_new: 1 });
  });

  it("records the ids of failed requests and the service's clock in the ledger", async () => {
    using folder = makeTempFolder();
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    const timestamp = "2026-11-20T02:00:00.000Z";
    await using service = await startListService(newestFirst(3), (asked, calls) => {
      if (asked.before === 0) return json({ code: 500, message: "No", request_id: "failed 0" }, 500);
      if (asked.before === 1) return json({ code: 500, message: "No" }, 500);
      return { ...(honestly(asked, calls) as object), rows: calls.slice(asked.offset), timestamp };
    });
    expect(await syncFrom(service, folder.path, { clock, concurrency: 1 })).toMatchObject({
      retries: 2,
      failed_request_ids: '["failed 0"]',
      clock_ahead_ms: expect.any(Number),
      verdict: "exact",
    });
    // A whole pass from before the last one.
    service.tell = ({ offset }, calls) => ({
      rows: calls.slice(offset),
      timestamp: "2026-11-20T00:30:00.000Z",
    });
    expect(await syncFrom(service, folder.path, { clock, force: "full" })).toMatchObject({
      verdict: "probable",
      verdict_reason: expect.stringContaining("came from the past"),
    });
  });

  it("stores a link with a new signature, by the configured signature parameters", async () => {
    using folder = makeTempFolder();
    const link = (sign: string) => `https://r.example/1?track=1&mark=${sign}`;
    await using service = await startListService([callOf(1, 1, { recording_url: link("a") }), callOf(0, 2)]);
    const options = { force: "full", recordingSignature: new Set(["mark"]) } as const;
    await syncFrom(service, folder.path, options);
    service.calls = [callOf(1, 1, { recording_url: link("b") }), callOf(0, 2)];
    expect(await syncFrom(service, folder.path, options)).toMatchObject({ calls_changed: 0 });
    expect(read(folder.path, "SELECT recording_url FROM calls WHERE call_id = 1")).toEqual([
      { recording_url: link("b") },
    ]);
    service.calls = [callOf(1, 1, { recording_url: link("c") }), callOf(0, 2)];
    expect(await syncFrom(service, folder.path, { force: "full" })).toMatchObject({ calls_changed: 1 });
  });
});

describe("runSync with attribution rules", () => {
  const readAlias = (folder: string) => read(folder, "SELECT DISTINCT source FROM call_facts");

  it("recomputes the facts by given rules and reports it, and otherwise keeps the rules in force", async () => {
    using folder = makeTempFolder();
    await using service = await startListService([callOf(1, 1, { dni_data: { utm_source: "goog" } })]);
    const clock = new FakeClock("2026-11-20T01:00:00.000Z");
    await syncFrom(service, folder.path, { clock });
    expect(readAlias(folder.path)).toEqual([{ source: "goog" }]);
    const progress: unknown[] = [];
    const options = { clock, onAttributed: (done: unknown) => progress.push(done) };
    const rules = { ...DEFAULT_RULES, aliases: { goog: "google" } };
    await syncFrom(service, folder.path, { ...options, rules });
    expect(readAlias(folder.path)).toEqual([{ source: "google" }]);
    expect(progress).toEqual([{ read: 1, total: 1 }]);
    await syncFrom(service, folder.path, options);
    expect(readAlias(folder.path)).toEqual([{ source: "google" }]);
    expect(progress).toHaveLength(1);
  });

  it("restores missing facts when the whole file is checked again", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(3));
    const clock = new FakeClock("2026-11-20T01:00:00.000Z");
    await syncFrom(service, folder.path, { clock });
    change(folder.path, "DELETE FROM call_facts WHERE call_id = 2");
    const count = () => read(folder.path, "SELECT 1 FROM call_facts").length;
    await syncFrom(service, folder.path, { clock });
    expect(count()).toBe(2);
    clock.advance(168 * HOUR_MS);
    const progress: unknown[] = [];
    const onAttributed = (done: unknown) => progress.push(done);
    await syncFrom(service, folder.path, { clock, onAttributed });
    expect(count()).toBe(3);
    expect(progress).toHaveLength(1);
    clock.advance(168 * HOUR_MS);
    await syncFrom(service, folder.path, { clock, onAttributed });
    expect(progress).toHaveLength(1);
  });
});

describe("runSync with limited retention", () => {
  const words = (id: number) => `What was said in call ${id}, which nobody may read`;
  const summarized = (count: number) =>
    newestFirst(count).map((call) => ({ ...call, summary: words(Number(call.call_id)) }));
  const readFile = (folder: string) => readFileSync(join(folder, "calls.db"), "latin1");
  const readActs = (folder: string) => read(folder, "SELECT at, erased_at FROM privacy_acts ORDER BY act_id");

  /** A warehouse that has kept everything of some calls, and a sync of it that keeps no words. */
  async function startKept(service: ListService, folder: string) {
    const clock = new FakeClock("2026-11-20T01:00:00.000Z");
    await syncFrom(service, folder, { clock });
    const told: unknown[] = [];
    const sync = (options: Partial<SyncOptions> = {}) =>
      syncFrom(service, folder, {
        clock,
        keep: KEEP_NO_WORDS,
        onPruned: (counts) => told.push(counts),
        onNotErased: (error) => told.push(error.message),
        ...options,
      });
    return { clock, told, sync };
  }

  it("removes and erases data before it reads, even if the service cannot be reached", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(summarized(30));
    const { told, sync } = await startKept(service, folder.path);
    expect(readFile(folder.path)).toContain(words(7));
    service.tell = () => json({ code: 401, message: "No" }, 401);
    await expect(sync()).rejects.toMatchObject({ exitCode: 4 });
    expect(told).toEqual([expect.objectContaining({ summaries: 30 })]);
    expect(readFile(folder.path)).not.toContain("which nobody may read");
    const at = "2026-11-20T01:00:00.000Z";
    expect(readActs(folder.path)).toEqual([{ at, erased_at: at }]);
    service.tell = honestly;
    expect(await sync({ force: "full" })).toMatchObject({ calls_changed: 0 });
    expect(told).toHaveLength(1);
    expect(read(folder.path, "SELECT 1 FROM transcripts")).toEqual([]);
  });

  it("erases at most once a day, and overwrites what it removes meanwhile", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(summarized(30));
    const { clock, told, sync } = await startKept(service, folder.path);
    await sync();
    // Restored data must be removed again.
    clock.advance(DAY_MS - 1);
    await sync({ keep: KEEP_ALL, force: "full" });
    expect(readFile(folder.path)).toContain(words(7));
    await sync();
    expect(told).toHaveLength(2);
    expect(readActs(folder.path)).toMatchObject([{ erased_at: expect.any(String) }, { erased_at: null }]);
    expect(readFile(folder.path)).not.toContain("which nobody may read");
    clock.advance(1);
    await sync();
    expect(readActs(folder.path)).toMatchObject([{}, { erased_at: "2026-11-21T01:00:00.000Z" }]);
    expect(told).toHaveLength(2);
  });

  it("stops at a signal", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(summarized(30));
    const { sync } = await startKept(service, folder.path);
    await expect(sync({ signal: AbortSignal.abort(new Error("Enough")) })).rejects.toThrow("Enough");
    expect(read(folder.path, "SELECT 1 FROM transcripts")).toHaveLength(30);
  });

  it("continues when a reader prevents erasing, and reports it", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(summarized(30));
    const { told, sync } = await startKept(service, folder.path);
    const reader = new Database(join(folder.path, "calls.db"), { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM calls").get();
    expect(await sync({ force: "full" })).toMatchObject({ verdict: "exact" });
    expect(told).toEqual([
      expect.objectContaining({ summaries: 30 }),
      expect.stringContaining("another process has it open"),
    ]);
    reader.close();
    expect(readActs(folder.path)).toMatchObject([{ erased_at: null }]);
  });
});
