import { describe, expect, it } from "vitest";
import type { Call } from "../../src/calls/columns.ts";
import { type CallFilter, STAGES } from "../../src/calls/filter.ts";
import type { Dimension } from "../../src/figures/dimensions.ts";
import { REVENUE_BY } from "../../src/figures/metrics.ts";
import type { Row } from "../../src/sources/figure-session.ts";
import { RollupSession } from "../../src/sources/session.ts";
import type { FoldJob } from "../support/figures/fold.ts";
import { CALLS, GONE, LIVE, openAccount, RULES } from "./account.ts";
import { askBoth, type Counted } from "./ask.ts";
import type { Question } from "./questions.ts";

const DAYS = ["2026-03-28", "2026-03-29", "2026-04-01", "2026-04-05", "2026-04-09", "2026-12-31"];
const AMOUNTS = [12_345_678, 99_990_000, null, -5_000_000, 0, 1];

/** Several jobs of some calls, also of gone ones, none of others, in each order of days and stages. */
const JOBS: Omit<FoldJob, "startsAt">[] = [
  ...GONE.map((call_id) => ({
    call_id,
    day: "2026-04-01",
    stage: "sold" as const,
    amount_micros: 7_000_000,
  })),
  ...CALLS.flatMap(({ call_id }, index) =>
    Array.from({ length: [0, 1, 3, 2, 1][index % 5] ?? 0 }, (_, nth) => ({
      call_id,
      day: DAYS[(index + nth * (1 + (index % 4))) % DAYS.length] ?? "",
      stage: STAGES[(index + 2 * nth) % 3] ?? "lost",
      amount_micros: AMOUNTS[(index * 7 + nth) % AMOUNTS.length] ?? null,
    })),
  ),
];

const database = await openAccount();
const insert = database.prepare(
  "INSERT INTO outcomes (call_id, day, stage, amount_micros, currency, source, import_id) VALUES (?, ?, ?, ?, ?, 'jobs', 1)",
);
for (const { call_id, day, stage, amount_micros } of JOBS) {
  insert.run(call_id, day, stage, amount_micros, amount_micros === null ? null : "EUR");
}

interface Asked extends Omit<Counted, "outcomes"> {
  by: (typeof REVENUE_BY)[number];
}

/** Runs the session and the fold; both must agree. */
const ask = (asked: Partial<Question>, { by, ...counted }: Asked): Promise<Row[]> =>
  askBoth(database, asked, { ...counted, outcomes: { by, jobs: JOBS } });

const RANGE = { from: "2026-03-29", to: "2026-04-05" };
const BEFORE = { from: "2026-03-21", to: "2026-03-28" };
const WAYS = REVENUE_BY.flatMap((by) => [false, true].map((hasSpend): Asked => ({ by, hasSpend })));

describe("rollup with outcomes equals a fold in memory", () => {
  it.each(WAYS)("by dimensions, periods and top, $by, spend $hasSpend", async (way) => {
    const wanted: Dimension[][] = way.hasSpend
      ? [["source"], ["campaign"]]
      : [["source"], ["org_unit", "channel"], ["gclid"]];
    let booked = 0;
    for (const dimensions of [[], ...wanted]) {
      for (const grain of [undefined, "week"] as const) {
        for (const top of dimensions.length > 0 ? [undefined, 1, 3] : [undefined]) {
          await ask({ dimensions, grain, top, fill: grain === "week", range: RANGE }, way);
        }
        const rows = await ask({ dimensions, grain, previousRange: BEFORE, range: RANGE }, way);
        booked += rows.filter((row) => row.some((cell) => typeof cell === "number" && cell > 0)).length;
        await ask({ dimensions, grain, zone: "Antarctica/Troll" }, { ...way, isGone: true });
      }
    }
    expect(booked).toBeGreaterThan(5);
  });

  it.each(WAYS)("by the days of zones west and east of UTC, $by, spend $hasSpend", async (way) => {
    const perZone = [];
    for (const zone of ["Pacific/Honolulu", "Europe/Berlin", "Australia/Lord_Howe"]) {
      const asked = { dimensions: ["source"], zone, range: RANGE } satisfies Partial<Question>;
      await ask({ ...asked, grain: "day", fill: true, previousRange: BEFORE }, way);
      await ask({ ...asked, dimensions: [], grain: "week" }, { ...way, isGone: true });
      perZone.push(JSON.stringify(await ask(asked, way)));
    }
    expect(new Set(perZone).size).toBe(3);
  });

  it.each(WAYS)("with filters of calls, $by, spend $hasSpend", async (way) => {
    for (const filter of [
      { channel: ["Paid Search"] },
      { source: ["google"], first_time: true },
      { exclude_callers: ["+491"] },
    ] satisfies CallFilter[]) {
      await ask({ dimensions: ["channel"], filter, grain: "week" }, way);
      await ask({ filter }, { ...way, isGone: true });
    }
  });

  it("counts raw, and by local weekday and hour, in the row of the call", async () => {
    const way: Asked = { by: "call", hasSpend: false };
    await ask({ dimensions: ["weekday"], zone: "Europe/Berlin" }, way);
    await ask({ dimensions: ["hour", "channel"], range: RANGE }, way);
    await ask({ dimensions: ["utm_source"], raw: true }, way);
  });

  it("a gone call's revenue counts only if gone calls count", async () => {
    const revenueOf = (rows: Row[]) => rows[0]?.[19];
    const of = (calls: readonly Call[]) =>
      JOBS.filter(
        ({ call_id, stage, amount_micros }) =>
          (stage === "sold" || (amount_micros ?? 0) < 0) && calls.some((call) => call.call_id === call_id),
      ).reduce((sum, { amount_micros }) => sum + (amount_micros ?? 0), 0) / 1e6;
    expect(of(CALLS)).not.toBe(of(LIVE));
    expect(revenueOf(await ask({}, { by: "call", hasSpend: false }))).toBeCloseTo(of(LIVE), 6);
    expect(revenueOf(await ask({}, { by: "call", hasSpend: false, isGone: true }))).toBeCloseTo(of(CALLS), 6);
  });

  it.each([...STAGES, "none"] as const)("filters calls whose furthest stage is %s", async (stage) => {
    using session = new RollupSession(database, { rules: RULES, filter: { outcome: [stage] } });
    const [row] = [...(await session.rollup({ dimensions: [], figures: [] })).rows];
    const furthest = (call_id: number) =>
      STAGES.findLast((each) => JOBS.some((job) => job.call_id === call_id && job.stage === each)) ?? "none";
    const expected = LIVE.filter(({ call_id }) => furthest(call_id) === stage).length;
    expect(expected).toBeGreaterThan(0);
    expect(row).toEqual([expected]);
  });
});
