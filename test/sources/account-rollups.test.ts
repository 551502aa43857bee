import { describe, expect, it } from "vitest";
import type { CallFilter } from "../../src/calls/filter.ts";
import { DIMENSIONS, type Dimension, keyColumns, SPEND_DIMENSIONS } from "../../src/figures/dimensions.ts";
import { NOT_SET } from "../../src/figures/reserved-keys.ts";
import { rollupColumns } from "../../src/figures/rollup-query.ts";
import type { Row } from "../../src/sources/figure-session.ts";
import { rollupViewText } from "../../src/warehouse/calls/rollup-view.ts";
import { METRICS } from "../support/figures/fold.ts";
import { CALLS, LIVE, MILLISECONDS, openAccount, RULES } from "./account.ts";
import { askBoth, type Counted } from "./ask.ts";
import type { Question } from "./questions.ts";

const accounts = new Map([
  [RULES, await openAccount()],
  [MILLISECONDS, await openAccount({ rules: MILLISECONDS })],
]);

const CHANGING = ["Europe/Berlin", "Antarctica/Troll", "Australia/Lord_Howe", "America/New_York"];
const ZONES = [...CHANGING.slice(0, 3), "UTC", "America/New_York", "Asia/Kathmandu"];

/** Runs the session and the fold; both must agree. */
async function ask(asked: Partial<Question>, counted: Counted = {}): Promise<Row[]> {
  const database = accounts.get(counted.rules ?? RULES);
  if (database === undefined) throw new Error("There is no account by these rules");
  return await askBoth(database, asked, counted);
}

describe("rollup of an account with every edge case equals a fold in memory", () => {
  it.each(DIMENSIONS)(
    "by %s, with and without raw values, with a second dimension, gone calls, milliseconds",
    async (dimension) => {
      const next = DIMENSIONS[(DIMENSIONS.indexOf(dimension) + 5) % DIMENSIONS.length] ?? "channel";
      const count = (await ask({ dimensions: [dimension] })).length;
      expect(count).toBeGreaterThan(1);
      if (dimension.startsWith("utm_")) await ask({ dimensions: [dimension], raw: true });
      await ask({ dimensions: [next, dimension], zone: "Antarctica/Troll" });
      await ask({ dimensions: [dimension] }, { isGone: true, rules: MILLISECONDS });
      await ask({ dimensions: [dimension], top: count - 1, zone: "Europe/Berlin" });
      if (dimension.startsWith("utm_")) await ask({ dimensions: [dimension], top: count });
      await ask({ dimensions: [dimension, next], top: 1 });
    },
  );

  it("without dimensions, even without calls", async () => {
    expect((await ask({})).map(([calls]) => calls)).toEqual([LIVE.length]);
    expect((await ask({}, { isGone: true })).map(([calls]) => calls)).toEqual([CALLS.length]);
  });

  it.each(CHANGING)(
    "by hours, weekdays and days in %s, in ranges that begin or end with each day of a clock change",
    async (zone) => {
      const days = ["2026-03-28", "2026-03-29", "2026-04-04", "2026-04-05", "2026-10-25"];
      const seen = { rows: 0, cut: 0 };
      for (const [index, day] of days.entries()) {
        const range = { from: day, to: day };
        const rows = await ask({ dimensions: ["hour"], range, zone });
        seen.rows += rows.length;
        await ask({ dimensions: ["weekday", "hour"], range: { from: day, to: "2026-12-31" }, zone });
        const before = { from: days[index - 1] ?? "2025-12-31", to: day };
        for (const grain of ["day", "week"] as const) {
          const cut = await ask({
            dimensions: ["weekday"],
            range,
            previousRange: before,
            grain,
            fill: grain === "week",
            zone,
          });
          seen.cut += cut.length;
        }
      }
      for (const grain of ["week", "quarter"] as const) {
        const all = await ask({ dimensions: ["channel"], grain, zone, range: undefined });
        expect(all.some(([period]) => period === NOT_SET)).toBe(true);
      }
      expect(seen.rows).toBeGreaterThan(5);
      expect(seen.cut).toBeGreaterThan(5);
    },
  );

  const EACH_FILTER: [name: string, filter: CallFilter][] = [
    ["no filter", {}],
    ["org_unit", { org_unit: ["munich", "10", NOT_SET] }],
    ["org_unit by id alone", { org_unit: ["10", "11"] }],
    ["channel", { channel: ["paid search", "Unassigned", "Organic Search"] }],
    ["source", { source: ["GOOGLE ", NOT_SET, '"(other)"'] }],
    ["campaign", { campaign: ["AUTUMN", "10"] }],
    ["campaign not set", { campaign: [NOT_SET] }],
    ["disposition", { disposition: ["voice mail", NOT_SET, "Answered"] }],
    ["min_duration_seconds", { min_duration_seconds: 60 }],
    ["a duration of 0", { min_duration_seconds: 0 }],
    ["first_time", { first_time: true }],
    ["has_gclid", { has_gclid: true }],
    ["tracking_number", { tracking_number: ["+49 (30)", "Desk", NOT_SET] }],
    ["a value of no call", { source: ["of no call"] }],
  ];

  it("with each filter, and with excluded callers: calls without a caller remain", async () => {
    const seen = { excluded: 0, nameless: 0, nobody: 0 };
    for (const [name, filter] of EACH_FILTER) {
      for (const isGone of [false, true]) {
        const count = async (more: CallFilter = {}) => {
          const rows = await ask({ filter: { ...filter, ...more } }, { isGone });
          return rows.reduce((sum, [calls]) => sum + Number(calls), 0);
        };
        const all = await count();
        // All callers with a number.
        const nameless = await count({ exclude_callers: ["+491", "00492", "49 3", "Anonymous"] });
        const firstAll = await count({ exclude_callers: ["+49 1"] });
        // A text without a digit, or one that matches nobody, excludes nobody.
        expect(await count({ exclude_callers: ["", "-", "+4998"] }), name).toBe(all);
        if (firstAll < all) seen.excluded++;
        if (nameless > 0) seen.nameless++;
        if (all === 0) seen.nobody++;
      }
      await ask(
        { dimensions: ["source"], filter: { ...filter, exclude_callers: ["+49 1"] } },
        { rules: MILLISECONDS },
      );
    }
    expect(seen).toEqual({ excluded: 24, nameless: 24, nobody: 4 });
  });

  it("with all filters combined", async () => {
    const filter: CallFilter = {
      org_unit: ["Munich", "Berlin", NOT_SET],
      channel: ["Paid Search", "Unassigned", "Direct", "Organic Search", "Email", "Referral", "Paid Social"],
      source: ["google", "bing", NOT_SET],
      disposition: ["ANSWERED", "busy", NOT_SET, "transferred"],
      min_duration_seconds: 29,
      exclude_callers: ["+493"],
    };
    const [row] = await ask({ filter });
    expect(row?.[0]).toBeGreaterThan(2);
  });

  const RANGE = { from: "2026-03-29", to: "2026-04-05" };
  const BEFORE = { from: "2026-03-21", to: "2026-03-28" };

  it("compared with an earlier range: keys of either, ties, filled gaps, combined rows", async () => {
    for (const dimensions of [["source"], ["weekday"], ["org_unit", "hour"]] as const) {
      for (const grain of [undefined, "day"] as const) {
        for (const fill of [false, true]) {
          for (const top of [undefined, 1, 2]) {
            await ask({ dimensions: [...dimensions], range: RANGE, previousRange: BEFORE, grain, fill, top });
          }
        }
        await ask({
          dimensions: [...dimensions],
          range: BEFORE,
          previousRange: RANGE,
          grain,
          zone: "Europe/Berlin",
        });
        await ask({ dimensions: [...dimensions], range: RANGE, grain, fill: true, top: 1 });
      }
    }
  });

  it("without dimensions, by period, compared with an earlier range, filled gaps", async () => {
    for (const previousRange of [undefined, BEFORE]) {
      await ask({ range: RANGE, previousRange });
      for (const grain of ["day", "week"] as const) {
        const shown = (await ask({ range: RANGE, previousRange, grain })).length;
        expect(shown).toBeGreaterThan(0);
        const filled = (await ask({ range: RANGE, previousRange, grain, fill: true })).length;
        expect(filled).toBe(grain === "day" ? 8 : 2);
      }
    }
  });

  it("with spend: with calls, alone, filtered, in zones, compared, filled, combined", async () => {
    const seen = { both: 0, alone: 0, none: 0 };
    const sets: Dimension[][] = [
      ...SPEND_DIMENSIONS.map((each) => [each]),
      ["source", "campaign"],
      ["campaign", "channel"],
    ];
    for (const [index, dimensions] of sets.entries()) {
      const zone = ZONES[index % ZONES.length] ?? "UTC";
      for (const rules of [RULES, MILLISECONDS]) await ask({ dimensions }, { hasSpend: true, rules });
      await ask(
        { dimensions, filter: { source: ["facebook", "google"], exclude_callers: ["+491"] } },
        { hasSpend: true },
      );
      await ask({ dimensions, filter: { campaign: ["777", "autumn"] } }, { hasSpend: true, isGone: true });
      await ask(
        { dimensions, filter: { channel: ["paid search"], min_duration_seconds: 60 } },
        { hasSpend: true },
      );
      await ask(
        { dimensions, zone, range: RANGE, previousRange: BEFORE, grain: "day", fill: true },
        { hasSpend: true },
      );
      await ask({ dimensions, zone, range: BEFORE, previousRange: RANGE, top: 1 }, { hasSpend: true });
      await ask({ dimensions, zone, grain: "month", top: 2 }, { hasSpend: true });
      const width = keyColumns(dimensions).length;
      for (const row of await ask({ dimensions, zone }, { hasSpend: true })) {
        const [calls, cost] = [Number(row[width]), row[width + METRICS.length]];
        seen[cost === null ? "none" : calls > 0 ? "both" : "alone"]++;
      }
    }
    expect(seen).toEqual({ both: 23, alone: 9, none: 58 });
    expect((await ask({}, { hasSpend: true }))[0]?.slice(METRICS.length)).toEqual([
      27.845, 17, 181, 0.46, 2.14, 6.96,
    ]);
  });

  it("in views, except for the median", async () => {
    for (const [rules, database] of accounts) {
      for (const dimension of ["utm_source", "campaign", "gclid", "channel"] as const) {
        const names = rollupColumns({ dimensions: [dimension] }, rules).map(({ name }) => name);
        const isViewed = (_: unknown, index: number) => names[index] !== "median_duration_seconds";
        const view = database.prepare<[], Row>(`SELECT * FROM rollup_${dimension}`).raw();
        expect(view.columns().map(({ name }) => name)).toEqual(names.filter(isViewed));
        expect(view.all()).toEqual(
          (await ask({ dimensions: [dimension] }, { rules })).map((row) => row.filter(isViewed)),
        );
        // The definition itself, by the present code.
        const text = rollupViewText(dimension, rules);
        expect(database.prepare<[], Row>(text).raw().all()).toEqual(view.all());
      }
    }
  });
});
