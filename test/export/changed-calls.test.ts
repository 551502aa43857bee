import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AttributionRules, DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { parseChangedSince } from "../../src/config/request/changed-since.ts";
import { importOutcomes } from "../../src/features/outcomes/import-outcomes.ts";
import { OUTCOME_LEDGER, readOutcomeImports } from "../../src/features/outcomes/outcome-imports.ts";
import { removeImport } from "../../src/intake/ledger.ts";
import { restoreWarehouse } from "../../src/operate/backup/restore.ts";
import { backupWarehouse } from "../../src/operate/backup/write-backup.ts";
import { forgetCallers } from "../../src/operate/forget/forget-callers.ts";
import { applyRules } from "../../src/warehouse/attribution/apply-rules.ts";
import { clearAbsence } from "../../src/warehouse/calls/gone.ts";
import { refreshZone } from "../../src/warehouse/calls/zone-view.ts";
import { connect, openExistingWarehouse } from "../../src/warehouse/file/open.ts";
import { readRuns, sealRun, startRun } from "../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { draws, least } from "../support/draws.ts";
import { exportToStream, makeWarehouse } from "../support/figures/produce-files.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { locked, markGone, pruneTo, storeCalls } from "../support/warehouses/warehouse.ts";

const NOW = Date.parse("2026-10-02T00:00:00.000Z");
const ALL = "1970-01-01";
const numberOf = (caller: number) => `+4930123450${caller}`;

const callOf = (call_id: number, { caller = 1, day = 1, word = "tap", sign = "a" } = {}) =>
  makeCall({
    call_id,
    caller_id: numberOf(caller),
    call_started: new Date(Date.UTC(2026, 8, day)).toISOString(),
    duration: 10 * day,
    disposition: "answered",
    utm_source: word,
    summary: `About the ${word}.`,
    transcription: `Hello, my ${word} leaks.`,
    recording_url: `https://recordings.example.com/${call_id}.mp3?Signature=${sign}`,
  });

type Row = Readonly<Record<string, unknown>>;

/** A service that reads the warehouse, and a warehouse that lives. */
class Account implements Disposable {
  readonly #made = makeWarehouse([callOf(1), callOf(2, { day: 2 })]);
  rules: AttributionRules = DEFAULT_RULES;
  #backup: string | undefined;

  get database(): string {
    return this.#made.database;
  }

  async change<T>(work: (warehouse: Warehouse) => T): Promise<T> {
    using warehouse = openExistingWarehouse(this.database);
    warehouse.sqlite.pragma("synchronous = OFF");
    return await work(warehouse);
  }

  async list(since: string, { isGoneListed = true } = {}) {
    let text = "";
    const { manifest } = await exportToStream({
      database: this.database,
      lookbackHours: 72,
      rules: this.rules,
      timezone: "UTC",
      targets: [{ kind: "calls", with: ["caller_id", "summary", "transcription", "recording_url"] }],
      format: { format: "json" },
      filter: isGoneListed ? { include_gone: true } : {},
      changedSince: parseChangedSince(since),
      writeChunk: async (chunk) => {
        text += chunk;
      },
    });
    const rows: Row[] = JSON.parse(text);
    return { rows, changes: manifest.changes ?? { until: "" }, run: manifest.run };
  }

  view(since: string): Row[] {
    using reader = connect({ path: this.database });
    return reader.sqlite
      .prepare<[string], Row>("SELECT * FROM attributed_calls WHERE changed_at > ?")
      .all(since);
  }

  importJobs(lines: readonly string[]): void {
    const file = join(this.#made.folder, "..", "jobs.csv");
    writeFileSync(file, ["job_id,call_id,stage,amount", ...lines, ""].join("\n"));
    const own = { database: this.database, currency: undefined, timezone: "UTC" };
    importOutcomes(own, [file], { source: "jobs", named: "EUR", withinDays: 30, map: {}, stages: new Map() });
  }

  async backUp(): Promise<void> {
    this.#backup = join(this.#made.folder, "..", "backup.db");
    await backupWarehouse(this.database, this.#backup);
  }

  async restore(): Promise<void> {
    if (this.#backup !== undefined)
      await restoreWarehouse(this.#backup, this.database, { nowMs: Date.now() });
  }

  [Symbol.dispose](): void {
    this.#made[Symbol.dispose]();
  }
}

const id = fc.integer({ min: 1, max: 6 });
const few = fc.integer({ min: 1, max: 3 });
const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("call"),
      id,
      caller: few,
      day: id,
      word: fc.constantFrom("tap", "Tap", "roof"),
      sign: fc.string(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom("gone", "back"), id }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("rules", "unit", "topics", "digests"), id }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("forget", "prune", "zone"), id: few }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("jobs", "undo jobs"), id }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("clock", "back up", "restore"), id }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("load"), id }) },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

async function live(account: Account, { kind, id, ...call }: Event): Promise<unknown> {
  const { rules } = account;
  const change: Record<string, () => unknown> = {
    call: () => account.change((warehouse) => storeCalls(warehouse, [callOf(id, call)])),
    gone: () => account.change((warehouse) => markGone(warehouse, [id])),
    back: () => account.change((warehouse) => writeTransaction(warehouse, (tx) => clearAbsence(tx, [id]))),
    // The next export applies them, outside a sync.
    rules: () => Object.assign(account, { rules: { ...rules, qualified_seconds: 10 * id } }),
    unit: () =>
      Object.assign(account, {
        rules: { ...rules, duration_unit: id % 2 === 0 ? "seconds" : "milliseconds" },
      }),
    topics: () =>
      Object.assign(account, {
        rules: {
          ...rules,
          topics: [{ topic: `leak ${id}`, phrase: "tap", speaker: null, qualifies: null, value: null }],
        },
      }),
    digests: () => {
      account.rules = { ...rules, caller_digests: true };
      return account.change((warehouse) => applyRules(locked(warehouse), account.rules, { nowMs: NOW }));
    },
    forget: () =>
      account.change((warehouse) =>
        forgetCallers(locked(warehouse), [{ caller: numberOf(id) }], { nowMs: NOW, isUnknownAllowed: true }),
      ),
    prune: () => account.change((warehouse) => pruneTo(warehouse, { summaries: 30 }, NOW)),
    zone: () =>
      account.change((warehouse) => refreshZone(warehouse, id === 1 ? "Asia/Tokyo" : "Europe/Berlin")),
    jobs: () => account.importJobs([`A${id % 2},${id},sold,${id}0`, `B,${(id % 6) + 1},lost,`]),
    "undo jobs": () =>
      account.change((warehouse) => {
        const last = readOutcomeImports(warehouse).find(({ rows, removed_at }) => rows > 0 && !removed_at);
        if (last)
          removeImport(warehouse, OUTCOME_LEDGER, { number: last.number, removedAt: "2026-10-02T00:00:00Z" });
      }),
    // Until now, the clock was an hour ahead.
    clock: () =>
      account.change(({ sqlite }) => sqlite.exec("UPDATE moment SET moment_ms = moment_ms + 3600000")),
    "back up": () => account.backUp(),
    restore: () => account.restore(),
  };
  return await change[kind]?.();
}

const WITHOUT_SIGNATURE = (_: string, value: unknown) =>
  typeof value === "string" ? value.replace(/\?Signature=.*/s, "") : value;
const byId = (rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.call_id, JSON.stringify(row, WITHOUT_SIGNATURE)]));

describe("changed calls", () => {
  it("miss no change of a random life, and come once", { timeout: 600_000 }, async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 4, maxLength: 24, size: "max" }), async (life) => {
        using account = new Account();
        const [listed, viewed] = [new Map<unknown, string>(), new Map<unknown, string>()];
        let [cursor, latest] = [ALL, ""];
        const load = async () => {
          const { rows, changes } = await account.list(cursor);
          for (const [key, row] of byId(rows)) listed.set(key, row);
          cursor = changes.until;
          const fresh = account.view(latest);
          for (const [key, row] of byId(fresh)) viewed.set(key, row);
          for (const { changed_at } of fresh) if (String(changed_at) > latest) latest = String(changed_at);
        };
        for (const each of life) {
          seen.set(each.kind, (seen.get(each.kind) ?? 0) + 1);
          if (each.kind === "load") await load();
          else await live(account, each);
        }
        await load();
        const all = byId((await account.list(ALL)).rows);
        expect([...all].filter(([key, row]) => listed.get(key) !== row)).toEqual([]);
        const view = byId(account.view(""));
        expect([...view].filter(([key, row]) => viewed.get(key) !== row)).toEqual([]);
        expect((await account.list(cursor)).rows).toEqual([]);
      }),
      { numRuns: draws(50) },
    );
    expect(Math.min(...seen.values()), JSON.stringify([...seen])).toBeGreaterThanOrEqual(least(5));
  });

  it("a cursor from before a restore lists changed calls, also where the clock was ahead", async () => {
    using account = new Account();
    await live(account, { kind: "clock", id: 1 });
    await account.backUp();
    await account.change((warehouse) => markGone(warehouse, [1]));
    const { changes } = await account.list(ALL);
    await account.restore();
    const { rows } = await account.list(changes.until);
    expect(rows.map(({ call_id, gone_at }) => [call_id, gone_at])).toEqual([
      [1, null],
      [2, null],
    ]);
  });

  it("a gone call has a mark, and first calls are the calls that count", async () => {
    using account = new Account();
    const { changes } = await account.list(ALL);
    await account.change((warehouse) => markGone(warehouse, [1], "2026-10-01T00:00:00.000Z"));
    const { rows, changes: later } = await account.list(changes.until);
    expect(
      rows.map(({ call_id, gone_at, first_time_caller }) => [call_id, gone_at, first_time_caller]),
    ).toEqual([
      [1, "2026-10-01T00:00:00.000Z", 0],
      [2, null, 1],
    ]);
    expect(rows.map(({ changed_at }) => changed_at)).toEqual([later.until, later.until]);
    expect(later.after).toBe(changes.until);
    const counted = await account.list(changes.until, { isGoneListed: false });
    expect(counted.rows.map(({ call_id }) => call_id)).toEqual([2]);
  });

  it("since a run are those that changed after it", async () => {
    using account = new Account();
    const runId = await account.change((warehouse) => {
      const start = {
        started_at: "2026-10-01T01:00:00.000Z",
        mode: "full",
        plan_reason: "",
        pid: 1,
      } as const;
      const started = startRun(warehouse, start);
      storeCalls(warehouse, [callOf(3)], { runId: started });
      writeTransaction(warehouse, (tx) => sealRun(tx, started, {}));
      storeCalls(warehouse, [callOf(4)]);
      startRun(warehouse, start);
      expect(readRuns(warehouse, 1)[0]?.status).toBe("running");
      return started;
    });
    const { rows } = await account.list(String(runId));
    expect(rows.map(({ call_id }) => call_id)).toEqual([4]);
    await expect(account.list(String(runId + 1))).rejects.toThrow(`run ${runId + 1} is running`);
    await expect(account.list("99")).rejects.toThrow(`run 99 does not exist; the last one is ${runId + 1}`);
  });

  it("cannot be listed since a time to come", async () => {
    using account = new Account();
    await expect(account.list("2999-01-01")).rejects.toThrow(
      "--changed_since 2998-12-31T23:59:59.999Z is in the future",
    );
  });
});
