import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { RollupQuery } from "../../../src/figures/rollup-query.ts";
import { RollupSession } from "../../../src/sources/session.ts";
import { draws } from "../../support/draws.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { deleteCalls, newWarehouse, storeCalls } from "../../support/warehouses/warehouse.ts";

const MONTHS = ["2026-08", "2026-09", "2026-10", "2026-11"];

const spanOf = (first: string, last: string) => ({
  startsAt: `${first}-01T00:00:00.000Z`,
  endsAt: `${last}-28T00:00:00.000Z`,
});

/** The last two months, by month, compared with the two before. */
const QUERY: RollupQuery = {
  dimensions: ["utm_source"],
  figures: [],
  span: spanOf("2026-10", "2026-11"),
  periods: ["2026-10", "2026-11"].map((period) => ({ period, ...spanOf(period, period) })),
};
const PREVIOUS = {
  span: spanOf("2026-08", "2026-09"),
  periods: [
    { period: "2026-10", ...spanOf("2026-08", "2026-08") },
    { period: "2026-11", ...spanOf("2026-09", "2026-09") },
  ],
};

/** Calls of each month by source. */
type Counts = Record<string, number>[];

function makeSession() {
  const warehouse = newWarehouse();
  return {
    ask: async <T>(counts: Counts, work: (session: RollupSession) => Promise<T>): Promise<T> => {
      const calls = counts.flatMap((ofMonth, month) =>
        Object.entries(ofMonth).flatMap(([utm_source, count]) =>
          Array.from({ length: count }, () => ({
            call_started: `${MONTHS[month]}-10T12:00:00.000Z`,
            utm_source,
          })),
        ),
      );
      deleteCalls(warehouse);
      storeCalls(
        warehouse,
        calls.map((call, index) => makeCall({ ...call, call_id: index + 1 })),
      );
      using session = new RollupSession(warehouse.sqlite, { rules: DEFAULT_RULES });
      return await work(session);
    },
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

describe("FigureSession.total", () => {
  it("hides a total that has few calls, or a period with few", async () => {
    using sessions = makeSession();
    const totals = (counts: Counts, query: Partial<RollupQuery>) =>
      sessions.ask(counts, async (session) => [...(await session.total({ ...QUERY, ...query })).rows]);
    const few: Counts = [{ a: 1 }, { a: 9 }, { a: 4, b: 3 }, { a: 2 }];
    expect(await totals(few, {})).toEqual([[9]]);
    expect(await totals(few, { minCell: 3 })).toEqual([[null]]);
    expect(await totals(few, { minCell: 2 })).toEqual([[9]]);
    // Without periods no value can be derived from it.
    expect(await totals(few, { minCell: 3, periods: undefined })).toEqual([[9]]);
    expect(await totals(few, { minCell: 10, periods: undefined })).toEqual([[null]]);
    // Values of the compared range count as well.
    expect(await totals(few, { minCell: 2, compared: [{ span: PREVIOUS.span }] })).toEqual([[9, 10, null]]);
    expect(await totals(few, { minCell: 2, compared: [PREVIOUS] })).toEqual([[null, null, null]]);
  });
});

describe("rollups in share-safe files", () => {
  it("show no small number, not even as the difference to the total, and do not count rows of few calls", async () => {
    using sessions = makeSession();
    const counts = fc.array(
      fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.integer({ min: 1, max: 9 }), { maxKeys: 4 }),
      { minLength: MONTHS.length, maxLength: MONTHS.length },
    );
    const sum = (ofMonth: Record<string, number> = {}) =>
      Object.values(ofMonth).reduce((total, count) => total + count, 0);
    const seen = { blank: 0, shown: 0 };
    const property = fc.asyncProperty(
      counts,
      fc.integer({ min: 2, max: 15 }),
      fc.boolean(),
      async (all, minCell, isCompared) => {
        const query = { ...QUERY, minCell, compared: isCompared ? [PREVIOUS] : undefined };
        const answer = await sessions.ask(all, async (session) => ({
          rows: [...(await session.rollup(query)).rows],
          total: [...(await session.total(query)).rows],
          inOther: await session.countSmallCells(query),
        }));
        const isSmall = (count: number) => count > 0 && count < minCell;
        const blank = [0, 1].filter((month) => {
          const [before, now] = [all[month], all[month + 2]].map(sum);
          return isSmall(now ?? 0) || (isCompared && isSmall(before ?? 0));
        });
        expect(answer.rows.filter(([, , calls]) => calls === null)).toHaveLength(blank.length);
        const isTotalSmall = isSmall(sum(all[2]) + sum(all[3]));
        if (blank.length > 0 || isTotalSmall) {
          seen.blank++;
          expect(answer.total[0]?.every((value) => value === null)).toBe(true);
        } else {
          seen.shown++;
          expect(answer.total[0]?.[0]).toBe(sum(all[2]) + sum(all[3]));
        }
        // Values in a period without figures are not counted either.
        const keys = [0, 1]
          .filter((month) => !blank.includes(month))
          .map(
            (month) =>
              new Set(
                [all[month + 2], isCompared ? all[month] : {}].flatMap((each) => Object.keys(each ?? {})),
              ).size,
          );
        const own = answer.rows.filter(([, key, calls]) => key !== "(other)" && calls !== null).length;
        expect(answer.inOther).toBe(keys.reduce((total, count) => total + count, 0) - own);
      },
    );
    await fc.assert(property, { numRuns: draws(150) });
    expect(Math.min(seen.blank, seen.shown)).toBeGreaterThan(0);
  });
});
