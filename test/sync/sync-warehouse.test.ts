import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { type PageSlice, toSlice } from "../../src/sync/fetch.ts";
import type { Run } from "../../src/sync/read-calls.ts";
import { syncWarehouse } from "../../src/sync/sync-warehouse.ts";
import type { SyncRun } from "../../src/warehouse/runs/runs.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeCall } from "../support/calls.ts";
import { draws } from "../support/draws.ts";
import { deleteCalls, newWarehouse } from "../support/warehouse.ts";
import { makeRun } from "./scene.ts";

const RUNS = Number(process.env.CALLTALLY_TIMELINES ?? draws(120));
const HOUR_MS = 3_600_000;

/** An event at the service before one of its responses. */
type Event = { kind: "new" | "late" | "delete" | "edit"; at: number; count: number };

interface Timeline {
  order: "newest" | "oldest";
  /** Which of its calls the service lists: all, the newest ones, or those of some hours. */
  window: { newest: number } | { hours: number } | undefined;
  initial: number;
  limit: number;
  syncs: {
    hoursBefore: number;
    eventsBefore: Event[];
    during: Event[][];
    force: "full" | "incremental" | undefined;
  }[];
  goneAfterHours: number;
}

const event = fc.record({
  kind: fc.constantFrom(
    "new" as const,
    "new" as const,
    "late" as const,
    "delete" as const,
    "delete" as const,
    "edit" as const,
  ),
  at: fc.nat({ max: 1000 }).map((thousandths) => thousandths / 1000),
  count: fc.constantFrom(1, 2, 3, 12),
});

const timelines: fc.Arbitrary<Timeline> = fc.record({
  order: fc.constantFrom("newest" as const, "oldest" as const),
  window: fc.option(
    fc.oneof(
      fc.record({ newest: fc.integer({ min: 20, max: 60 }) }),
      fc.record({ hours: fc.integer({ min: 40, max: 120 }) }),
    ),
    { nil: undefined },
  ),
  initial: fc.integer({ min: 0, max: 80 }),
  limit: fc.integer({ min: 6, max: 20 }),
  goneAfterHours: fc.constantFrom(0, 6),
  syncs: fc.array(
    fc.record({
      hoursBefore: fc.constantFrom(0, 1, 7, 30),
      eventsBefore: fc.array(event, { maxLength: 4 }),
      during: fc.array(fc.array(event, { maxLength: 1 }), { maxLength: 6 }),
      force: fc.constantFrom(undefined, undefined, undefined, "full" as const),
    }),
    { minLength: 2, maxLength: 5 },
  ),
});

/** A service that lists its calls by time; calls arrive at the live end, sometimes late, and disappear anywhere. */
class TimedServer implements Clock {
  readonly order: "newest" | "oldest";
  readonly limit: number;
  readonly #window: Timeline["window"];
  #nowMs = Date.parse("2026-06-01T00:00:00.000Z");
  /** Oldest first. */
  #calls: { id: number; startedMs: number; duration: number }[] = [];
  #nextId = 1;
  #listedThroughout = new Set<number>();
  #during: Event[][] = [];
  #requests = 0;

  constructor({ order, limit, window, initial }: Timeline) {
    this.order = order;
    this.limit = limit;
    this.#window = window;
    for (let index = 0; index < initial; index++) this.#add(this.#nowMs - (initial - index) * 2 * HOUR_MS);
  }

  now = () => this.#nowMs;
  sleep = async () => {};

  /** All calls, listed or not. */
  get existing(): Set<number> {
    return new Set(this.#calls.map(({ id }) => id));
  }

  get listedThroughout(): number[] {
    return [...this.#listedThroughout];
  }

  /** Oldest first. */
  get #listed() {
    if (this.#window === undefined) return this.#calls;
    if ("newest" in this.#window) return this.#calls.slice(-this.#window.newest);
    const sinceMs = this.#nowMs - this.#window.hours * HOUR_MS;
    return this.#calls.filter(({ startedMs }) => startedMs >= sinceMs);
  }

  begin({ hoursBefore, eventsBefore, during }: Timeline["syncs"][number]): void {
    this.#nowMs += hoursBefore * HOUR_MS;
    for (const happened of eventsBefore) this.#happen(happened);
    this.#listedThroughout = new Set(this.#listed.map(({ id }) => id));
    this.#during = during;
    this.#requests = 0;
  }

  fetch = async (offset: number): Promise<PageSlice> => {
    for (const happened of this.#during[this.#requests++] ?? []) this.#happen(happened);
    this.#nowMs += 1000;
    const oldestFirst = this.#listed;
    const ids = new Set(oldestFirst.map(({ id }) => id));
    this.#listedThroughout = new Set([...this.#listedThroughout].filter((id) => ids.has(id)));
    const listed = this.order === "oldest" ? oldestFirst : oldestFirst.toReversed();
    const rows = listed.slice(offset, offset + this.limit).map(({ id, startedMs, duration }) => ({
      call: makeCall({ call_id: id, call_started: new Date(startedMs).toISOString(), duration }),
      drift: [],
    }));
    return toSlice({ rows, total: listed.length, limit: this.limit, offset, requestId: undefined });
  };

  #happen({ kind, at, count }: Event): void {
    const place = Math.floor(at * this.#calls.length);
    if (kind === "new") for (let index = 0; index < count; index++) this.#add(this.#nowMs + index);
    if (kind === "late") this.#add(this.#nowMs - Math.floor(at * 200) * HOUR_MS - 1);
    if (kind === "delete") this.#calls.splice(place, count);
    const edited = this.#calls[place];
    if (kind === "edit" && edited !== undefined) edited.duration++;
  }

  #add(startedMs: number): void {
    const place = this.#calls.findLastIndex((call) => call.startedMs <= startedMs) + 1;
    this.#calls.splice(place, 0, { id: this.#nextId++, startedMs, duration: 10 });
  }
}

function empty(warehouse: Warehouse): void {
  warehouse.sqlite.exec("DELETE FROM sync_runs; DELETE FROM transcripts");
  deleteCalls(warehouse);
}

function readIds({ sqlite }: Warehouse, where: string): number[] {
  return sqlite
    .prepare<[], number>(`SELECT call_id FROM calls WHERE ${where} ORDER BY call_id`)
    .pluck()
    .all();
}

const isSure = ({ verdict }: SyncRun) => verdict === "exact" || verdict === "verified";

/** Runs a timeline; returns its runs, and throws at the first wrong claim. */
async function live(warehouse: Warehouse, timeline: Timeline, rules: Partial<Run> = {}): Promise<SyncRun[]> {
  await setImmediate(); // statements of earlier syncs are only freed between two turns of the event loop
  empty(warehouse);
  const server = new TimedServer(timeline);
  const runs: SyncRun[] = [];
  for (const step of timeline.syncs) {
    server.begin(step);
    const { goneAfterHours } = timeline;
    const run = await syncWarehouse(
      makeRun(warehouse, server.fetch, server, {
        limit: server.limit,
        goneAfterHours,
        force: step.force,
        ...rules,
      }),
    );
    runs.push(run);
    const existing = server.existing;
    expect(readIds(warehouse, "gone_at IS NOT NULL").filter((id) => existing.has(id))).toEqual([]);
    if (!isSure(run)) continue;
    const kept = new Set(readIds(warehouse, "gone_at IS NULL"));
    expect(server.listedThroughout.filter((id) => !kept.has(id))).toEqual([]);
  }
  return runs;
}

describe("syncWarehouse", () => {
  it(`never verifies a pass that misses a call, and never marks an existing call as gone: ${RUNS} services`, async () => {
    using warehouse = newWarehouse();
    const runs: SyncRun[] = [];
    await fc.assert(
      fc.asyncProperty(timelines, async (timeline) => {
        runs.push(...(await live(warehouse, timeline)));
      }),
      { numRuns: RUNS },
    );
    // A property over outcomes that never happen proves nothing.
    expect(runs.filter(isSure).length).toBeGreaterThan(RUNS);
    expect(
      runs.filter(({ mode, verdict }) => mode === "incremental" && verdict === "probable").length,
    ).toBeGreaterThan(RUNS / 40);
    expect(runs.filter(({ calls_gone }) => calls_gone).length).toBeGreaterThan(RUNS / 20);
    expect(runs.filter(({ calls_unlisted }) => calls_unlisted).length).toBeGreaterThan(RUNS / 10);
    expect(runs.filter(({ calls_withheld }) => calls_withheld).length).toBeGreaterThan(0);
  });
});
