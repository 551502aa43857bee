import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { hashCall } from "../../../src/calls/call.ts";
import type { Call } from "../../../src/calls/columns.ts";
import {
  cutoffsAt,
  KEEP_ALL,
  KEEP_KINDS,
  type Keep,
  type KeepKind,
} from "../../../src/calls/privacy/keep-settings.ts";
import { prune } from "../../../src/sync/prune.ts";
import { isWithoutLink, Keeping, keepingAll } from "../../../src/warehouse/calls/call-guard.ts";
import { prepareUpsertCalls } from "../../../src/warehouse/calls/call-table.ts";
import { openCallerHash } from "../../../src/warehouse/calls/caller-hash.ts";
import { calls } from "../../../src/warehouse/calls/calls.ts";
import { startRun } from "../../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { FULL_CALL, makeCall } from "../../support/warehouses/calls.ts";
import { locked, newWarehouse, setRules } from "../../support/warehouses/warehouse.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");
const NOTHING = { withheld: null, caller_digest: null };
const SERVED = "served";

/** A warehouse that identifies callers by digests or by numbers. */
function open(knowsBy: "digests" | "numbers") {
  const warehouse = newWarehouse();
  if (knowsBy === "digests") setRules(warehouse, { ...DEFAULT_RULES, caller_digests: true });
  return warehouse;
}

const keepingOf = (warehouse: Warehouse, keep: Partial<Keep>, nowMs = NOW) =>
  new Keeping(warehouse, cutoffsAt({ ...KEEP_ALL, ...keep }, NOW), nowMs);

function addRun(warehouse: Warehouse, started_at: string): number {
  return startRun(warehouse, { started_at, mode: "full", plan_reason: "", pid: 1 });
}

describe("Keeping.kindsPast", () => {
  it("uses the call's own time; without one, the time it was first met, which is now for a new call", () => {
    using warehouse = open("numbers");
    const early = addRun(warehouse, "2026-11-01T00:00:00.000Z");
    const late = addRun(warehouse, "2026-11-15T00:00:00.000Z");
    const keeping = keepingOf(warehouse, { summaries: 10 });
    const isPast = (started: string | null, runId?: number) =>
      keeping.kindsPast(started, runId).includes("summaries");
    expect([
      isPast("2026-11-10T11:59:59.999Z"),
      isPast("2026-11-10T12:00:00.000Z"),
      isPast("2026-11-10T11:59:59.999Z", late),
      isPast("2026-11-19T00:00:00.000Z", early),
      isPast(null, early),
      isPast(null, late),
      isPast(null, 99),
      isPast(null),
      // Times that do not sort: of the year 10000, or before the year 0.
      isPast("+010000-01-01T00:00:00.000Z", early),
      isPast("-000001-01-01T00:00:00.000Z", late),
      isPast("-000001-01-01T00:00:00.000Z"),
    ]).toEqual([true, false, true, false, true, false, false, false, true, false, false]);
    // A run that began eleven days ago and is not finished.
    const old = keepingOf(warehouse, { summaries: 10 }, NOW - 11 * 86_400_000);
    expect([old.kindsPast(null), old.kindsPast(null, 99), old.kindsPast(null, late)]).toEqual([
      ["summaries", "extra"],
      ["summaries", "extra"],
      ["extra"],
    ]);
  });
});

describe("Keeping.toStored", () => {
  const take = (
    warehouse: Warehouse,
    kinds: readonly KeepKind[],
    members: Partial<Call> = {},
    prior: { withheld: string | null; caller_digest: string | null; served_hash: string | null } = {
      ...NOTHING,
      served_hash: SERVED,
    },
  ) => keepingAll(warehouse).toStored({ ...FULL_CALL, ...members, ...prior }, kinds);

  it("stores the whole call if everything may be kept", () => {
    using warehouse = open("numbers");
    expect(take(warehouse, [])).toEqual({
      call: { ...FULL_CALL, row_hash: hashCall(FULL_CALL), served_hash: SERVED, ...NOTHING },
      removed: [],
    });
  });

  it("lists what was removed now and before in a fixed order, and hashes the remainder", () => {
    using warehouse = open("numbers");
    const prior = { withheld: "recording_urls,summaries", caller_digest: null, served_hash: null };
    const members = { recording_url: null, summary: null };
    const left = { ...FULL_CALL, ...members, transcription: null, transcription_details: null };
    expect(take(warehouse, ["transcripts", "summaries"], members, prior)).toEqual({
      call: {
        ...left,
        row_hash: hashCall(left),
        served_hash: null,
        withheld: "transcripts,summaries,recording_urls",
        caller_digest: null,
      },
      removed: ["transcripts"],
    });
  });

  it("seals the served hash and sets the caller's digest once the number is removed", () => {
    using warehouse = open("digests");
    const { hash, seal } = openCallerHash(warehouse.path);
    const taken = {
      served_hash: seal(SERVED),
      withheld: "caller_numbers",
      caller_digest: hash("+4930123456"),
    };
    expect(take(warehouse, ["caller_numbers"]).call).toMatchObject({ caller_id: null, ...taken });
    // It is removed once: a sealed hash is not sealed again.
    expect(take(warehouse, KEEP_KINDS, { caller_id: null }, taken).call).toMatchObject({
      served_hash: seal(SERVED),
      withheld: "transcripts,summaries,caller_numbers,recording_urls",
      caller_digest: hash("+4930123456"),
    });
    const unknown = { ...NOTHING, served_hash: null };
    expect(take(warehouse, ["caller_numbers"], {}, unknown).call).toMatchObject({
      ...taken,
      served_hash: null,
    });
  });

  it.each([
    { caller_id: "anonymous", digestOf: null, withheld: "caller_numbers" },
    { caller_id: "---", digestOf: null, withheld: "caller_numbers" },
    // A pseudonym is kept.
    { caller_id: "forgotten0123456789abcdef", digestOf: null, withheld: null },
    { caller_id: null, digestOf: null, withheld: null },
  ])("stores the digest of $digestOf for $caller_id", ({ caller_id, digestOf, withheld }) => {
    using warehouse = open("digests");
    const { hash } = openCallerHash(warehouse.path);
    const { call } = take(warehouse, ["caller_numbers"], { caller_id });
    expect([call.caller_digest, call.withheld]).toEqual([digestOf && hash(digestOf), withheld]);
  });

  it("does not remove numbers if callers are identified by their numbers", () => {
    using warehouse = open("numbers");
    expect(() => take(warehouse, ["caller_numbers"])).toThrow(
      new Error("The callers of the warehouse are no digests"),
    );
  });
});

describe("Keeping.isSame", () => {
  it.each([
    { title: "everything is kept", stored: [], kinds: [] },
    { title: "something is withheld", stored: ["transcripts"], kinds: [] },
    { title: "something is to be removed", stored: ["transcripts"], kinds: ["transcripts"] },
    { title: "the number is withheld", stored: ["caller_numbers", "summaries"], kinds: ["caller_numbers"] },
    { title: "the number is withheld but may be kept now", stored: ["caller_numbers"], kinds: [] },
  ] as const)("recognizes a call of which $title, and detects a changed one", ({ stored, kinds }) => {
    using warehouse = open("digests");
    const keeping = keepingAll(warehouse);
    const { call: row } = keeping.toStored({ ...FULL_CALL, ...NOTHING, served_hash: null }, stored);
    const isSame = (members: Partial<Call>) => keeping.isSame({ ...FULL_CALL, ...members }, row, kinds);
    const isOut = (kind: KeepKind) => (stored as readonly KeepKind[]).includes(kind);
    expect([
      isSame({}),
      isSame({ duration: 62 }),
      isSame({ transcription: "Other words." }),
      isSame({ summary: "Another one." }),
      isSame({ caller_id: "+4930123457" }),
      isSame({ caller_id: "0049 30 123456" }),
      isSame({ caller_id: null }),
    ]).toEqual([
      true,
      false,
      isOut("transcripts"),
      isOut("summaries"),
      false,
      isOut("caller_numbers"),
      false,
    ]);
  });

  it("does not treat a call as unchanged if more of it is to be removed", () => {
    using warehouse = open("digests");
    const keeping = keepingAll(warehouse);
    const row = { row_hash: hashCall(FULL_CALL), ...NOTHING };
    expect(keeping.isSame(FULL_CALL, row, ["summaries"])).toBe(false);
    // A call without a number has none to remove.
    const bare = makeCall({ caller_id: null });
    expect(keeping.isSame(bare, { ...NOTHING, row_hash: hashCall(bare) }, ["caller_numbers"])).toBe(true);
    const digest = { withheld: null, caller_digest: "x", row_hash: hashCall(bare) };
    expect(keeping.isSame(bare, digest, ["caller_numbers"])).toBe(false);
    expect(keeping.isSame(bare, digest, [])).toBe(true);
  });
});

describe("Keeping.toStoredHash, mayKeepMore", () => {
  it("seal the served hash if the number is not kept", () => {
    using warehouse = open("digests");
    const { seal } = openCallerHash(warehouse.path);
    const keeping = keepingAll(warehouse);
    const withheld = [null, "summaries", "caller_numbers", "summaries,caller_numbers", "xcaller_numbers"];
    expect(withheld.map((each) => keeping.toStoredHash(SERVED, each))).toEqual([
      SERVED,
      SERVED,
      seal(SERVED),
      seal(SERVED),
      SERVED,
    ]);
  });

  it("detect that something withheld may be kept now", () => {
    using warehouse = open("numbers");
    const keeping = keepingAll(warehouse);
    expect([
      keeping.mayKeepMore(null, []),
      keeping.mayKeepMore(null, KEEP_KINDS),
      keeping.mayKeepMore("summaries", ["summaries"]),
      keeping.mayKeepMore("summaries", ["transcripts"]),
      keeping.mayKeepMore("transcripts,summaries", ["summaries"]),
      keeping.mayKeepMore("transcripts,summaries", KEEP_KINDS),
    ]).toEqual([false, false, false, true, true, false]);
  });
});

describe("undocumented members", () => {
  it("lose their values while anything is not kept and regain them when all is, without counting as a change", async () => {
    using warehouse = open("numbers");
    const call = { ...FULL_CALL, extra: '{"callback":"+49 30 123456"}' };
    const upsert = (keeping: Keeping) => {
      const counts = writeTransaction(warehouse, (tx) =>
        prepareUpsertCalls(warehouse, 1, { keeping })(tx, [call]),
      );
      const { extra, withheld } = warehouse.db.select().from(calls).get() ?? {};
      return [counts.newIds.size, counts.changed, extra, withheld];
    };
    const some = keepingOf(warehouse, { summaries: "never" });
    const types = '{"callback":{"type":"string"}}';
    expect(upsert(some)).toEqual([1, 0, types, "summaries,extra"]);
    expect(upsert(some)).toEqual([0, 0, types, "summaries,extra"]);
    const all = keepingAll(warehouse);
    expect(upsert(all)).toEqual([0, 0, call.extra, null]);
    const cutoffs = cutoffsAt({ ...KEEP_ALL, transcripts: 36_500 }, NOW);
    expect(await prune(locked(warehouse), { cutoffs, nowMs: NOW })).toMatchObject({
      transcripts: 0,
      extra: 1,
    });
    expect(upsert(new Keeping(warehouse, cutoffs, NOW))).toEqual([0, 0, types, "extra"]);
  });
});

describe("Keeping.toStoredRow", () => {
  const row = {
    call_id: 9,
    call_started: "2026-11-05T00:00:00Z",
    caller_id: "+4930123456",
    summary: "A tap.",
    transcription: "My tap leaks.",
  };

  it("removes what may not be kept of a call of that time", () => {
    using warehouse = open("numbers");
    const early = addRun(warehouse, "2026-11-01T00:00:00.000Z");
    const keeping = keepingOf(warehouse, { summaries: 10, transcripts: 18 });
    const stored = (members: object, runId?: number) =>
      JSON.parse(keeping.toStoredRow(JSON.stringify({ ...row, ...members }), runId));
    const { summary, ...withoutSummary } = row;
    expect(stored({})).toEqual(withoutSummary);
    expect(stored({}, early)).toEqual(withoutSummary);
    expect(stored({ call_started: "2026-11-11T00:00:00Z" }, early)).toMatchObject({ summary });
    // Without a time, the time when it was first met counts.
    expect(stored({ call_started: "yesterday" })).toMatchObject({ summary });
    expect(stored({ call_started: "yesterday" }, early)).toEqual({
      call_id: 9,
      call_started: "yesterday",
      caller_id: row.caller_id,
    });
  });

  it("keeps nothing personal once the number is removed, since it could no longer be found", () => {
    using warehouse = open("numbers");
    const keeping = keepingOf(warehouse, { caller_numbers: 10 });
    expect(keeping.toStoredRow(JSON.stringify(row))).toBe(
      JSON.stringify({ call_id: 9, call_started: row.call_started }),
    );
  });
});

describe("Keeping.toRowKey", () => {
  it("returns a keyed digest if callers are identified by digests", () => {
    using numbers = open("numbers");
    expect(keepingAll(numbers).toRowKey("ab")).toBe("sha256:ab");
    using digests = open("digests");
    const { seal } = openCallerHash(digests.path);
    expect(keepingAll(digests).toRowKey("ab")).toBe(`sealed:${seal("ab")}`);
  });
});

describe("keepingAll, isWithoutLink", () => {
  it("withhold nothing, and derive from the withheld kinds whether the link is missing", () => {
    using warehouse = open("numbers");
    expect(keepingAll(warehouse).kindsPast("0000-01-01T00:00:00.000Z")).toEqual([]);
    const withheld = [null, "", "summaries", "recording_urls", "summaries,recording_urls"];
    expect(withheld.map(isWithoutLink)).toEqual([false, false, false, true, true]);
  });
});
