import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callers } from "../../../src/warehouse/calls/callers.ts";
import { calls } from "../../../src/warehouse/calls/calls.ts";
import { call_facts } from "../../../src/warehouse/calls/facts.ts";
import {
  type Absence,
  clearAbsence,
  countExpected,
  forgetUnorderedAbsent,
  hasAbsentCalls,
  markAbsent,
  markUnorderedAbsent,
  readMissing,
  readUnlisted,
  readWithheld,
} from "../../../src/warehouse/calls/gone.ts";
import { rejected_calls } from "../../../src/warehouse/calls/rejected.ts";
import { insertPage } from "../../../src/warehouse/runs/page-table.ts";
import { startRun, updateRun } from "../../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { draws, least } from "../../support/draws.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { deleteCalls, newWarehouse, storeCalls } from "../../support/warehouses/warehouse.ts";

const HOUR_MS = 3_600_000;
const START = Date.parse("2026-10-01T00:00:00.000Z");
const at = (hour: number) => new Date(START + hour * HOUR_MS).toISOString();
/** Hours a call has to be missing before it is gone. */
const PATIENCE = 24;

/** The known absence of a call, in memory. */
interface Known {
  missing: string | null;
  gone: string | null;
  absentSince: string | null;
  passes: number | null;
  unlisted: string | null;
}

const LISTED: Known = { missing: null, gone: null, absentSince: null, passes: null, unlisted: null };

type Step =
  | { kind: "ordered" | "unordered"; met: readonly number[]; hours: number; limit: number }
  | { kind: "read"; ids: readonly number[] };

const IDS = [-3, 0, 1, 2, 3, 4, 5, 6];
const someIds = fc.subarray(IDS);
/** A day or several of one service: calls that are missing for long, and others that a single pass does not meet. */
const steps = fc
  .record({
    away: fc.oneof({ weight: 2, arbitrary: fc.subarray(IDS.filter((id) => id < 5)) }, someIds),
    kinds: fc.subarray(["ordered", "unordered"] as const, { minLength: 1 }),
  })
  .chain(({ away, kinds }) => {
    const there = IDS.filter((id) => !away.includes(id));
    const pass = fc.record({
      kind: fc.constantFrom(...kinds),
      met: fc.oneof({ weight: 4, arbitrary: fc.constant(there) }, fc.subarray(there), fc.constant(IDS)),
      // After the pass before it.
      hours: fc.constantFrom(1, 12, 23, 24, 24, 25),
      limit: fc.constantFrom(0, 1, 3, 8, 8, 8),
    });
    const read = fc.record({ kind: fc.constant("read" as const), ids: someIds });
    const step: fc.Arbitrary<Step> = fc.oneof({ weight: 6, arbitrary: pass }, { weight: 1, arbitrary: read });
    return fc.array(step, { minLength: 4, maxLength: 10, size: "max" });
  });

/** The effect of passes on the calls, in memory. */
class Model {
  readonly known = new Map<number, Known>(IDS.map((id) => [id, { ...LISTED }]));

  #where(holds: (known: Known, id: number) => boolean): Known[] {
    return [...this.known].filter(([id, known]) => holds(known, id)).map(([, known]) => known);
  }

  /** Calls that the pass did not meet, and no older than the oldest met; returns how many others are newly unlisted. */
  #leave(met: readonly number[], now: string): number {
    if (met.length === 0) return 0;
    const oldest = met.map(startOf).toSorted()[0] ?? "";
    for (const known of this.#where((_, id) => startOf(id) > oldest)) known.unlisted = null;
    const left = this.#where(
      ({ gone, unlisted }, id) =>
        gone === null && unlisted === null && startOf(id) <= oldest && !met.includes(id),
    );
    for (const known of left) Object.assign(known, { ...LISTED, unlisted: now });
    return left.length;
  }

  ordered(met: readonly number[], now: string, since: string, limit: number): Absence {
    for (const known of this.known.values()) Object.assign(known, { absentSince: null, passes: null });
    const calls_unlisted = this.#leave(met, now);
    const absent = this.#where(
      ({ gone, unlisted }, id) => gone === null && unlisted === null && !met.includes(id),
    );
    const fresh = absent.filter(({ missing }) => missing === null);
    if (fresh.length > limit)
      return { calls_missing: 0, calls_gone: 0, calls_withheld: fresh.length, calls_unlisted };
    const gone = absent.filter(({ missing }) => missing !== null && missing <= since);
    for (const known of gone) known.gone = now;
    for (const known of fresh) known.missing = now;
    return { calls_missing: fresh.length, calls_gone: gone.length, calls_withheld: 0, calls_unlisted };
  }

  unordered(met: readonly number[], now: string, since: string, limit: number): Absence {
    const calls_unlisted = this.#leave(met, now);
    for (const known of this.#where((_, id) => met.includes(id)))
      Object.assign(known, { absentSince: null, passes: null });
    for (const known of this.#where(
      ({ gone, unlisted }, id) => gone === null && unlisted === null && !met.includes(id),
    )) {
      known.absentSince ??= now;
      known.passes = (known.passes ?? 0) + 1;
    }
    const calls_missing = this.#where(({ gone, passes }) => gone === null && passes === 1).length;
    const enough = this.#where(
      ({ gone, passes, absentSince }) =>
        gone === null && (passes ?? 0) >= 3 && absentSince !== null && absentSince <= since,
    );
    if (enough.length > limit)
      return { calls_missing, calls_gone: 0, calls_withheld: enough.length, calls_unlisted };
    for (const known of enough)
      Object.assign(known, { missing: known.absentSince, gone: now, absentSince: null, passes: null });
    return { calls_missing, calls_gone: enough.length, calls_withheld: 0, calls_unlisted };
  }

  /** Returns how many were missing, gone or unlisted. */
  read(ids: readonly number[]): number {
    const back = this.#where((known, id) => (known.missing ?? known.unlisted) !== null && ids.includes(id));
    for (const id of ids) this.known.set(id, { ...LISTED });
    return back.length;
  }

  get rows() {
    return [...this.known].map(([call_id, { missing, gone, absentSince, passes, unlisted }]) => ({
      call_id,
      missing_since: missing,
      gone_at: gone,
      absent_since: absentSince,
      absent_passes: passes,
      unlisted_since: unlisted,
      is_live: gone === null,
    }));
  }
}

function readRows({ db }: Warehouse) {
  const { call_id, missing_since, gone_at, absent_since, absent_passes, unlisted_since } = calls;
  const facts = new Map(
    db
      .select()
      .from(call_facts)
      .all()
      .map((row) => [row.call_id, row.is_live]),
  );
  return db
    .select({ call_id, missing_since, gone_at, absent_since, absent_passes, unlisted_since })
    .from(calls)
    .orderBy(call_id)
    .all()
    .map((row) => ({ ...row, is_live: facts.get(row.call_id) }));
}

/** Starts a run whose pages have these ids, and one that could not be read. */
function passOver(warehouse: Warehouse, met: readonly number[], hour: number): number {
  const runId = startRun(warehouse, { started_at: at(hour), mode: "full", plan_reason: "a test", pid: 1 });
  const pages = [[...met.slice(0, 2), null], met.slice(2)];
  for (const [seq, ids] of pages.entries()) {
    const page = { seq, offset: seq * 3, row_count: ids.length, total: 9, fetched_at: at(0) };
    writeTransaction(warehouse, (tx) =>
      insertPage(tx, { run_id: runId, call_ids: JSON.stringify(ids), ...page }),
    );
  }
  return runId;
}

/** The higher the id, the older the call; the two oldest began at the same moment. */
const startOf = (id: number) => at(-Math.min(id, 5));
const CALLS = IDS.map((call_id) =>
  makeCall({ call_id, caller_id: call_id % 2 ? "+491" : null, call_started: startOf(call_id) }),
);

describe("calls that passes do not meet", () => {
  it("calls are missing, gone and back as in a model in memory, for both kinds of pass and any threshold", () => {
    using warehouse = newWarehouse();
    const seen: Record<string, number> = {};
    let hour = 0;
    const see = (name: string, times: number) => {
      seen[name] = (seen[name] ?? 0) + times;
    };
    fc.assert(
      fc.property(steps, (steps) =>
        writeTransaction(warehouse, (tx) => {
          deleteCalls(warehouse);
          storeCalls(warehouse, CALLS);
          const model = new Model();
          const hasBeenGone = new Set<number>();
          for (const step of steps) {
            if (step.kind === "read") {
              const returned = clearAbsence(tx, step.ids);
              expect(returned).toBe(model.read(step.ids));
              see("returned", returned);
            } else {
              hour += step.hours;
              const { kind, met, limit } = step;
              const [now, since] = [at(hour), at(hour - PATIENCE)];
              const before = model.rows.filter(({ gone_at }) => gone_at === null);
              const listed = () => model.rows.filter((row) => (row.gone_at ?? row.unlisted_since) === null);
              const told: number[] = [];
              const options = {
                runId: passOver(warehouse, met, hour),
                startedAt: now,
                isById: false,
                clockAheadMs: null,
                waitMs: PATIENCE * HOUR_MS,
                limit: (listedCalls: number) => {
                  told.push(listedCalls);
                  return limit;
                },
              };
              // Like in a sync: counted passes are consecutive.
              if (kind === "ordered") forgetUnorderedAbsent(warehouse);
              const mark = kind === "ordered" ? markAbsent : markUnorderedAbsent;
              const absence = mark(tx, options);
              expect(absence).toEqual(model[kind](met, now, since, limit));
              // The limit is a share of the calls that this pass leaves and marks as gone.
              expect(told).toEqual([listed().length + absence.calls_gone]);
              see("unlisted", absence.calls_unlisted);
              see("missing", absence.calls_missing);
              see("withheld", Number(absence.calls_withheld > 0));
              for (const { call_id, missing_since, absent_passes } of before) {
                const row = model.rows.find((each) => each.call_id === call_id);
                if (row?.gone_at == null) continue;
                see("gone", 1);
                see("goneAgain", Number(hasBeenGone.has(call_id)));
                see("onTheHour", Number(missing_since === since));
                see("third", Number(absent_passes === 2));
                hasBeenGone.add(call_id);
              }
            }
            expect(readRows(warehouse)).toEqual(model.rows);
            const isAbsent = model.rows.some(
              (row) => (row.missing_since ?? row.absent_since ?? row.unlisted_since) !== null,
            );
            expect(hasAbsentCalls(warehouse)).toBe(isAbsent);
            const missing = model.rows.filter((row) => (row.missing_since ?? row.unlisted_since) !== null);
            expect(countExpected(warehouse, 1)).toBe(IDS.length - missing.length);
            const since = model.rows.flatMap((row) =>
              row.gone_at === null ? (row.missing_since ?? row.absent_since ?? []) : [],
            );
            // No pass here has a verdict, and so none has a wait.
            const until = since.toSorted().at(-1);
            expect(readMissing(warehouse)).toEqual(until ? { calls: since.length, until } : null);
            const unlisted = model.rows.flatMap(({ unlisted_since }) => unlisted_since ?? []).toSorted();
            const [left] = unlisted;
            expect(readUnlisted(warehouse)).toEqual(left ? { calls: unlisted.length, since: left } : null);
            // For the caller whose calls run against the order of their ids, the last existing one is the first.
            const live = model.rows.filter((row) => row.is_live && row.call_id % 2 !== 0);
            expect(
              warehouse.db
                .select()
                .from(callers)
                .all()
                .map(({ first_call_id }) => first_call_id),
            ).toEqual([live.at(-1)?.call_id ?? null]);
          }
        }),
      ),
      { numRuns: draws(120) },
    );
    const often = {
      missing: 150,
      gone: 50,
      withheld: 10,
      returned: 20,
      goneAgain: 2,
      onTheHour: 10,
      third: 15,
      unlisted: 20,
    };
    expect(Object.entries(often).filter(([name, times]) => (seen[name] ?? 0) < least(times))).toEqual([]);
  });

  /** Hours in five years. */
  const YEARS = 5 * 365 * 24;
  /** Hours of passes by the clock here; by how many the service's clock is ahead, if it says so; when the last but one began, if the clock was moved during it. */
  type Clocks = { title: string; hours: number[]; ahead?: number[]; began?: number; since: number };
  // The first pass of each meets all calls; the last one finds one to be gone.
  const clocks: Clocks[] = [
    { title: "was years ahead as they were first missed", hours: [-1, YEARS, 0, 23, 24], since: 0 },
    {
      title: "was years behind as they were first missed",
      hours: [-1, -YEARS, 1, 2, 24, 25],
      since: -YEARS,
    },
    {
      title: "was years behind as they had been missing for an hour",
      hours: [-1, 0, -YEARS, 1, 24, 25],
      since: -YEARS,
    },
    {
      title: "was years behind from the first pass on, and the service reports its time",
      hours: [-1 - YEARS, -YEARS, 1, 2, 24],
      ahead: [YEARS, YEARS, 0, 0, 0],
      since: -YEARS,
    },
    {
      title: "was set years ahead since, and the service reports its time",
      hours: [-1, 0, 1 + YEARS, 23 + YEARS, 24 + YEARS],
      ahead: [0, 0, -YEARS, -YEARS, -YEARS],
      since: 0,
    },
    {
      title: "was set years ahead and back, and the service reports its time",
      hours: [-1, 0, 1 + YEARS, 2 + YEARS, 3, 23, 24],
      ahead: [0, 0, -YEARS, -YEARS, 0, 0, 0],
      since: 0,
    },
    {
      title: "was set back by years during the pass that first missed them",
      hours: [-1, 1 - YEARS, 2, 24, 26],
      began: 1,
      since: 1,
    },
  ];
  it.each(
    clocks.flatMap((each) => [
      { ...each, kind: "with", mark: markAbsent },
      { ...each, kind: "without", mark: markUnorderedAbsent },
    ]),
  )(
    "calls are gone by passes $kind an order key after a day even if the clock $title",
    ({ mark, hours, ahead, began, since }) => {
      using warehouse = newWarehouse(CALLS);
      const gone = hours.map((hour, index) => {
        const met = IDS.filter((id) => index === 0 || id !== IDS[1]);
        const runId = passOver(warehouse, met, index === 1 ? (began ?? hour) : hour);
        const clockAheadMs = ahead === undefined ? null : (ahead[index] ?? 0) * HOUR_MS;
        updateRun(warehouse, runId, { clock_ahead_ms: clockAheadMs });
        const [startedAt, waitMs] = [at(hour), PATIENCE * HOUR_MS];
        return writeTransaction(warehouse, (tx) =>
          mark(tx, { runId, startedAt, isById: false, clockAheadMs, waitMs, limit: () => 9 }),
        ).calls_gone;
      });
      expect(gone).toEqual(hours.map((_, index) => Number(index === hours.length - 1)));
      expect(readRows(warehouse)[1]).toMatchObject({
        call_id: IDS[1],
        missing_since: at(since),
        gone_at: at(hours.at(-1) ?? Number.NaN),
      });
    },
  );
});

describe("countExpected", () => {
  it("adds rows that could not be parsed since a run and are not stored as calls, once each", () => {
    using warehouse = newWarehouse(CALLS);
    const rows: [row_key: string, call_id: number | null, last_run_id: number][] = [
      ["id:50", 50, 4],
      ["id:51", 51, 5],
      ["id:1", 1, 6],
      ["sha256:x", null, 6],
    ];
    for (const [row_key, call_id, last_run_id] of rows) {
      const row = { row_key, call_id, last_run_id, json: "{}", path: "", reason: "r", first_run_id: 1 };
      warehouse.db.insert(rejected_calls).values(row).run();
    }
    expect([4, 5, 6, 7].map((run) => countExpected(warehouse, run) - IDS.length)).toEqual([3, 2, 1, 0]);
  });
});

describe("readWithheld", () => {
  it("returns the figure of the latest full pass that could count them, by number and not by time", () => {
    using warehouse = newWarehouse();
    expect(readWithheld(warehouse)).toBe(0);
    const runs = [
      { calls_withheld: 7, verdict: "probable", mode: "full", expected: 7 },
      { calls_withheld: 6, verdict: "exact", mode: "incremental", expected: 7 },
      { calls_withheld: 5, verdict: "verified", mode: "full", expected: 5 },
      { calls_withheld: 4, verdict: "unverified", mode: "full", expected: 5 },
      { calls_withheld: 3, verdict: null, mode: "full", expected: 5 },
      { calls_withheld: 2, verdict: "exact", mode: "full", expected: 2 },
      { calls_withheld: null, verdict: "exact", mode: "full", expected: 0 },
    ] as const;
    for (const [index, { calls_withheld, verdict, mode, expected }] of runs.entries()) {
      const runId = startRun(warehouse, { started_at: at(-index), mode, plan_reason: "a test", pid: 1 });
      const ended = { status: "done", finished_at: at(-index), verdict_reason: "r" } as const;
      updateRun(warehouse, runId, { ...ended, verdict, calls_withheld });
      expect(readWithheld(warehouse)).toBe(expected);
    }
  });
});
