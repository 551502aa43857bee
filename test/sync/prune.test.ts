import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { type Call, TRANSCRIPT_COLUMNS } from "../../src/calls/columns.ts";
import {
  cutoffsAt,
  KEEP_ALL,
  type Keep,
  kindsPast,
  WITHHELD_KINDS,
  type WithheldKind,
} from "../../src/calls/privacy/keep-settings.ts";
import { withhold, withholdFromRow } from "../../src/calls/privacy/withhold.ts";
import { countPrunable, hasAny, type PruneCounts, prune } from "../../src/sync/prune.ts";
import { findDamagedCalls } from "../../src/warehouse/attribution/check-calls.ts";
import { keepingAll } from "../../src/warehouse/calls/call-guard.ts";
import { prepareUpsertCalls } from "../../src/warehouse/calls/call-table.ts";
import { openCallerHash } from "../../src/warehouse/calls/caller-hash.ts";
import { readRejected, recordRejected } from "../../src/warehouse/calls/rejected.ts";
import { readPrivacyActs } from "../../src/warehouse/privacy-act-table.ts";
import { startRun } from "../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { locked, newWarehouse, setRules } from "../support/warehouses/warehouse.ts";
import { awaitChanges } from "../warehouse/table-changes.ts";

const DAY_MS = 86_400_000;
const START = Date.parse("2026-11-20T12:00:00.000Z");
const NONE: PruneCounts = {
  transcripts: 0,
  summaries: 0,
  caller_numbers: 0,
  recording_urls: 0,
  extra: 0,
  rejected_rows: 0,
};
/** Calls are read in batches of this size. */
const BATCH = 250;

/** Some calls have transcripts, some only summaries, and some neither. */
function makeCalls(count: number, startOf: (index: number) => string | null): Call[] {
  return Array.from({ length: count }, (_, index) =>
    makeCall({
      call_id: index === 0 ? Number.MIN_SAFE_INTEGER : 1000 - index,
      call_started: startOf(index),
      caller_id: index % 7 === 3 ? null : `+4930${5_550_000 + (index % 25)}`,
      recording_url: index % 5 === 2 ? null : `https://recordings.example.com/${index}.mp3`,
      summary: index % 3 === 0 ? `Summary number ${index}.` : null,
      transcription: index % 4 === 0 ? `Words of call ${index}.` : null,
      extra: index % 6 === 0 ? `{"ani":"${index}","score":1}` : null,
      utm_source: "google",
    }),
  );
}

const daysAgo = (days: number) => new Date(START - days * DAY_MS).toISOString();
const rejected = (call_id: number | null, call_started: string) => ({
  call_id,
  json: JSON.stringify({
    call_id,
    call_started,
    caller_id: "+49305559999",
    summary: "A tap.",
  }),
  path: "duration",
  reason: "no integer",
});
const REJECTED = [
  rejected(9001, daysAgo(5)),
  rejected(9002, daysAgo(50)),
  rejected(null, daysAgo(50)),
  rejected(null, "yesterday"),
];

/** A warehouse that identifies callers by digests, with these calls and rejected rows. */
function open(calls: readonly Call[], rows: readonly (typeof REJECTED)[number][] = []) {
  const warehouse = newWarehouse();
  setRules(warehouse, { ...DEFAULT_RULES, caller_digests: true });
  // The first one met, thirty days ago.
  startRun(warehouse, { started_at: daysAgo(30), mode: "full", plan_reason: "", pid: 1 });
  writeTransaction(warehouse, (tx) => {
    prepareUpsertCalls(warehouse, 1)(tx, calls);
    recordRejected(warehouse, rows, 1, keepingAll(warehouse));
  });
  return warehouse;
}

type Stored = Call & {
  served_hash: string;
  withheld: string | null;
  caller_digest: string | null;
};

function readCalls({ sqlite }: Warehouse): Map<number, Stored> {
  const rows = sqlite
    .prepare<[], Stored & { row_hash: string }>(
      "SELECT * FROM calls LEFT JOIN transcripts USING (call_id) ORDER BY call_id",
    )
    .all();
  // `findDamagedCalls` checks whether they match the rows.
  return new Map(rows.map(({ row_hash: _, ...row }) => [row.call_id, row]));
}

const hasTranscript = (call: Call) => TRANSCRIPT_COLUMNS.some((column) => call[column] !== null);

/** The expected state of calls and rows, computed one by one. */
class Model {
  readonly calls: Map<number, Stored>;
  rows: { row_key: string; json: string }[];
  readonly #seal: (text: string) => string;
  readonly #hash: (text: string) => string;

  constructor(warehouse: Warehouse) {
    const { seal, hash } = openCallerHash(warehouse.path);
    this.#seal = seal;
    this.#hash = hash;
    this.calls = readCalls(warehouse);
    this.rows = readRejected(warehouse);
  }

  prune(keep: Keep, nowMs: number): PruneCounts {
    const cutoffs = cutoffsAt(keep, nowMs);
    const counts = { ...NONE };
    for (const [id, stored] of this.calls) {
      const { call, withheld } = withhold(stored, kindsPast(cutoffs, stored.call_started ?? daysAgo(30)));
      for (const kind of withheld) counts[kind]++;
      if (withheld.length === 0) continue;
      const all = new Set<string>([...(stored.withheld?.split(",") ?? []), ...withheld]);
      const isNumberTaken = withheld.includes("caller_numbers") && !stored.withheld?.includes("caller");
      this.calls.set(id, {
        ...call,
        withheld: WITHHELD_KINDS.filter((kind) => all.has(kind)).join(),
        ...(isNumberTaken && {
          served_hash: this.#seal(stored.served_hash),
          caller_digest: stored.caller_id === null ? null : this.#hash(stored.caller_id),
        }),
      });
    }
    for (const row of this.rows) {
      const { call_started } = JSON.parse(row.json);
      const past = kindsPast(cutoffs, call_started.startsWith("2") ? call_started : daysAgo(30));
      const rest = withholdFromRow(row.json, past.includes("caller_numbers") ? WITHHELD_KINDS : past);
      if (rest !== row.json) counts.rejected_rows++;
      row.json = rest;
    }
    return counts;
  }
}

function readMarks({ sqlite }: Warehouse): Record<string, string> {
  const rows = sqlite.prepare<[], [string, string]>("SELECT * FROM retention ORDER BY kind").raw().all();
  return Object.fromEntries(rows);
}

const EARLIER_AND_LATER: (Partial<Keep> & { afterDays?: number })[] = [
  {},
  { summaries: 100, transcripts: 100, recording_urls: 300 },
  { summaries: 40, transcripts: 100, recording_urls: 300 },
  // Nothing else has expired, but a day has passed.
  { summaries: 40, transcripts: 100, recording_urls: 300, afterDays: 1 },
  // Data that is kept longer comes back from the service, not from here; what is always kept no longer has a mark.
  { summaries: 200, transcripts: "always", caller_numbers: 20 },
  { summaries: 30, transcripts: 10, caller_numbers: 20, recording_urls: 20, afterDays: 2 },
  { summaries: "never", transcripts: "never", caller_numbers: "never", recording_urls: "never" },
  { afterDays: 1 },
  {},
];

/** Where pruning writes: no fact changes. */
const WRITTEN = ["calls", "transcripts", "rejected_calls", "retention", "privacy_acts"];

describe("prune", () => {
  it.each([
    ["half a batch", makeCalls(125, (index) => (index % 20 === 7 ? null : daysAgo(index)))],
    // Fifty at a time began at the same moment: a batch ends in the middle of some.
    ["more than a batch", makeCalls(BATCH + 40, (index) => daysAgo(Math.floor((index + 25) / 50) * 60))],
    ["a batch of unknown times, and one more", makeCalls(BATCH + 1, () => null)],
    ["exactly a batch", makeCalls(BATCH + 20, (index) => (index < 20 ? null : daysAgo(index + 301)))],
    ["only rows that could not be parsed", []],
  ])("removes expired data call by call: %s", async (_name, calls) => {
    using warehouse = open(calls, REJECTED);
    const model = new Model(warehouse);
    const total = { ...NONE };
    let nowMs = START;
    for (const { afterDays = 0, ...settings } of EARLIER_AND_LATER) {
      nowMs += afterDays * DAY_MS;
      const keep: Keep = { ...KEEP_ALL, ...settings };
      const cutoffs = cutoffsAt(keep, nowMs);
      const marksBefore = readMarks(warehouse);
      const acts = readPrivacyActs(warehouse).length;
      const expected = model.prune(keep, nowMs);
      let [counted, pruned]: unknown[] = [];
      const unchanged = await awaitChanges(warehouse, async () => {
        counted = await countPrunable(warehouse, { cutoffs, nowMs });
      });
      expect([counted, unchanged]).toEqual([expected, {}]);
      const changes = await awaitChanges(warehouse, async () => {
        pruned = await prune(locked(warehouse), { cutoffs, nowMs });
      });
      expect([pruned, Object.keys(changes).filter((table) => !WRITTEN.includes(table))]).toEqual([
        expected,
        [],
      ]);
      expect(isDeepStrictEqual(readCalls(warehouse), model.calls)).toBe(true);
      expect(await findDamagedCalls(warehouse)).toEqual([]);
      expect(readRejected(warehouse).map(({ json }) => json)).toEqual(model.rows.map(({ json }) => json));
      expect(readMarks(warehouse)).toEqual(
        Object.fromEntries(Object.entries(cutoffs).filter(([, cutoff]) => cutoff !== "")),
      );
      const isFirst = Object.entries(cutoffs).some(([kind, at]) => at !== "" && !(kind in marksBefore));
      const isActed = hasAny(expected) || isFirst;
      expect(readPrivacyActs(warehouse).slice(acts)).toEqual(
        isActed
          ? [
              {
                act_id: acts + 1,
                at: new Date(nowMs).toISOString(),
                act: "prune",
                counts: expected,
                erased_at: null,
              },
            ]
          : [],
      );
      for (const kind of [...WITHHELD_KINDS, "rejected_rows"] as const) total[kind] += expected[kind];
    }
    const transcripts = warehouse.sqlite.prepare("SELECT call_id FROM transcripts").pluck().all();
    expect(transcripts).toEqual(
      [...model.calls.values()].filter(hasTranscript).map(({ call_id }) => call_id),
    );
    // The relevant cases have happened.
    expect(total.rejected_rows).toBeGreaterThanOrEqual(4);
    if (calls.length > 0) for (const kind of WITHHELD_KINDS) expect(total[kind]).toBeGreaterThan(20);
  });

  it("seals the keys of rows without an id, so that nobody can guess their contents, and keeps other keys", async () => {
    using warehouse = open([], REJECTED);
    warehouse.sqlite.exec("UPDATE rejected_calls SET row_key = 'sha256:ab' WHERE json LIKE '%yesterday%'");
    const { seal } = openCallerHash(warehouse.path);
    const cutoffs = cutoffsAt({ ...KEEP_ALL, summaries: 100 }, START);
    const keys = () => readRejected(warehouse).map(({ row_key }) => row_key);
    const before = keys();
    expect(await countPrunable(warehouse, { cutoffs, nowMs: START })).toEqual(NONE);
    expect(keys()).toEqual(before);
    expect(await prune(locked(warehouse), { cutoffs, nowMs: START })).toEqual(NONE);
    expect(keys()).toEqual(before.map((key) => (key === "sha256:ab" ? `sealed:${seal("ab")}` : key)).sort());
  });

  it("does not change a call from which nothing is to be removed, nor its hash, which may reveal damage", async () => {
    const calls = [5, 50].map((days) => makeCall({ call_id: days, call_started: daysAgo(days) }));
    using warehouse = open(calls);
    warehouse.sqlite.exec("UPDATE calls SET row_hash = 'damaged'");
    const cutoffs = cutoffsAt({ ...KEEP_ALL, transcripts: 10 }, START);
    const changes = await awaitChanges(warehouse, async () => {
      expect(await prune(locked(warehouse), { cutoffs, nowMs: START })).toEqual(NONE);
    });
    expect(Object.keys(changes).sort()).toEqual(["privacy_acts", "retention"]);
  });

  it("advances no mark before the calls up to it are finished", async () => {
    using warehouse = open(makeCalls(125, daysAgo));
    const prunedTo = (days: number, signal?: AbortSignal) =>
      prune(locked(warehouse), {
        cutoffs: cutoffsAt({ ...KEEP_ALL, summaries: days }, START),
        nowMs: START,
        signal,
      });
    await prunedTo(100);
    expect(readMarks(warehouse)).toEqual({ extra: "~", summaries: daysAgo(100) });
    // If something may be kept longer, its mark is lowered first.
    await expect(prunedTo(110, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    expect(readMarks(warehouse)).toEqual({ extra: "~", summaries: daysAgo(110) });
  });

  it("records no limit of retention in an empty warehouse", async () => {
    using warehouse = open([]);
    await prune(locked(warehouse), {
      cutoffs: cutoffsAt({ ...KEEP_ALL, summaries: 10 }, START),
      nowMs: START,
    });
    expect(readPrivacyActs(warehouse)).toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    "resumes after an interruption at step %i, and counts each call once",
    async (steps) => {
      const calls = makeCalls(2 * BATCH + 20, (index) => daysAgo(20 + Math.floor(index / 10)));
      using warehouse = open(calls, REJECTED);
      const model = new Model(warehouse);
      const keep: Keep = { ...KEEP_ALL, transcripts: 10, summaries: 10 };
      const expected = model.prune(keep, START);
      const reason = new Error("stop");
      let taken = 0;
      const signal = Object.assign(new AbortController().signal, {
        throwIfAborted: () => {
          if (++taken === steps) throw reason;
        },
      });
      const options = { cutoffs: cutoffsAt(keep, START), nowMs: START };
      await expect(prune(locked(warehouse), { ...options, signal })).rejects.toBe(reason);
      // It starts with the marks, and ends with the rows: a batch of the oldest between each two steps.
      const done = [...calls].sort(
        (a, b) => String(a.call_started).localeCompare(String(b.call_started)) || a.call_id - b.call_id,
      );
      const last = done[Math.min(steps - 1, 2) * BATCH - 1];
      const mark = steps === 1 ? undefined : steps > 3 ? "2026-11-10T12:00:00.000Z" : last?.call_started;
      expect(readMarks(warehouse)).toEqual(mark === undefined ? {} : { summaries: mark, transcripts: mark });
      const [act] = readPrivacyActs(warehouse);
      const first: Readonly<Record<string, number>> = act?.counts ?? NONE;
      const rest: Readonly<Record<string, number>> = await prune(locked(warehouse), options);
      const kinds = [...WITHHELD_KINDS, "rejected_rows"] as const;
      expect(
        Object.fromEntries(
          kinds.map((kind: WithheldKind | "rejected_rows") => [kind, (first[kind] ?? 0) + (rest[kind] ?? 0)]),
        ),
      ).toEqual(expected);
      expect([...readCalls(warehouse).values()].map(({ withheld }) => withheld)).toEqual(
        [...model.calls.values()].map(({ withheld }) => withheld),
      );
    },
  );
});

describe("hasAny", () => {
  it("returns true if anything was removed", () => {
    expect(hasAny(NONE)).toBe(false);
    expect(hasAny({ ...NONE, rejected_rows: 1 })).toBe(true);
    expect(hasAny({ ...NONE, transcripts: 2 })).toBe(true);
  });
});
