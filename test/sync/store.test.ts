import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/calls/columns.ts";
import { forgetCallers } from "../../src/operate/forget/forget-callers.ts";
import type { Drift, ParsedRow } from "../../src/service/api/parse-row.ts";
import { type PageSlice, toSlice } from "../../src/sync/fetch.ts";
import { PageStore } from "../../src/sync/store.ts";
import { keepingAll } from "../../src/warehouse/calls/call-guard.ts";
import { readDrift } from "../../src/warehouse/calls/drift.ts";
import { readUnsettled, settleCallers } from "../../src/warehouse/calls/first-load.ts";
import { markAbsent } from "../../src/warehouse/calls/gone.ts";
import { readRejected } from "../../src/warehouse/calls/rejected.ts";
import { readOrigin } from "../../src/warehouse/origin.ts";
import { readPages } from "../../src/warehouse/runs/page-table.ts";
import { readRuns, startRun, updateRun } from "../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { draws, least } from "../support/draws.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { deleteCalls, locked, newWarehouse } from "../support/warehouses/warehouse.ts";

const NOW = "2026-11-20T15:00:00.000Z";
const LATER = "2026-11-20T16:00:00.000Z";

/** Begins a run, and a store that writes its pages. */
function startStore(warehouse: Warehouse, pages = 0): PageStore {
  const started = { started_at: NOW, mode: "full", plan_reason: "", pid: process.pid } as const;
  return storeOf(warehouse, startRun(warehouse, started), pages);
}

function storeOf(warehouse: Warehouse, runId: number, pages: number): PageStore {
  return new PageStore(warehouse, { runId, pid: process.pid }, pages, {
    claim: { baseUrl: new URL("https://api.example.com"), token: "secret", isRebound: false },
    signature: new Set(["sig"]),
    keeping: keepingAll(warehouse),
  });
}

const callOf = (call_id: number, members: Partial<Call> = {}, drift: readonly Drift[] = []) => ({
  call: makeCall({ call_id, call_started: NOW, ...members }),
  drift,
});

const rejectedOf = (call_id: number | null, json = "{}") => ({
  rejected: { call_id, json, path: "duration", reason: "no integer" },
});

/** A response; `attempt` is its place in the order of sending, if known. */
function pageOf(
  rows: readonly ParsedRow[],
  attempt?: number,
  offset = 0,
  nextAttempt = (attempt ?? 0) + 1,
): PageSlice {
  const page = { rows, total: 40, limit: 20, offset, requestId: `request ${attempt}` };
  if (attempt === undefined) return toSlice(page);
  return toSlice({ ...page, exchange: { attempt, nextAttempt, sentMs: 0, receivedMs: 0, ageSeconds: 0 } });
}

/** New, changed, returned and conflicting calls. */
const countsOf = ({ counts }: PageStore) => [
  counts.calls_new,
  counts.calls_changed,
  counts.calls_returned,
  counts.calls_conflicting,
];

const readAll = ({ sqlite }: Warehouse, query: string) => sqlite.prepare(query).all();
const readDurations = (warehouse: Warehouse) =>
  readAll(warehouse, "SELECT call_id, duration FROM calls ORDER BY 1");

describe("PageStore", () => {
  it("writes each page with its calls, its place in the ledger, and its counts of new calls", () => {
    using warehouse = newWarehouse();
    const store = startStore(warehouse);
    expect(store.lastWritten).toEqual(new Set());
    store.save(pageOf([callOf(3), rejectedOf(2), callOf(1)], 0), NOW);
    expect(store.lastWritten).toEqual(new Set([1, 3]));
    expect(countsOf(store)).toEqual([2, 0, 0, 0]);
    const { isOld: _, ...bare } = pageOf([callOf(1), callOf(0)], 1, 2);
    store.save(bare, LATER);
    expect(store.lastWritten).toEqual(new Set([0]));
    expect(readRuns(warehouse, 1)).toMatchObject([{ calls_new: 3, calls_changed: 0 }]);
    store.save({ ...pageOf([callOf(0)], 2, 3), isOld: true }, LATER);
    const page = { run_id: 1, total: 40 };
    expect(readPages(warehouse, 1)).toMatchObject([
      {
        ...page,
        seq: 0,
        offset: 0,
        row_count: 3,
        call_ids: "[3,2,1]",
        order_members: JSON.stringify({ started: [NOW, null, NOW], name: [null, null, null], rejected: [1] }),
        request_id: "request 0",
        is_old: false,
        fetched_at: NOW,
      },
      { ...page, seq: 1, offset: 2, row_count: 2, call_ids: "[1,0]", is_old: false, fetched_at: LATER },
      { ...page, seq: 2, offset: 3, row_count: 1, is_old: true },
    ]);
    expect(readOrigin(warehouse).base_url).toBe("https://api.example.com");
  });

  it("keeps no number of a forgotten caller in the ledger, in pages before and after", () => {
    using warehouse = newWarehouse();
    const page = pageOf([
      callOf(2, { insight_name: "Call +49\t30 123456" }),
      callOf(1, { insight_name: "B" }),
    ]);
    const readNames = () =>
      readPages(warehouse, 1).map(({ order_members }) => JSON.parse(order_members ?? "null")?.name);
    startStore(warehouse).save(page, NOW);
    expect(readNames()).toEqual([["Call +49\t30 123456", "B"]]);
    // The run is still in the ledger as interrupted.
    forgetCallers(locked(warehouse), [{ caller: "+4930123456" }], { nowMs: 0 });
    expect(readNames()).toEqual([undefined]);
    storeOf(warehouse, 1, 1).save(page, LATER);
    expect(readNames()).toEqual([undefined, [null, "B"]]);
  });

  it("continues its counts after an interruption", () => {
    using warehouse = newWarehouse();
    startStore(warehouse).save(pageOf([callOf(2), callOf(1)]), NOW);
    updateRun(warehouse, 1, { calls_changed: 10, calls_returned: 20, calls_conflicting: 30 });
    const store = storeOf(warehouse, 1, 1);
    store.save(pageOf([callOf(1), callOf(0)]), LATER);
    expect(countsOf(store)).toEqual([3, 10, 20, 30]);
    expect(readPages(warehouse, 1).map(({ seq }) => seq)).toEqual([0, 1]);
  });

  it("counts changed, returned and repeated calls", () => {
    using warehouse = newWarehouse();
    startStore(warehouse).save(pageOf([callOf(3), callOf(2), callOf(1)]), NOW);
    startRun(warehouse, { started_at: NOW, mode: "full", plan_reason: "", pid: 1 });
    const pass = { runId: 2, startedAt: NOW, isById: false, clockAheadMs: null, waitMs: 0, limit: () => 3 };
    warehouse.sqlite.transaction(() => writeTransaction(warehouse, (tx) => markAbsent(tx, pass)))();
    const store = startStore(warehouse);
    store.save(pageOf([callOf(3, { duration: 5 }), callOf(2), callOf(2, { duration: 6 })]), NOW);
    expect(countsOf(store)).toEqual([0, 2, 2, 0]);
    store.save(pageOf([callOf(4), callOf(4, { duration: 6 }), rejectedOf(1)]), NOW);
    expect(countsOf(store)).toEqual([1, 2, 3, 1]);
    expect(readAll(warehouse, "SELECT 1 FROM calls WHERE missing_since IS NOT NULL")).toEqual([]);
  });

  it("finds a call unchanged if only its link has a new signature, and stores the link", () => {
    using warehouse = newWarehouse();
    const link = (signature: string) => `https://r.example/1?track=1&sig=${signature}`;
    const rowsOf = (signature: string) => [
      callOf(1, { recording_url: link(signature) }),
      callOf(2, { recording_url: link("a") }),
      callOf(3),
    ];
    startStore(warehouse).save(pageOf(rowsOf("a")), NOW);
    const store = startStore(warehouse);
    store.save(pageOf(rowsOf("b")), NOW);
    expect(store.counts).toMatchObject({ calls_new: 0, calls_changed: 0 });
    expect(store.lastWritten).toEqual(new Set());
    expect(readAll(warehouse, "SELECT recording_url FROM calls ORDER BY call_id")).toEqual([
      { recording_url: link("b") },
      { recording_url: link("a") },
      { recording_url: null },
    ]);
    expect(readPages(warehouse, 2)).toMatchObject([{ call_ids: "[1,2,3]", row_count: 3 }]);
  });

  it("quarantines rows that cannot be parsed, dated by the first time, until the call can be parsed", () => {
    using warehouse = newWarehouse();
    startStore(warehouse).save(pageOf([rejectedOf(1), rejectedOf(2), rejectedOf(null, "null")]), NOW);
    const store = startStore(warehouse);
    store.save(pageOf([rejectedOf(1), rejectedOf(3)]), NOW);
    const seen = () =>
      readRejected(warehouse).map(({ call_id, first_run_id, last_run_id }) => [
        call_id,
        first_run_id,
        last_run_id,
      ]);
    expect(seen()).toEqual([
      [1, 1, 2],
      [2, 1, 1],
      [3, 2, 2],
      [null, 1, 1],
    ]);
    store.save(pageOf([callOf(2), callOf(3)]), NOW);
    expect(seen()).toEqual([
      [1, 1, 2],
      [null, 1, 1],
    ]);
    // Also from its own pages, if there were none before.
    warehouse.sqlite.exec("DELETE FROM rejected_calls");
    const last = startStore(warehouse);
    last.save(pageOf([rejectedOf(5)]), NOW);
    expect(seen()).toEqual([[5, 3, 3]]);
    last.save(pageOf([callOf(5)]), NOW);
    expect(seen()).toEqual([]);
    // And from earlier runs at the same time.
    startStore(warehouse).save(pageOf([rejectedOf(7)]), NOW);
    startStore(warehouse).save(pageOf([callOf(7)]), NOW);
    expect(seen()).toEqual([]);
  });

  it("forgets its pages when another walk begins, but neither their calls nor the counts", () => {
    using warehouse = newWarehouse();
    const store = startStore(warehouse);
    updateRun(warehouse, 1, { resumed: 3 });
    store.save(pageOf([callOf(1)]), NOW);
    store.save(pageOf([callOf(2)]), NOW);
    store.startOver("source_name asc");
    expect(readPages(warehouse, 1)).toEqual([]);
    expect(readRuns(warehouse, 1)).toMatchObject([{ resumed: null, sort: "source_name asc", calls_new: 2 }]);
    store.save(pageOf([callOf(2), callOf(3)]), NOW);
    expect(readPages(warehouse, 1)).toMatchObject([{ seq: 0, call_ids: "[2,3]" }]);
    expect(store.counts).toMatchObject({ calls_new: 3 });
  });

  it("records members that are not as documented once each, up to 1,000 in one run", () => {
    using warehouse = newWarehouse();
    const member = (path: string, kind: Drift["kind"] = "unknown") => ({ path, kind, json_type: "number" });
    const store = startStore(warehouse);
    store.save(pageOf([callOf(1, {}, [member("a"), member("b"), member("b", "type")])]), NOW);
    const first = { json_type: "number", first_run_id: 1, first_seen_at: NOW };
    expect(readDrift(warehouse)).toEqual([
      { path: "a", kind: "unknown", ...first },
      { path: "b", kind: "type", ...first },
      { path: "b", kind: "unknown", ...first },
    ]);
    // Known values take no space.
    store.save(pageOf([callOf(2, {}, [member("a"), member("b")])]), LATER);
    const many = Array.from({ length: 1100 }, (_, at) => member(`c${at}`));
    store.save(pageOf([callOf(3, {}, many)]), LATER);
    expect(readDrift(warehouse)).toHaveLength(1000);
    expect(readDrift(warehouse).at(-1)).toMatchObject({ first_seen_at: LATER });
  });

  it("updates callers with each page, except in a first load, which computes them at its end", () => {
    using warehouse = newWarehouse();
    const caller = (id: number) => callOf(id, { caller_id: `+49301${id}` });
    const countCallers = () =>
      readAll(warehouse, "SELECT * FROM callers WHERE first_call_id IS NOT NULL").length;
    const first = startStore(warehouse);
    first.save(pageOf([caller(1)]), NOW);
    first.save(pageOf([caller(2)]), NOW);
    expect([readUnsettled(warehouse), countCallers()]).toEqual([2, 0]);
    // An interrupted load is still a first load.
    storeOf(warehouse, 1, 2).save(pageOf([caller(3)]), NOW);
    expect([readUnsettled(warehouse), countCallers()]).toEqual([3, 0]);
    warehouse.sqlite.transaction(() => writeTransaction(warehouse, (tx) => settleCallers(tx)))();
    startStore(warehouse).save(pageOf([caller(4)]), NOW);
    expect([readUnsettled(warehouse), countCallers()]).toEqual([0, 4]);
  });

  it("writes nothing for a run that another process has taken over", () => {
    using warehouse = newWarehouse();
    const store = startStore(warehouse);
    store.save(pageOf([callOf(1)]), NOW);
    updateRun(warehouse, 1, { pid: 1 });
    const taken = expect.objectContaining({ exitCode: 6 });
    expect(() => store.save(pageOf([callOf(2)]), NOW)).toThrow(taken);
    expect(() => store.startOver("own")).toThrow(taken);
    expect(readDurations(warehouse)).toHaveLength(1);
    expect(readPages(warehouse, 1)).toHaveLength(1);
    expect(store.counts).toMatchObject({ calls_new: 1 });
  });

  it("stores the newest version of a call from concurrent responses, or marks the call as disputed", () => {
    using warehouse = newWarehouse();
    const seen = { disputed: 0, settled: 0 };
    const response = fc.record({
      sent: fc.nat({ max: 8 }),
      took: fc.integer({ min: 1, max: 4 }),
      at: fc.nat(),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(response, { minLength: 2, maxLength: 6, selector: ({ sent }) => sent }),
        fc.uniqueArray(fc.nat({ max: 48 }), { maxLength: 4 }),
        (responses, edits) => {
          warehouse.sqlite.exec("DELETE FROM sync_runs; DELETE FROM transcripts");
          deleteCalls(warehouse);
          const store = startStore(warehouse);
          // The service responds at some moment between: four moments to each step.
          const versionAt = (moment: number) => edits.filter((edit) => edit <= moment).length;
          let newest = 0;
          for (const { sent, took, at } of responses) {
            const duration = versionAt(sent * 4 + (at % (took * 4)));
            newest = Math.max(newest, duration);
            store.save(pageOf([callOf(1, { duration })], sent, 0, sent + took), NOW);
            if (store.disputed.has(1)) seen.disputed++;
            else expect(readDurations(warehouse)).toEqual([{ call_id: 1, duration: newest }]);
          }
          const last = edits.length;
          const wasDisputed = store.disputed.size > 0;
          store.settle(pageOf([callOf(1, { duration: last }), callOf(2)], 20));
          seen.settled += Number(wasDisputed);
          expect(store.disputed).toEqual(new Set());
          // Undisputed calls of the page are not changed.
          expect(readDurations(warehouse)).toEqual([{ call_id: 1, duration: wasDisputed ? last : newest }]);
        },
      ),
      { numRuns: draws(400) },
    );
    expect(seen.disputed).toBeGreaterThanOrEqual(least(40));
    expect(seen.settled).toBeGreaterThanOrEqual(least(20));
  });

  it("keeps a call disputed if a repeated page lacks it or has it unreadable", () => {
    using warehouse = newWarehouse();
    const store = startStore(warehouse);
    store.save(pageOf([callOf(1, { duration: 2 })], 0, 0, 2), NOW);
    store.save(pageOf([callOf(1, { duration: 1 })], 1, 0, 2), NOW);
    expect(store.disputed).toEqual(new Set([1]));
    for (const page of [pageOf([callOf(2)], 2), pageOf([rejectedOf(1)], 3), pageOf([callOf(1)])]) {
      store.settle(page);
      expect(store.disputed).toEqual(new Set([1]));
    }
    // A response known to be older does not settle it either; a later one of the walk does.
    store.save(pageOf([callOf(1, { duration: 2 })], 9), NOW);
    expect(store.disputed).toEqual(new Set());
    expect(readDurations(warehouse)).toEqual([{ call_id: 1, duration: 2 }]);
  });
});
