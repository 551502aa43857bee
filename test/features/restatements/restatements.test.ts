import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AttributionRules, DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import type { CallFilter } from "../../../src/calls/filter.ts";
import type { Dimension } from "../../../src/figures/dimensions.ts";
import { readFactLog } from "../../../src/warehouse/calls/fact-log.ts";
import { clearAbsence } from "../../../src/warehouse/calls/gone.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { startRun, updateRun } from "../../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { draws, least } from "../../support/draws.ts";
import { foldRollup, METRICS } from "../../support/figures/fold.ts";
import {
  clockAt,
  exportToFolder,
  makeWarehouse,
  RUN_FINISHED_AT,
  type Target,
} from "../../support/figures/produce-files.ts";
import { makeTempFolder, readText } from "../../support/temp-folder.ts";
import { arbitraryNameRules, makeCall } from "../../support/warehouses/calls.ts";
import { deleteCalls, markGone, setRules, storeCalls } from "../../support/warehouses/warehouse.ts";

const IN_HOURS = ["calls_in_hours", "missed_in_hours"];
const COUNTS = new Set([
  ...["calls", "answered_calls", "missed_calls", "other_calls", "unique_callers", "first_time_callers"],
  ...["qualified_calls", "total_duration_seconds"],
  ...IN_HOURS,
]);
const ADDITIVE = new Set([...COUNTS].filter((name) => name !== "unique_callers"));

const MONTHS = Array.from({ length: 12 }, (_, month) => {
  const of = (number: number) => (number > 12 ? "2027-01-01" : `2026-${String(number).padStart(2, "0")}-01`);
  return { period: of(month + 1).slice(0, 7), first: of(month + 1), end: of(month + 2) };
});

/** Few moments, sources and callers, so that calls meet in one cell. */
const callMembers = fc.record({
  caller_id: fc.constantFrom(null, "+491", "+492", "+493", "+494"),
  call_started: fc.constantFrom(
    null,
    "2026-01-01T00:00:00.000Z",
    "2026-01-14T23:59:59.999Z",
    "2026-01-15T00:00:00.000Z",
    "2026-02-03T08:00:00.000Z",
    "2026-02-20T08:30:00.000Z",
    "2026-03-31T23:59:59.999Z",
    "2026-04-01T00:00:00.000Z",
    "2026-04-29T12:00:00.000Z",
  ),
  duration: fc.constantFrom(null, 0, 10, 59, 60, 200),
  disposition: fc.constantFrom("ANSWERED", "answered", "BUSY", "VOICEMAIL", "no idea", null),
  utm_source: fc.constantFrom("Google", "google", "face book", "facebook", null),
  utm_medium: fc.constantFrom("cpc", "organic", null),
  campaign_name: fc.constantFrom("Autumn", "autumn", null),
  campaign_id: fc.constantFrom("1", "2", null),
  transcription: fc.constantFrom(null, null, "a pipe", "a job"),
  transcription_details: fc.constantFrom(null, null, '[{"channel":"caller","text":"a job"}]'),
  org_unit_name: fc.constantFrom("Munich", "Berlin"),
  org_unit_id: fc.constantFrom(9, 10),
});
const IDS = 30;
const id = fc.integer({ min: 1, max: IDS });

type Step =
  | { kind: "write"; call: Call }
  | { kind: "edit"; nth: number; members: Partial<Call> }
  | { kind: "gone" | "returned"; nth: number }
  | { kind: "rules"; rules: AttributionRules };

const rules: fc.Arbitrary<AttributionRules> = fc.record({
  answered: fc.constantFrom(["answered"], ["answered", "voicemail"]),
  missed: fc.constant(["busy", "no idea"]),
  qualified_seconds: fc.constantFrom(0, 60, 61),
  duration_unit: fc.constant("seconds" as const),
  aliases: fc.constantFrom<Record<string, string>>({}, { "face book": "facebook" }, { facebook: "google" }),
  ...arbitraryNameRules,
  topics: fc.constantFrom<AttributionRules["topics"]>(
    [],
    [{ topic: "pipe", phrase: "Pipe", speaker: null, qualifies: true, value: "5" }],
    [
      { topic: "job", phrase: "job", speaker: "caller", qualifies: false, value: null },
      { topic: "pipe", phrase: "pipe", speaker: null, qualifies: null, value: null },
    ],
  ),
  hours: fc.constantFrom<AttributionRules["hours"]>(
    undefined,
    { week: "Mon-Sat 00:00-12:00", closed: [], timezone: "UTC" },
    { week: "Mon-Sun 00:00-24:00", closed: ["2026-01-15"], timezone: "UTC" },
  ),
});
const call = fc.tuple(id, callMembers).map(([call_id, members]): Call => makeCall({ call_id, ...members }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: call.map((call) => ({ kind: "write" as const, call })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        id,
        callMembers.chain((members) =>
          fc
            .subarray(Object.entries(members), { minLength: 1, maxLength: 2 })
            .map(Object.fromEntries<unknown>),
        ),
      )
      .map(([nth, members]) => ({ kind: "edit" as const, nth, members })),
  },
  { weight: 3, arbitrary: id.map((nth) => ({ kind: "gone" as const, nth })) },
  { weight: 4, arbitrary: id.map((nth) => ({ kind: "returned" as const, nth })) },
  { weight: 2, arbitrary: rules.map((rules) => ({ kind: "rules" as const, rules })) },
);
const steps = fc.array(step, { minLength: 1, maxLength: 8, size: "max" });

const RANGES = [
  {},
  { from: "2026-01-15" },
  { from: "2026-01-01", to: "2026-04-30" },
  { from: "2026-01-01", to: "2026-02-28" },
  { from: "2026-01-15", to: "2026-03-31" },
] as const;
type Range = { from?: string; to?: string };

const question = fc.record({
  dimensions: fc.subarray<Dimension>(["source", "campaign", "channel", "org_unit", "hour"], {
    minLength: 1,
    maxLength: 2,
  }),
  filter: fc.oneof(
    { weight: 2, arbitrary: fc.constant<CallFilter>({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<CallFilter>(
        { source: ["google"] },
        { campaign: ["2"] },
        { disposition: ["answered", "(not set)"] },
        { min_duration_seconds: 60 },
        { first_time: true },
        { exclude_callers: ["+49 1"] },
      ),
    },
  ),
  hasGrain: fc.boolean(),
  format: fc.constantFrom("csv", "json", "ndjson", "parquet", "xlsx"),
});
type Question = typeof question extends fc.Arbitrary<infer Q> ? Q : never;

/** The service's calls, and the rules. */
interface State {
  calls: ReadonlyMap<number, Call>;
  gone: ReadonlySet<number>;
  rules: AttributionRules;
}

const liveOf = ({ calls, gone }: State) => [...calls.values()].filter(({ call_id }) => !gone.has(call_id));

/** Returns the state after a step, the reason for changed facts, and the calls concerned; undefined if it has no effect. */
function applyStep(state: State, step: Step) {
  const { calls, gone } = state;
  const nth = (ids: readonly number[], number: number) => ids[number % ids.length];
  switch (step.kind) {
    case "write":
    case "edit": {
      const known = calls.get(
        step.kind === "write" ? step.call.call_id : (nth([...calls.keys()], step.nth) ?? Number.NaN),
      );
      if (step.kind === "edit" && known === undefined) return undefined;
      const call = step.kind === "write" ? step.call : makeCall({ ...known, ...step.members });
      const reason = known === undefined ? "late" : "corrected";
      const ids = [call.call_id];
      return { state: { ...state, calls: new Map([...calls, [call.call_id, call]]) }, reason, ids };
    }
    case "gone": {
      const live = [...calls.keys()].filter((id) => !gone.has(id));
      const id = nth(live, step.nth);
      if (id === undefined) return undefined;
      return { state: { ...state, gone: new Set([...gone, id]) }, reason: "gone", ids: [id] };
    }
    case "returned": {
      const back = nth([...gone], step.nth);
      if (back === undefined) return undefined;
      const others = [...gone].filter((id) => id !== back);
      return { state: { ...state, gone: new Set(others) }, reason: "returned", ids: [back] };
    }
    case "rules":
      return { state: { ...state, rules: step.rules }, reason: "rules", ids: [...calls.keys()] };
  }
}

/** Applies a step to the warehouse, like a sync. */
function make(warehouse: Warehouse, state: State, step: Step): void {
  if (step.kind === "rules") {
    setRules(warehouse, step.rules);
    return;
  }
  const made = applyStep(state, step);
  if (made === undefined) return;
  writeTransaction(warehouse, (tx) => {
    if (step.kind === "gone") markGone(warehouse, made.ids);
    else if (step.kind === "returned") clearAbsence(tx, made.ids);
    else
      storeCalls(
        warehouse,
        made.ids.flatMap((id) => made.state.calls.get(id) ?? []),
      );
  });
}

type Figures = readonly (string | number | null)[];

/** Tallies calls in memory: figures by period and key as JSON. */
function fold(
  calls: readonly Call[],
  state: State,
  { dimensions, filter, hasGrain }: Question,
  range: Range,
  names: ReadonlyMap<unknown, string> = new Map(),
) {
  const span = {
    ...(range.from && { startsAt: `${range.from}T00:00:00.000Z` }),
    ...(range.to && { endsAt: new Date(Date.parse(range.to) + 86_400_000).toISOString() }),
  };
  const periods = MONTHS.map(({ period, first }) => ({ period, startsAt: `${first}T00:00:00.000Z` }));
  const rows = foldRollup(calls, {
    dimensions,
    filter,
    rules: state.rules,
    span,
    ...(hasGrain && { periods }),
  });
  return new Map(
    rows.map((row) => {
      const cells = row.slice(0, row.length - METRICS.length);
      const key = hasGrain ? cells : ["", ...cells];
      const name = names.get(idOf(key, dimensions));
      if (name !== undefined) key[campaignAt(dimensions)] = name;
      return [JSON.stringify(key), row.slice(-METRICS.length) as Figures];
    }),
  );
}

/** The index of a campaign's name in a cell, after the period and the columns before it; its id comes next. */
const campaignAt = (dimensions: readonly Dimension[]) => {
  const before = dimensions.slice(0, dimensions.indexOf("campaign"));
  return 1 + before.length + (before.includes("org_unit") ? 1 : 0);
};
const idOf = (cells: readonly unknown[], dimensions: readonly Dimension[]) =>
  dimensions.includes("campaign") ? cells[campaignAt(dimensions) + 1] : null;

/** The name of each campaign in the last of some rows: a new name restates no figure. */
function namesIn(rows: readonly (Iterable<string> | undefined)[], { dimensions }: Question) {
  const cells = rows.flatMap((each) => [...(each ?? [])]).map((cell): string[] => JSON.parse(cell));
  return new Map(
    cells.flatMap((each) => {
      const id = idOf(each, dimensions);
      return id == null ? [] : [[id, each[campaignAt(dimensions)] ?? ""] as const];
    }),
  );
}

/** Without a row, counts are 0; those of opening hours only where hours are set. */
const figureOf = (
  rows: ReadonlyMap<string, Figures>,
  cell: string,
  metric: string,
  { hours }: AttributionRules,
) => {
  const empty = COUNTS.has(metric) && (hours !== undefined || !IN_HOURS.includes(metric)) ? 0 : null;
  return rows.has(cell) ? (rows.get(cell)?.[METRICS.indexOf(metric)] ?? null) : empty;
};

/** The periods with equal days in two exports, of which all were over when the first was made. */
function comparablePeriods({ hasGrain }: Question, [before, now]: readonly [Range, Range], settled: string) {
  if (!hasGrain) {
    const isSame = before.from === now.from && before.to === now.to && before.from && before.to;
    return new Set(isSame && (before.to ?? "") < settled ? [""] : []);
  }
  const cut = ({ from, to }: Range, { first, end }: (typeof MONTHS)[number]) => {
    const last = to === undefined ? end : new Date(Date.parse(to) + 86_400_000).toISOString().slice(0, 10);
    const [start, stop] = [from !== undefined && from > first ? from : first, last < end ? last : end];
    return start < stop ? `${start} ${stop}` : undefined;
  };
  const same = MONTHS.filter((month) => {
    const [a, b] = [cut(before, month), cut(now, month)];
    return a !== undefined && a === b && (a.split(" ")[1] ?? "") <= settled;
  });
  return new Set(same.map(({ period }) => period));
}

/** The effect of each reason, by reason, cell and metric: in sums, and in calls. */
function explain(
  made: readonly { before: State; state: State; reason: string; ids: number[] }[],
  asked: Question,
  range: Range,
  names: ReadonlyMap<unknown, string>,
) {
  const effects = new Map<string, number>();
  /** For each call, what it added to a cell and removed from it. */
  const moves = new Map<string, { plus: unknown[]; minus: unknown[] }>();
  const add = (place: string, by: number) => effects.set(place, (effects.get(place) ?? 0) + by);
  for (const { before, state, reason, ids } of made) {
    const [then, now] = [
      fold(liveOf(before), before, asked, range, names),
      fold(liveOf(state), state, asked, range, names),
    ];
    for (const cell of new Set([...then.keys(), ...now.keys()])) {
      for (const metric of ADDITIVE) {
        const of = (rows: typeof now) => Number(figureOf(rows, cell, metric, state.rules));
        const by = of(now) - of(then);
        if (by !== 0) add(JSON.stringify([reason, cell, metric]), by);
      }
    }
    for (const id of ids) {
      for (const [side, { calls, gone }, own] of [
        ["minus", before, before],
        ["plus", state, state],
      ] as const) {
        const call = calls.get(id);
        if (call === undefined || gone.has(id)) continue;
        for (const [cell, figures] of fold([call], own, asked, range, names)) {
          for (const [index, metric] of METRICS.entries()) {
            const place = JSON.stringify([reason, cell, metric, id]);
            const move = moves.get(place) ?? { plus: [], minus: [] };
            const figure = figures[index] ?? null;
            const isPart = figure !== null && !(metric === "unique_callers" && figure === 0);
            if (isPart || ADDITIVE.has(metric)) move[side].push(figure);
            moves.set(place, move);
          }
        }
      }
    }
  }
  const calls = new Map<string, number>();
  for (const [place, { plus, minus }] of moves) {
    const [reason, cell, metric]: string[] = JSON.parse(place);
    const sum = (values: unknown[]) => values.reduce<number>((all, value) => all + Number(value), 0);
    const isOther = ADDITIVE.has(metric ?? "")
      ? sum(plus) !== sum(minus)
      : JSON.stringify(plus.map(String).sort()) !== JSON.stringify(minus.map(String).sort());
    const key = JSON.stringify([reason, cell, metric]);
    if (isOther) calls.set(key, (calls.get(key) ?? 0) + 1);
  }
  return { effects, calls };
}

interface Found {
  cell: string;
  metric: string;
  was: unknown;
  now: unknown;
  change: number | null;
  reasons: { reason: string; calls: number; effect: number | null; listed: { call_id: number }[] }[];
}

/** Without figures by week, which moved-days.test.ts compares. */
function readFound({ sqlite }: Warehouse): Found[] {
  const rows = sqlite
    .prepare<[], Record<string, string> & { change: number | null }>(
      "SELECT * FROM restatements WHERE contents NOT LIKE '% by week'",
    )
    .all();
  return rows.map(({ period, key = "", metric = "", was = "", now = "", change, reasons = "" }) => ({
    cell: JSON.stringify([period, ...Object.values(JSON.parse(key))]),
    metric,
    was: JSON.parse(was),
    now: JSON.parse(now),
    change,
    reasons: JSON.parse(reasons),
  }));
}

const LOOKBACK_HOURS = 72;

describe("exportToFolder", () => {
  it("finds exactly the changed figures of complete periods, and explains them to the last call", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    using warehouse = openWarehouse(database);
    const runId = startRun(warehouse, { started_at: "t", mode: "full", plan_reason: "a test", pid: 1 });
    const seen: Record<string, number> = {};
    const see = (name: string, isSo = true) => {
      seen[name] = (seen[name] ?? 0) + Number(isSo);
    };
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 10, maxLength: IDS, size: "max" }),
        fc.array(id, { maxLength: 6, size: "max" }),
        fc.array(steps, { minLength: 1, maxLength: 2 }),
        question,
        fc.constantFrom<Range>(...RANGES),
        fc.option(fc.constantFrom<Range>(...RANGES), { nil: undefined, freq: 3 }),
        fc.constantFrom("2026-03-04", "2026-05-04", "2026-12-31"),
        async (first, goneFirst, rounds, asked, firstRange, otherRange, finishedOn) => {
          const out = join(folder.path, `run-${runs++}`);
          warehouse.sqlite.exec("DELETE FROM exported_rollups; DELETE FROM restatements");
          deleteCalls(warehouse);
          setRules(warehouse, DEFAULT_RULES);
          const finished_at = `${finishedOn}T00:00:00.000Z`;
          updateRun(warehouse, runId, { status: "done", finished_at, verdict: "exact", verdict_reason: "r" });
          const settled = new Date(Date.parse(finished_at) - LOOKBACK_HOURS * 3_600_000).toISOString();
          let state: State = { calls: new Map(), gone: new Set(), rules: DEFAULT_RULES };
          for (const call of first) {
            make(warehouse, state, { kind: "write", call });
            state = applyStep(state, { kind: "write", call })?.state ?? state;
          }
          for (const nth of goneFirst) {
            make(warehouse, state, { kind: "gone", nth });
            state = applyStep(state, { kind: "gone", nth })?.state ?? state;
          }
          const write = (range: Range) =>
            exportToFolder({
              database,
              folder: out,
              timezone: "UTC",
              lookbackHours: LOOKBACK_HOURS,
              rules: state.rules,
              clock: clockAt(Date.parse(finished_at) + runs),
              isEmptyAllowed: true,
              targets: [{ kind: "rollup", dimensions: asked.dimensions }],
              filter: asked.filter,
              range,
              grain: asked.hasGrain ? "month" : undefined,
              format: { format: asked.format as "csv" },
            });
          await write(firstRange);
          let [range, given] = [firstRange, state];
          for (const round of rounds) {
            const made: { before: State; state: State; reason: string; ids: number[] }[] = [];
            for (const step of round) {
              make(warehouse, state, step);
              const changed = applyStep(state, step);
              if (changed === undefined) continue;
              made.push({ before: state, ...changed });
              state = changed.state;
            }
            const next = otherRange ?? range;
            warehouse.sqlite.exec("DELETE FROM restatements");
            const { manifest } = await write(next);
            const found = readFound(warehouse);

            const periods = comparablePeriods(asked, [range, next], settled);
            const isComparable = (cell: string) => periods.has(JSON.parse(cell)[0]);
            const comparable = ([state, range]: readonly [State, Range]) =>
              fold(liveOf(state), state, asked, range).keys().filter(isComparable);
            const sides = [
              [given, range],
              [state, next],
            ] as const;
            const names = namesIn(sides.map(comparable), asked);
            const [rowsThen, rowsNow] = [
              fold(liveOf(given), given, asked, range, names),
              fold(liveOf(state), state, asked, next, names),
            ];
            const cells = new Set([...rowsThen.keys(), ...rowsNow.keys()]);
            const isRenamed = [...fold(liveOf(given), given, asked, range).keys()].some(
              (cell) => !cells.has(cell),
            );
            see("a campaign with a new name", isRenamed);
            const expected = [...cells].filter(isComparable).flatMap((cell) =>
              METRICS.flatMap((metric) => {
                const [was, is] = [rowsThen, rowsNow].map((rows) =>
                  figureOf(rows, cell, metric, state.rules),
                );
                return was === is ? [] : [JSON.stringify([cell, metric, was, is])];
              }),
            );
            expect(
              found.map(({ cell, metric, was, now }) => JSON.stringify([cell, metric, was, now])).sort(),
            ).toEqual(expected.sort());
            const file = join(out, "restatements.csv");
            const lines: { contents: string }[] = existsSync(file)
              ? parse(readFileSync(file), { columns: true })
              : [];
            expect(lines.filter(({ contents }) => !contents.endsWith(" by week"))).toHaveLength(
              expected.length,
            );
            const [rollup] = manifest.restatements?.rollups ?? [];
            if (expected.length > 0) expect(rollup?.restated_cells).toBe(expected.length);

            const { effects, calls } = explain(made, asked, next, names);
            for (const { cell, metric, was, now, change, reasons } of found) {
              for (const { reason, calls, listed } of reasons) {
                see(reason);
                expect(new Set(listed.map(({ call_id }) => call_id)).size).toBe(Math.min(10, calls));
              }
              see("several reasons", reasons.length > 1);
              see("a row that is new", !rowsThen.has(cell));
              see("a row that is gone", !rowsNow.has(cell));
              if (!ADDITIVE.has(metric)) {
                expect(reasons.every(({ effect }) => effect === null)).toBe(true);
                expect(reasons.length).toBeGreaterThan(0);
              } else {
                expect(change).toBe(Number(now) - Number(was));
                expect(reasons.reduce((sum, { effect }) => sum + Number(effect), 0)).toBe(change);
              }
              // First calls, and callers of callers, depend on other calls, and no figure of one call shows them.
              if (asked.filter.first_time || metric === "first_time_callers" || metric === "unique_callers")
                continue;
              const of = (told: ReadonlyMap<string, number>) =>
                ["late", "corrected", "gone", "returned", "rules", "first_call"].map(
                  (reason) => told.get(JSON.stringify([reason, cell, metric])) ?? 0,
                );
              const told = (name: "calls" | "effect") =>
                ["late", "corrected", "gone", "returned", "rules", "first_call"].map((reason) =>
                  Number(reasons.find((each) => each.reason === reason)?.[name] ?? 0),
                );
              expect(told("calls")).toEqual(of(calls));
              if (ADDITIVE.has(metric)) expect(told("effect")).toEqual(of(effects));
            }
            see("figures", found.length > 0);
            see("nothing", found.length === 0);
            see(
              "changes in periods that are not complete",
              [...cells].some(
                (cell) =>
                  !isComparable(cell) &&
                  JSON.stringify(rowsThen.get(cell)) !== JSON.stringify(rowsNow.get(cell)),
              ),
            );
            see("periods that are cut in another way", next !== range && periods.size > 0);
            [range, given] = [next, state];
          }
        },
      ),
      { numRuns: draws(60) },
    );
    expect(runs).toBeGreaterThanOrEqual(least(45));
    for (const [name, often] of Object.entries({
      late: 20,
      corrected: 50,
      gone: 20,
      returned: 20,
      rules: 15,
      first_call: 2,
      "several reasons": 8,
      "a row that is new": 10,
      "a row that is gone": 10,
      "a campaign with a new name": 5,
      nothing: 5,
      "changes in periods that are not complete": 5,
      "periods that are cut in another way": 1,
    }))
      expect({ name, seen: (seen[name] ?? 0) >= least(often), times: seen[name] }).toMatchObject({
        name,
        seen: true,
      });
  });

  const CALL = makeCall({ call_id: 1, call_started: "2026-01-01T10:00:00.000Z", utm_source: "Google" });
  const january = { from: "2026-01-01", to: "2026-01-31" };
  const source: Target = { kind: "rollup", dimensions: ["source"] };

  it("gives the reason why a file cannot be compared, and records nothing of it", async () => {
    using warehouse = makeWarehouse([CALL]);
    const write = async (options: object) => {
      const { manifest } = await warehouse.export({ targets: [source], range: january, ...options });
      return manifest.restatements?.rollups;
    };
    const refused = (not_compared: string) => [{ file: "source.csv", contents: "source", not_compared }];
    expect(await write({})).toBeUndefined();
    expect(await write({})).toMatchObject([{ exported_at: RUN_FINISHED_AT, restated_cells: 0 }]);
    expect(await write({ timezone: "Asia/Tokyo" })).toEqual(refused("the rollup's options changed"));
    expect(await write({ raw: true })).toEqual(refused("utm values as stored"));
    expect(await write({})).toBeUndefined();
    expect(await write({ top: 1 })).toEqual(refused("keys folded into (other)"));
    expect(await write({ filter: { include_gone: true } })).toEqual(refused("gone calls are counted"));
    expect(await write({ range: {} })).toBeUndefined();
    using reader = openWarehouse(warehouse.database);
    expect(reader.sqlite.prepare("SELECT count(*) FROM exported_rows").pluck().get()).toBe(0);
    expect(readFactLog(reader)).toBeUndefined();
  });

  it("compares rows of a campaign under its present name, and explains other changes", async () => {
    const named = (call_id: number, campaign_name: string | null, members: Partial<Call> = {}) =>
      makeCall({ ...CALL, call_id, campaign_name, campaign_id: "1", ...members });
    using warehouse = makeWarehouse([named(1, "Autumn"), named(2, null), named(3, "Old")]);
    const restate = async (...calls: Call[]) => {
      using writer = openWarehouse(warehouse.database);
      writeTransaction(writer, () => storeCalls(writer, calls));
      writer.sqlite.exec("DELETE FROM restatements");
      const { manifest } = await warehouse.export({
        targets: [{ kind: "rollup", dimensions: ["campaign"] }],
        range: january,
      });
      expect(manifest.restatements?.rollups.length ?? 0).toBe(1);
      return readFound(writer).map(({ cell, metric, was, now, reasons }) => [
        cell,
        metric,
        was,
        now,
        reasons,
      ]);
    };
    await warehouse.export({ targets: [{ kind: "rollup", dimensions: ["campaign"] }], range: january });
    const later = { call_started: "2026-02-01T10:00:00.000Z" };
    expect(await restate(named(4, "New", later), named(5, "New", later))).toEqual([]);
    expect(await restate(named(1, "New"), named(2, "New", { disposition: "ANSWERED" }))).toContainEqual([
      '["","New","1"]',
      "answered_calls",
      0,
      1,
      [
        {
          reason: "corrected",
          calls: 1,
          effect: 1,
          listed: [{ call_id: 2, changed: ["outcome", "campaign", "disposition"] }],
        },
      ],
    ]);
  });

  it("compares with the last recorded export if one was killed after it renamed its files", async () => {
    using warehouse = makeWarehouse([CALL]);
    const write = () => warehouse.export({ targets: [source], range: january });
    await write();
    warehouse.execute("UPDATE exported_rollups SET exported_at = '2026-09-30T00:00:00.000Z'");
    warehouse.execute("UPDATE call_facts SET duration = 5");
    // The result of a kill: the files of the second export, and the records of the first.
    warehouse.execute(
      "CREATE TRIGGER killed BEFORE UPDATE ON exports BEGIN SELECT raise(ABORT, 'killed'); END",
    );
    await expect(write()).rejects.toThrow("its files are in place");
    expect(readText(warehouse.folder, "source.csv")).toContain("google,1,0,0,1,0.0000,0,0,0,0.0000,5,");
    warehouse.execute("DROP TRIGGER killed; UPDATE call_facts SET duration = 7");
    const { manifest } = await write();
    expect(manifest.restatements?.rollups).toMatchObject([
      { exported_at: "2026-09-30T00:00:00.000Z", restated_cells: 3 },
    ]);
    expect(readText(warehouse.folder, "restatements.csv")).toContain(
      ",total_duration_seconds,0,7,7,2026-09-30T00:00:00.000Z,,,1,7,",
    );
  });

  it("removes its own file of restatements if there are none, and keeps a foreign one", async () => {
    using warehouse = makeWarehouse([CALL]);
    const write = () => warehouse.export({ targets: [source], range: january });
    await write();
    const file = join(warehouse.folder, "restatements.csv");
    writeFileSync(file, "what,I,wrote\r\n");
    await write();
    expect(readFileSync(file, "utf8")).toBe("what,I,wrote\r\n");
    warehouse.execute("UPDATE call_facts SET duration = 5");
    await write();
    expect(readFileSync(file, "utf8")).toMatch(
      /^file,contents,period,key,metric,was,now,change,exported_at,late_calls,/,
    );
    await write();
    expect(existsSync(file)).toBe(false);
  });

  it("records no figures whose changes another export has pruned meanwhile", async () => {
    using warehouse = makeWarehouse([CALL]);
    const write = (folder: string, meanwhile?: () => Promise<unknown>) =>
      warehouse.export({
        targets: [source],
        range: january,
        folder: join(warehouse.folder, folder),
        ...(meanwhile && { meanwhile }),
      });
    const during = async () => {
      warehouse.execute("UPDATE call_facts SET duration = 5");
      await write("other");
    };
    await write("other");
    await write("slow", during);
    expect((await write("slow")).manifest.restatements).toBeUndefined();
    warehouse.execute("UPDATE call_facts SET duration = 7");
    await write("slow");
    expect(readText(warehouse.folder, "slow/restatements.csv")).toContain(
      ",total_duration_seconds,5,7,2,2026-10-01T00:01:00.000Z,,,1,2,",
    );
  });

  it.each(["1900-01-01T00:00:00.000Z", "2200-01-01T00:00:00.000Z"])(
    "compares the periods of an open range with a call of %s in it",
    async (call_started) => {
      using warehouse = makeWarehouse([CALL, { ...CALL, call_id: 2, call_started }]);
      const write = () => warehouse.export({ targets: [source], grain: "quarter" });
      await write();
      warehouse.execute("UPDATE call_facts SET duration = 5 WHERE call_id = 1");
      const { manifest } = await write();
      expect(manifest.restatements?.rollups).toMatchObject([{ restated_cells: 3 }]);
    },
  );

  it("identifies a folder by each of its names", async () => {
    using warehouse = makeWarehouse([CALL]);
    const write = (folder: string) => warehouse.export({ targets: [source], range: january, folder });
    await write(warehouse.folder);
    const link = `${warehouse.folder}-by-another-name`;
    symlinkSync(warehouse.folder, link);
    warehouse.execute("UPDATE call_facts SET duration = 5");
    expect((await write(link)).manifest.restatements?.rollups).toMatchObject([{ restated_cells: 3 }]);
  });

  it("explains figures of values and local hours that no call has any longer", async () => {
    using warehouse = makeWarehouse([
      { ...CALL, campaign_name: "AUTUMN", call_started: "2025-07-01T10:00:00.000Z" },
    ]);
    const write = () =>
      warehouse.export({
        targets: [{ kind: "rollup", dimensions: ["campaign", "hour"] }],
        range: { from: "2025-01-01", to: "2025-12-31" },
        filter: { campaign: ["autumn"] },
        timezone: "Europe/Berlin",
      });
    await write();
    warehouse.execute("UPDATE call_facts SET campaign = 'Autumn', call_started = '2025-01-01T10:00:00.000Z'");
    await write();
    const lines: Record<string, string>[] = parse(readText(warehouse.folder, "restatements.csv"), {
      columns: true,
    });
    expect(
      lines
        .filter(({ metric }) => metric === "calls")
        .map(({ key, was, now, corrected_calls, corrected_effect }) => [
          key,
          was,
          now,
          corrected_calls,
          corrected_effect,
        ]),
    ).toEqual([
      ['{"campaign":"Autumn","campaign_id":null,"hour":"11"}', "0", "1", "1", "1"],
      ['{"campaign":"AUTUMN","campaign_id":null,"hour":"12"}', "1", "0", "1", "-1"],
    ]);
  });
});
