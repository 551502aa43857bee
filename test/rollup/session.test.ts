import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AttributionRules, DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import type { Call } from "../../src/call/columns.ts";
import { DIMENSIONS, type Dimension } from "../../src/figures/dimensions.ts";
import { NOT_SET, OTHER } from "../../src/figures/reserved-keys.ts";
import { type RollupQuery, rollupColumns } from "../../src/figures/rollup-query.ts";
import type { Row } from "../../src/rollup/figure-session.ts";
import { RollupSession, type SessionOptions } from "../../src/rollup/session.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeCall } from "../support/calls.ts";
import { draws, least } from "../support/draws.ts";
import { firstStartOf, foldRollup } from "../support/fold.ts";
import { deleteCalls, markGone, newWarehouse, setRules, storeCalls } from "../support/warehouse.ts";
import { accounts, questions, resolve } from "./questions.ts";

/** Replaces the calls of the warehouse. */
function fill(
  warehouse: Warehouse,
  calls: readonly Call[],
  gone: readonly Call[] = [],
  rules: AttributionRules = DEFAULT_RULES,
): void {
  deleteCalls(warehouse);
  warehouse.sqlite.exec("DELETE FROM spend");
  setRules(warehouse, rules);
  writeTransaction(warehouse, () => {
    storeCalls(warehouse, calls);
    markGone(
      warehouse,
      gone.map(({ call_id }) => call_id),
    );
  });
}

async function readRows(
  { sqlite }: Warehouse,
  query: Partial<RollupQuery>,
  { zone = "UTC", ...options }: Partial<SessionOptions> & { zone?: string } = {},
): Promise<Row[]> {
  using session = new RollupSession(sqlite, { rules: DEFAULT_RULES, ...options });
  const offsets = await session.readOffsets(zone);
  return [...(await session.rollup({ dimensions: [], offsets, ...query })).rows];
}

/** Reads a rollup's rows of these calls, each under its columns' names. */
async function readRecords(
  calls: readonly Call[],
  dimension: Dimension,
  { rules = DEFAULT_RULES, ...options }: Partial<RollupQuery> & { rules?: AttributionRules } = {},
) {
  using warehouse = newWarehouse();
  fill(warehouse, calls, [], rules);
  const query = { dimensions: [dimension], ...options };
  const names = rollupColumns(query, rules).map(({ name }) => name);
  const rows = await readRows(warehouse, query, { rules });
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
}

/** Several questions to one account, since filling a warehouse takes longer than querying it. */
const several = fc.array(questions, { minLength: 3, maxLength: 3 });

const liveOf = (calls: readonly Call[], gone: readonly Call[]) =>
  calls.filter((call) => !gone.includes(call));

describe("RollupSession.rollup", () => {
  it("counts each call once: lowest and highest id, many with one start, and full blocks", async () => {
    using warehouse = newWarehouse();
    const ids = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, ...Array(1498).keys()];
    const call_started = "2026-06-01T10:00:00.000Z";
    fill(
      warehouse,
      ids.map((call_id) => makeCall({ call_id, call_started })),
    );
    const span = { startsAt: "2026-06-01", endsAt: "2026-06-02" };
    for (const query of [{}, { span }]) expect((await readRows(warehouse, query))[0]?.[0]).toBe(ids.length);
  });

  it("groups by weekday and hour in a zone, in their order, with the remaining keys combined", async () => {
    using warehouse = newWarehouse();
    const seen = { changed: 0, other: 0, unknown: 0 };
    const local = fc.subarray<Dimension>(["weekday", "hour", "channel"], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(accounts, several, local, async ({ calls, gone }, asked, dimensions) => {
        fill(warehouse, calls, gone);
        for (const question of asked) {
          const { query, fold } = resolve({ ...question, dimensions, filter: {} });
          const { zone } = question;
          const rows = await readRows(warehouse, query, { zone });
          expect(rows).toEqual(
            foldRollup(liveOf(calls, gone), {
              ...fold,
              rules: DEFAULT_RULES,
              firstStart: firstStartOf(calls),
            }),
          );
          using session = new RollupSession(warehouse.sqlite, { rules: DEFAULT_RULES });
          const offsets = await session.readOffsets(zone);
          const { shown } = await session.countKeys({ ...query, offsets });
          const keys = rows.map((row) =>
            JSON.stringify(row.slice(query.periods ? 1 : 0).slice(0, dimensions.length)),
          );
          expect(shown).toBe(new Set(keys).size);
          if (offsets.length > 1) seen.changed += rows.length;
          seen.other += rows.filter((row) => row.includes(OTHER)).length;
          seen.unknown += rows.filter((row) => row.includes(NOT_SET)).length;
        }
      }),
      { numRuns: draws(30) },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThanOrEqual(least(20));
  });

  it("has nothing before a period without a counterpart, and 0 before one whose counterpart has no calls", async () => {
    const calls = [
      makeCall({ call_id: 1, utm_source: "a", call_started: "2026-01-01T00:00:00.000Z" }),
      makeCall({ call_id: 2, utm_source: "a", call_started: "2026-02-03T00:00:00.000Z" }),
    ];
    const rows = await readRecords(calls, "utm_source", {
      figures: [],
      fill: true,
      span: { startsAt: "2026-02-01", endsAt: "2026-02-05" },
      periods: ["1", "2", "3", "4"].map((day) => ({ period: day, startsAt: `2026-02-0${day}` })),
      previous: {
        span: { startsAt: "2026-01-01", endsAt: "2026-01-03" },
        // The third begins after the compared span.
        periods: ["1", "2", "3"].map((day) => ({ period: day, startsAt: `2026-01-0${day}` })),
      },
    });
    expect(rows.map(({ period, calls, calls_previous }) => [period, calls, calls_previous])).toEqual([
      ["1", 0, 1],
      ["2", 0, 0],
      ["3", 1, null],
      ["4", 0, null],
    ]);
  });

  it("keeps the totals if keys are combined, and computes callers and medians from the calls", async () => {
    const calls = [10, 20, 60, 1, 3].map((duration, index) =>
      makeCall({
        call_id: index,
        duration,
        utm_source: ["a", "a", "b", "c", null][index] ?? null,
        caller_id: "+491",
        disposition: "answered",
      }),
    );
    const rows = await readRecords(calls, "utm_source", { top: 1 });
    const names = ["utm_source", "calls", "unique_callers", "first_time_callers", "median_duration_seconds"];
    expect(rows.map((row) => names.map((name) => row[name]))).toEqual([
      ["a", 2, 1, 1, 15],
      [NOT_SET, 1, 1, 0, 3],
      [OTHER, 2, 1, 0, 30.5],
    ]);
  });

  it("distinguishes the spellings of a source only if raw", async () => {
    const calls = ["google", "Google", "\u00a0GOOGLE\t", "face  book", "Face Book", "", " ", null].map(
      (utm_source, index) => makeCall({ call_id: index, utm_source }),
    );
    const keys = async (raw: boolean) =>
      (await readRecords(calls, "utm_source", { raw })).map((row) => [row.utm_source, row.calls]);
    expect(await keys(false)).toEqual([
      ["(not set)", 3],
      ["google", 3],
      ["face book", 2],
    ]);
    expect(await keys(true)).toEqual([
      ["(not set)", 2],
      [" ", 1],
      ["Face Book", 1],
      ["Google", 1],
      ["face  book", 1],
      ["google", 1],
      ["\u00a0GOOGLE\t", 1],
    ]);
  });

  it("distinguishes campaigns of the same name by id, and falls back to utm_campaign", async () => {
    const calls = [
      makeCall({ call_id: 1, campaign_name: "Autumn", campaign_id: "1", utm_campaign: "ignored" }),
      makeCall({ call_id: 2, campaign_name: " Autumn ", campaign_id: "2" }),
      makeCall({ call_id: 3, campaign_name: "", campaign_id: " 2 ", utm_campaign: "Autumn" }),
      makeCall({ call_id: 4, campaign_name: null, utm_campaign: "autumn" }),
      makeCall({ call_id: 5 }),
    ];
    const rows = await readRecords(calls, "campaign");
    expect(rows.map((row) => [row.campaign, row.campaign_id, row.calls])).toEqual([
      ["Autumn", "2", 2],
      ["(not set)", null, 1],
      ["Autumn", "1", 1],
      ["autumn", null, 1],
    ]);
  });

  it("assigns a caller's first call to one row, and prefers calls with a known time", async () => {
    const calls = [
      makeCall({ call_id: 1, utm_source: "unknown time", caller_id: "+491", call_started: null }),
      makeCall({ call_id: 3, utm_source: "a", caller_id: "+491", call_started: "2026-01-01T00:00:00.000Z" }),
      makeCall({ call_id: 2, utm_source: "b", caller_id: "+491", call_started: "2026-01-01T00:00:00.000Z" }),
      makeCall({ call_id: 4, utm_source: "c", caller_id: "+491", call_started: "2026-01-02T00:00:00.000Z" }),
      makeCall({ call_id: 5, utm_source: "c", caller_id: "", call_started: "2026-01-01T00:00:00.000Z" }),
      makeCall({ call_id: 6, utm_source: "unknown time", caller_id: "+492", call_started: null }),
    ];
    const rows = await readRecords(calls, "utm_source");
    expect(rows.map((row) => [row.utm_source, row.unique_callers, row.first_time_callers])).toEqual([
      ["c", 1, 0],
      ["unknown time", 2, 1],
      ["a", 1, 0],
      ["b", 1, 1],
    ]);
  });

  it("rounds an exact half away from zero", async () => {
    const durations = [...Array(3).fill(1), ...Array(157).fill(0)];
    const calls = durations.flatMap((duration, index) => [
      makeCall({ call_id: index, utm_source: "up", duration, disposition: index < 3 ? "ANSWERED" : "BUSY" }),
      makeCall({ call_id: 1000 + index, utm_source: "down", duration: index < 8 ? -3 * duration : null }),
    ]);
    const twenty = durations
      .slice(0, 20)
      .map((duration, index) => makeCall({ call_id: 2000 + index, utm_source: "twenty", duration }));
    const rows = await readRecords([...calls, ...twenty], "utm_source");
    const figures = rows.map((row) => [row.utm_source, row.answer_rate, row.average_duration_seconds]);
    expect(figures.toSorted()).toEqual([
      ["down", 0, -1.1], // -9 / 8
      ["twenty", 0, 0.2], // 3 / 20
      ["up", 0.0188, 0], // 3 / 160
    ]);
  });

  it("sums milliseconds before it converts them to seconds", async () => {
    const calls = [100, 200, 60_000].map((duration, index) =>
      makeCall({ call_id: index, duration, disposition: "ANSWERED" }),
    );
    const rules: AttributionRules = { ...DEFAULT_RULES, duration_unit: "milliseconds" };
    expect(await readRecords(calls, "gclid", { rules })).toEqual([
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
        median_duration_seconds: 0.2,
        first_call_at: null,
        last_call_at: null,
        calls_in_hours: null,
        missed_in_hours: null,
        answer_rate_in_hours: null,
      },
    ]);
    expect((await readRecords(calls.slice(0, 2), "gclid", { rules }))[0]?.total_duration_seconds).toBe(0.3);
  });

  it("matches non-ASCII dispositions in any case", async () => {
    const calls = ["ÜBERGEBEN", "Übergeben", "übergeben"].map((disposition, index) =>
      makeCall({ call_id: index, disposition }),
    );
    for (const answered of ["ÜBERGEBEN", "Übergeben", "übergeben"]) {
      const rules: AttributionRules = { ...DEFAULT_RULES, answered: [answered] };
      expect((await readRecords(calls, "gclid", { rules }))[0]?.answered_calls).toBe(3);
    }
  });

  it("returns no rows without calls", async () => {
    using warehouse = newWarehouse();
    for (const dimension of DIMENSIONS)
      expect(await readRows(warehouse, { dimensions: [dimension] })).toEqual([]);
  });

  it("throws the signal's reason", async () => {
    using warehouse = newWarehouse();
    fill(warehouse, [makeCall({ call_id: 1 })]);
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(readRows(warehouse, { dimensions: ["channel"] }, { signal })).rejects.toBe(reason);
  });
});
