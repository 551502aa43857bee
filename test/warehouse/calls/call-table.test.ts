import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashCall } from "../../../src/calls/call.ts";
import { CALL_COLUMNS, type Call, TRANSCRIPT_COLUMNS } from "../../../src/calls/columns.ts";
import {
  countCalls,
  prepareUpsertCalls,
  readCallCount,
  type UpsertResult,
} from "../../../src/warehouse/calls/call-table.ts";
import { calls } from "../../../src/warehouse/calls/calls.ts";
import { call_facts } from "../../../src/warehouse/calls/facts.ts";
import { transcripts } from "../../../src/warehouse/calls/transcripts.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { draws } from "../../support/draws.ts";
import { arbitraryCalls, FULL_CALL, makeCall } from "../../support/warehouses/calls.ts";
import { deleteCalls, markGone, newWarehouse, storeCalls } from "../../support/warehouses/warehouse.ts";

interface Counts {
  new: number;
  changed: number;
}

const pickMembers = (call: Call, columns: readonly (keyof Call)[]) =>
  Object.fromEntries(columns.map((column) => [column, call[column]]));

/** The row of a call in `calls`. */
function toRow(call: Call, first_run_id = 1, changed_run_id = first_run_id) {
  return {
    ...pickMembers(call, CALL_COLUMNS),
    row_hash: hashCall(call),
    first_run_id,
    changed_run_id,
    missing_since: null,
    gone_at: null,
    absent_since: null,
    absent_passes: null,
    unlisted_since: null,
    served_hash: hashCall(call),
    withheld: null,
    caller_digest: null,
  };
}

function toTranscript(call: Call) {
  return pickMembers(call, ["call_id", ...TRANSCRIPT_COLUMNS]);
}

function readAll({ db }: Warehouse) {
  return {
    calls: db.select().from(calls).orderBy(calls.call_id).all(),
    transcripts: db.select().from(transcripts).orderBy(transcripts.call_id).all(),
  };
}

function upsert(warehouse: Warehouse, runId: number, ...pages: Call[][]): Counts[] {
  return upsertPages(warehouse, runId, pages).map(({ newIds, changed }) => ({ new: newIds.size, changed }));
}

function upsertPages(warehouse: Warehouse, runId: number, pages: Call[][]): UpsertResult[] {
  const upsertCalls = prepareUpsertCalls(warehouse, runId);
  return pages.map((page) => writeTransaction(warehouse, (tx) => upsertCalls(tx, page)));
}

const totalChanges = ({ sqlite }: Warehouse) =>
  sqlite.prepare<[], number>("SELECT total_changes()").pluck().get() ?? 0;

/** What the upserts must leave, in memory. */
class Model {
  readonly kept = new Map<number, { call: Call; first: number; changed: number }>();

  upsert(runId: number, page: readonly Call[]): UpsertResult {
    const newIds = new Set<number>();
    const counts = { changed: 0, conflicting: 0 };
    const written = new Set<number>();
    for (const call of page) {
      const known = this.kept.get(call.call_id);
      if (known !== undefined && this.#isSame(known.call, call)) {
        known.call = { ...known.call, recording_url: call.recording_url };
        continue;
      }
      if (written.has(call.call_id)) counts.conflicting++;
      else if (known === undefined) newIds.add(call.call_id);
      else if (known.changed !== runId) counts.changed++;
      written.add(call.call_id);
      this.kept.set(call.call_id, { call, first: known?.first ?? runId, changed: runId });
    }
    return { ...counts, newIds, written };
  }

  /** All members except the recording's signature. */
  #isSame(a: Call, b: Call): boolean {
    const unsigned = (call: Call) =>
      JSON.stringify({ ...call, recording_url: call.recording_url?.split("?")[0] });
    return unsigned(a) === unsigned(b);
  }

  readAll() {
    const kept = [...this.kept.values()].sort((a, b) => a.call.call_id - b.call.call_id);
    return {
      calls: kept.map(({ call, first, changed }) => toRow(call, first, changed)),
      transcripts: kept.flatMap(({ call }) =>
        TRANSCRIPT_COLUMNS.every((column) => call[column] === null) ? [] : [toTranscript(call)],
      ),
    };
  }
}

/** Few calls with few contents, so that pages of one run and of several runs repeat and contradict each other. */
const runs: fc.Arbitrary<Call[][][]> = fc.array(
  fc.array(
    fc.array(
      fc
        .record({
          call_id: fc.integer({ min: -1, max: 2 }),
          disposition: fc.constantFrom("ANSWERED", "BUSY"),
          recording_url: fc.constantFrom(
            null,
            "https://r.example/1?id=1&Signature=1",
            "https://r.example/1?id=1&Signature=2",
            "https://r.example/2",
          ),
          summary: fc.constantFrom(null, null, "", "A tap."),
          utm_source: fc.constantFrom(null, "", "Google", "google"),
        })
        .map(makeCall),
      { maxLength: 5 },
    ),
    { maxLength: 3 },
  ),
  { maxLength: 4 },
);

describe("prepareUpsertCalls", () => {
  it("stores and counts the same as a map in memory", () => {
    using warehouse = newWarehouse();
    fc.assert(
      fc.property(runs, (pagesOfRuns) => {
        deleteCalls(warehouse);
        const model = new Model();
        for (const [index, pages] of pagesOfRuns.entries()) {
          const expected = pages.map((page) => model.upsert(index + 1, page));
          expect(upsertPages(warehouse, index + 1, pages)).toEqual(expected);
        }
        expect(readAll(warehouse)).toEqual(model.readAll());
      }),
      { numRuns: draws(100) },
    );
  });

  it("stores the hash of the call as last served", () => {
    using warehouse = newWarehouse();
    const upsertCalls = prepareUpsertCalls(warehouse, 1);
    const kept = warehouse.sqlite.prepare("SELECT served_hash FROM calls").pluck();
    for (const duration of [60, 61]) {
      const call = makeCall({ call_id: 1, duration });
      writeTransaction(warehouse, (tx) => upsertCalls(tx, [call]));
      expect(kept.get()).toBe(hashCall(call));
      // For example after a caller was forgotten: the call is then found by its stored values.
      warehouse.sqlite.exec("UPDATE calls SET served_hash = NULL");
      expect(writeTransaction(warehouse, (tx) => upsertCalls(tx, [call]))).toMatchObject({ changed: 0 });
      expect(kept.get()).toBe(hashCall(call));
    }
  });

  it("returns every value unchanged", () => {
    using warehouse = newWarehouse();
    fc.assert(
      fc.property(arbitraryCalls(20), (page) => {
        deleteCalls(warehouse);
        const model = new Model();
        expect(upsertPages(warehouse, 1, [page])).toEqual([model.upsert(1, page)]);
        expect(readAll(warehouse)).toEqual(model.readAll());
      }),
      { numRuns: draws(50) },
    );
  });

  it("stores U+FFFD for half a surrogate pair, and treats the same half as unchanged", () => {
    using warehouse = newWarehouse();
    const call = makeCall({ utm_source: "A\ud83d", gclid: "\udcde", summary: "\ud83d" });
    upsert(warehouse, 1, [call]);
    const kept = { utm_source: "A\ufffd", gclid: "\ufffd", summary: "\ufffd" };
    expect(readAll(warehouse)).toEqual({
      calls: [{ ...toRow(makeCall(kept)), row_hash: hashCall(call) }],
      transcripts: [toTranscript(makeCall(kept))],
    });
    expect(warehouse.db.select().from(call_facts).get()).toMatchObject({
      utm_source_folded: "a\ufffd",
      gclid: "\ufffd",
    });
    expect(upsert(warehouse, 2, [call])).toEqual([{ new: 0, changed: 0 }]);
  });

  it("writes nothing for unchanged calls", () => {
    using warehouse = newWarehouse();
    const page = [FULL_CALL, makeCall({ call_id: 2, utm_source: "bing" })];
    upsert(warehouse, 1, page);
    const [before, rows] = [totalChanges(warehouse), readAll(warehouse)];
    expect(upsert(warehouse, 2, page, page)).toEqual([
      { new: 0, changed: 0 },
      { new: 0, changed: 0 },
    ]);
    expect(totalChanges(warehouse), "only the moments").toBe(before + 2);
    expect(readAll(warehouse)).toEqual(rows);
    expect(rows.calls.map(({ changed_run_id }) => changed_run_id)).toEqual([1, 1]);
  });

  it("counts a change of a recording's address, and of the members of its query", () => {
    using warehouse = newWarehouse();
    const signed = (url: string) => [makeCall({ recording_url: url })];
    upsert(warehouse, 1, signed("https://r.example/5.mp3?Expires=1&Signature=a"));
    for (const [run, url] of [
      [3, "https://r.example/6.mp3?Expires=2&Signature=b"],
      [4, "https://r.example/6.mp3?Expires=2&Signature=b&track=2"],
      [5, "https://r.example/6.mp3?Expires=2&Signature=b&track=3"],
    ] as const) {
      expect(upsert(warehouse, run, signed(url))).toEqual([{ new: 0, changed: 1 }]);
    }
  });

  it("leaves no trace of a page that was rolled back, and writes it in the next run", () => {
    using warehouse = newWarehouse();
    const page = [makeCall({ utm_source: "Google", caller_id: "+491" })];
    const failing = () => {
      storeCalls(warehouse, page);
      throw new Error("the disk is full");
    };
    const tables = ["calls", "call_facts", "callers"];
    const countRows = () =>
      tables.map((table) => warehouse.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    expect(() => writeTransaction(warehouse, failing)).toThrow("the disk is full");
    expect([...countRows(), readCallCount(warehouse)]).toEqual([0, 0, 0, 0]);
    expect(upsert(warehouse, 2, page)).toEqual([{ new: 1, changed: 0 }]);
    expect([...countRows(), readCallCount(warehouse)]).toEqual([1, 1, 1, 1]);
  });
});

describe("countCalls", () => {
  it("counts live and gone calls separately", () => {
    using warehouse = newWarehouse();
    expect(countCalls(warehouse)).toEqual({ live: 0, gone: 0 });
    upsert(
      warehouse,
      1,
      [1, 2, 3].map((call_id) => makeCall({ call_id })),
    );
    markGone(warehouse, [2]);
    expect(countCalls(warehouse)).toEqual({ live: 2, gone: 1 });
  });
});
