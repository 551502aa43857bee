import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/call.ts";
import { DIMENSIONS, type Dimension } from "../../src/rollup/dimensions.ts";
import { iterateRollup, prepareRollups, type RollupRow, rollupColumns } from "../../src/rollup/read.ts";
import { DEFAULT_RULES, type RollupRules } from "../../src/rollup/rules.ts";
import { prepareUpsertCalls } from "../../src/warehouse/calls.ts";
import { openWarehouse, type Warehouse } from "../../src/warehouse/open.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { arbitraryCalls, makeCall } from "../calls.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { foldRollup } from "./fold.ts";

const METRIC_NAMES = [
  "calls",
  "answered_calls",
  "missed_calls",
  "other_calls",
  "answer_rate",
  "unique_callers",
  "first_time_callers",
  "qualified_calls",
  "total_duration_seconds",
  "average_duration_seconds",
  "first_call_at",
  "last_call_at",
];

/** Calls of which some are gone from the service. */
const accounts = arbitraryCalls(60).chain((calls) =>
  fc.record({ calls: fc.constant(calls), gone: fc.subarray(calls, { maxLength: calls.length >> 2 }) }),
);

const rules: fc.Arbitrary<RollupRules> = fc.record({
  answered: fc.subarray(["Answered", "TRANSFERRED", "übergeben", "it's OK", "_answered-"]),
  missed: fc.subarray(["NO_ANSWER", "busy", "Voice-Mail", "answered", "no such"]),
  qualified_seconds: fc.constantFrom(0, 1, 60, 61, 600),
  duration_unit: fc.constantFrom("seconds", "milliseconds"),
});

/** Puts other calls in place of those the warehouse has. */
function fill(warehouse: Warehouse, calls: readonly Call[], gone: readonly Call[] = []): void {
  writeTransaction(warehouse, () => {
    warehouse.sqlite.exec("DELETE FROM calls; DELETE FROM utm_values");
    prepareUpsertCalls(warehouse, 1)(calls);
    const mark = warehouse.sqlite.prepare("UPDATE calls SET gone_at = '2026-10-01' WHERE call_id = ?");
    for (const { call_id } of gone) mark.run(call_id);
  });
  prepareRollups(warehouse.sqlite);
}

interface ReadOptions {
  rules?: RollupRules;
  raw?: boolean;
}

function readRows(
  { sqlite }: Warehouse,
  dimension: Dimension,
  { rules = DEFAULT_RULES, raw = false }: ReadOptions = {},
): RollupRow[] {
  return [...iterateRollup(sqlite, { dimension, rules, raw })];
}

/** Reads a rollup's rows of these calls, each under its columns' names. */
function readRecords(calls: readonly Call[], dimension: Dimension, options: ReadOptions = {}) {
  using folder = makeTempFolder();
  using warehouse = openWarehouse(`${folder.path}/calls.db`);
  fill(warehouse, calls);
  const names = rollupColumns({ dimension, rules: DEFAULT_RULES, ...options }).map(({ name }) => name);
  return readRows(warehouse, dimension, options).map((row) =>
    Object.fromEntries(names.map((name, index) => [name, row[index]])),
  );
}

describe("iterateRollup", () => {
  it.each(DIMENSIONS)("tallies %s as the fold in memory does, row for row", (dimension) => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(`${folder.path}/calls.db`);
    fc.assert(
      fc.property(accounts, ({ calls, gone }) => {
        fill(warehouse, calls, gone);
        const live = calls.filter((call) => !gone.includes(call));
        expect(readRows(warehouse, dimension)).toEqual(foldRollup(live, dimension, DEFAULT_RULES));
      }),
      { numRuns: 60 },
    );
  });

  it.each(DIMENSIONS)("follows the rules it is given, and `raw`, in %s", (dimension) => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(`${folder.path}/calls.db`);
    fc.assert(
      fc.property(arbitraryCalls(30), rules, fc.boolean(), (calls, rules, raw) => {
        fill(warehouse, calls);
        expect(readRows(warehouse, dimension, { rules, raw })).toEqual(
          foldRollup(calls, dimension, rules, { raw }),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("has the same totals in every dimension", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(`${folder.path}/calls.db`);
    const totals = (name: string, dimension: Dimension) => {
      const place = rollupColumns({ dimension, rules: DEFAULT_RULES }).findIndex((at) => at.name === name);
      return readRows(warehouse, dimension).reduce((sum, row) => sum + Number(row[place]), 0);
    };
    fc.assert(
      fc.property(accounts, ({ calls, gone }) => {
        fill(warehouse, calls, gone);
        const live = calls.filter((call) => !gone.includes(call));
        const callers = new Set(live.flatMap(({ caller_id }) => caller_id || []));
        for (const dimension of DIMENSIONS) {
          expect([dimension, totals("calls", dimension), totals("first_time_callers", dimension)]).toEqual([
            dimension,
            live.length,
            callers.size,
          ]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("gives what the views rollup_utm_source, rollup_campaign and rollup_gclid give", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(`${folder.path}/calls.db`);
    fc.assert(
      fc.property(accounts, ({ calls, gone }) => {
        fill(warehouse, calls, gone);
        for (const dimension of ["utm_source", "campaign", "gclid"] as const) {
          const view = warehouse.sqlite.prepare<[], RollupRow>(`SELECT * FROM rollup_${dimension}`).raw();
          expect(view.columns().map(({ name }) => name)).toEqual(
            rollupColumns({ dimension, rules: DEFAULT_RULES }).map(({ name }) => name),
          );
          expect(view.all()).toEqual(readRows(warehouse, dimension));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("keeps the spellings of a source apart only when raw", () => {
    const calls = ["google", "Google", "\u00a0GOOGLE\t", "face  book", "Face Book", "", " ", null].map(
      (utm_source, index) => makeCall({ call_id: index, utm_source }),
    );
    const keys = (raw: boolean) =>
      readRecords(calls, "utm_source", { raw }).map((row) => [row.utm_source, row.calls]);
    expect(keys(false)).toEqual([
      ["(not set)", 3],
      ["google", 3],
      ["face book", 2],
    ]);
    expect(keys(true)).toEqual([
      ["(not set)", 2],
      [" ", 1],
      ["Face Book", 1],
      ["Google", 1],
      ["face  book", 1],
      ["google", 1],
      ["\u00a0GOOGLE\t", 1],
    ]);
  });

  it("tells campaigns of one name apart by their ids, and falls back to utm_campaign", () => {
    const calls = [
      makeCall({ call_id: 1, campaign_name: "Autumn", campaign_id: "1", utm_campaign: "ignored" }),
      makeCall({ call_id: 2, campaign_name: " Autumn ", campaign_id: "2" }),
      makeCall({ call_id: 3, campaign_name: "", campaign_id: " 2 ", utm_campaign: "Autumn" }),
      makeCall({ call_id: 4, campaign_name: null, utm_campaign: "autumn" }),
      makeCall({ call_id: 5 }),
    ];
    const rows = readRecords(calls, "campaign");
    expect(rows.map((row) => [row.campaign, row.campaign_id, row.calls])).toEqual([
      ["Autumn", "2", 2],
      ["(not set)", "", 1],
      ["Autumn", "1", 1],
      ["autumn", "", 1],
    ]);
  });

  it("credits a caller's first call to one row, and a call of unknown time last", () => {
    const calls = [
      makeCall({ call_id: 1, utm_source: "unknown time", caller_id: "+491", call_started: null }),
      makeCall({ call_id: 3, utm_source: "a", caller_id: "+491", call_started: "2026-01-01T00:00:00.000Z" }),
      makeCall({ call_id: 2, utm_source: "b", caller_id: "+491", call_started: "2026-01-01T00:00:00.000Z" }),
      makeCall({ call_id: 4, utm_source: "c", caller_id: "+491", call_started: "2026-01-02T00:00:00.000Z" }),
      makeCall({ call_id: 5, utm_source: "c", caller_id: "", call_started: "2026-01-01T00:00:00.000Z" }),
      makeCall({ call_id: 6, utm_source: "unknown time", caller_id: "+492", call_started: null }),
    ];
    const rows = readRecords(calls, "utm_source");
    expect(rows.map((row) => [row.utm_source, row.unique_callers, row.first_time_callers])).toEqual([
      ["c", 1, 0],
      ["unknown time", 2, 1],
      ["a", 1, 0],
      ["b", 1, 1],
    ]);
  });

  it("adds up milliseconds before it makes seconds of them", () => {
    const calls = [100, 200, 60_000].map((duration, index) =>
      makeCall({ call_id: index, duration, disposition: "ANSWERED" }),
    );
    const rules: RollupRules = { ...DEFAULT_RULES, duration_unit: "milliseconds" };
    expect(readRecords(calls, "gclid", { rules })).toEqual([
      {
        gclid: "(not set)",
        calls: 3,
        answered_calls: 3,
        missed_calls: 0,
        other_calls: 0,
        answer_rate: 1,
        unique_callers: 0,
        first_time_callers: 0,
        qualified_calls: 1,
        total_duration_seconds: 60.3,
        average_duration_seconds: 20.1,
        first_call_at: null,
        last_call_at: null,
      },
    ]);
    expect(readRecords(calls.slice(0, 2), "gclid", { rules })[0]?.total_duration_seconds).toBe(0.3);
  });

  it("matches dispositions outside ASCII without case", () => {
    const calls = ["ÜBERGEBEN", "Übergeben", "übergeben"].map((disposition, index) =>
      makeCall({ call_id: index, disposition }),
    );
    for (const answered of ["ÜBERGEBEN", "Übergeben", "übergeben"]) {
      const rules: RollupRules = { ...DEFAULT_RULES, answered: [answered] };
      expect(readRecords(calls, "gclid", { rules })[0]?.answered_calls).toBe(3);
    }
  });

  it("gives no row for no calls", () => {
    expect(DIMENSIONS.map((dimension) => readRecords([], dimension))).toEqual(DIMENSIONS.map(() => []));
  });
});

describe("prepareRollups", () => {
  it("finds the first calls anew each time", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(`${folder.path}/calls.db`);
    const later = makeCall({ call_id: 2, caller_id: "+491", call_started: "2026-01-02T00:00:00.000Z" });
    const earlier = makeCall({ call_id: 1, caller_id: "+491", call_started: "2026-01-01T00:00:00.000Z" });
    const readFirst = () => warehouse.sqlite.prepare("SELECT call_id FROM temp.first_calls").pluck().all();
    fill(warehouse, [later]);
    expect(readFirst()).toEqual([2]);
    fill(warehouse, [later, earlier]);
    expect(readFirst()).toEqual([1]);
  });
});

describe("rollupColumns", () => {
  it.each([
    { dimension: "utm_source", keys: ["utm_source"] },
    { dimension: "campaign", keys: ["campaign", "campaign_id"] },
    { dimension: "org_unit", keys: ["org_unit", "org_unit_id"] },
  ] as const)("puts the keys of $dimension before the metrics", ({ dimension, keys }) => {
    const columns = rollupColumns({ dimension, rules: DEFAULT_RULES });
    expect(columns.map(({ name }) => name)).toEqual([...keys, ...METRIC_NAMES]);
    expect(columns.filter(({ isKey }) => isKey).map(({ name }) => name)).toEqual(keys);
    expect(columns.filter(({ decimals }) => decimals !== undefined)).toEqual([
      { name: "answer_rate", isKey: false, decimals: 4 },
      { name: "average_duration_seconds", isKey: false, decimals: 1 },
    ]);
  });
});
