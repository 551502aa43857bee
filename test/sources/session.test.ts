import { describe, expect, it } from "vitest";
import { type AttributionRules, DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../src/calls/columns.ts";
import { DIMENSIONS, type Dimension } from "../../src/figures/dimensions.ts";
import { type RollupQuery, rollupColumns } from "../../src/figures/rollup-query.ts";
import type { Row } from "../../src/sources/figure-session.ts";
import { RollupSession, type SessionOptions } from "../../src/sources/session.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import {
  deleteCalls,
  markGone,
  newWarehouse,
  setRules,
  storeCalls,
} from "../support/warehouses/warehouse.ts";

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

  it("returns nothing before a period without a counterpart, and 0 before one whose counterpart has no calls", async () => {
    const calls = [
      makeCall({ call_id: 1, utm_source: "a", call_started: "2026-01-01T00:00:00.000Z" }),
      makeCall({ call_id: 2, utm_source: "a", call_started: "2026-02-03T00:00:00.000Z" }),
    ];
    const rows = await readRecords(calls, "utm_source", {
      figures: [],
      fill: true,
      span: { startsAt: "2026-02-01", endsAt: "2026-02-05" },
      periods: ["1", "2", "3", "4"].map((day) => ({ period: day, startsAt: `2026-02-0${day}` })),
      compared: [
        {
          span: { startsAt: "2026-01-01", endsAt: "2026-01-03" },
          // The third begins after the compared span.
          periods: ["1", "2", "3"].map((day) => ({ period: day, startsAt: `2026-01-0${day}` })),
        },
      ],
    });
    expect(rows.map(({ period, calls, calls_previous }) => [period, calls, calls_previous])).toEqual([
      ["1", 0, 1],
      ["2", 0, 0],
      ["3", 1, null],
      ["4", 0, null],
    ]);
  });

  it("returns no changes for days that the last sync has not reached, and those of other days", async () => {
    const calls = [1, 2, 3].map((call_id) =>
      makeCall({
        call_id,
        utm_source: "a",
        caller_id: `+49${call_id}`,
        disposition: "answered",
        duration: 60 + call_id,
        // The first is older than the history that first-time callers need.
        call_started: call_id === 1 ? "2025-01-01T00:00:00.000Z" : `2026-02-0${call_id}T00:00:00.000Z`,
      }),
    );
    const span = { startsAt: "2026-02-08", endsAt: "2026-02-15" };
    const previous = { span: { startsAt: "2026-02-01", endsAt: "2026-02-08" } };
    for (const isUnreached of [false, true]) {
      const [row = {}] = await readRecords(calls, "utm_source", {
        span,
        compared: [{ ...previous, isUnreached }],
      });
      expect(row).toMatchObject({ calls: 0, calls_previous: 2 });
      const changes = [
        "calls",
        "answered_calls",
        "unique_callers",
        "first_time_callers",
        "total_duration_seconds",
      ];
      expect(changes.map((name) => row[`${name}_change`])).toEqual(
        changes.map(() => (isUnreached ? null : -1)),
      );
    }
  });

  it("returns no rows without calls", async () => {
    using warehouse = newWarehouse();
    for (const dimension of DIMENSIONS)
      expect(await readRows(warehouse, { dimensions: [dimension] })).toEqual([]);
  });

  it("ends its transaction when it is disposed, also if SQLite has, or if the database is closed", () => {
    using warehouse = newWarehouse();
    const { sqlite } = warehouse;
    const start = () => new RollupSession(sqlite, { rules: DEFAULT_RULES });
    start()[Symbol.dispose]();
    expect(sqlite.inTransaction).toBe(false);
    const ended = start();
    sqlite.exec("COMMIT");
    ended[Symbol.dispose]();
    const closed = start();
    sqlite.close();
    closed[Symbol.dispose]();
  });

  it("throws the signal's reason", async () => {
    using warehouse = newWarehouse();
    fill(warehouse, [makeCall({ call_id: 1 })]);
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(readRows(warehouse, { dimensions: ["channel"] }, { signal })).rejects.toBe(reason);
  });
});
