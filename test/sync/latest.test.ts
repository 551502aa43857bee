import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ParsedRow } from "../../src/service/api/parse-row.ts";
import { Latest } from "../../src/sync/latest.ts";
import { draws, least } from "../support/draws.ts";
import { makeCall } from "../support/warehouses/calls.ts";

const rowOf = (call_id: number): ParsedRow => ({ call: makeCall({ call_id }), drift: [] });
const rejected = (call_id: number | null): ParsedRow => ({
  rejected: { call_id, json: "", path: "", reason: "" },
});
const rowsOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => rowOf(first + index));

describe("Latest", () => {
  it("drops older rows, keeps newer ones and names ambiguous ones, in whatever order responses arrive", () => {
    const seen = { newer: 0, older: 0, unordered: 0 };
    const response = fc.record({
      // When it was sent and had arrived, in whole steps: concurrent requests overlap.
      sent: fc.nat({ max: 12 }),
      took: fc.integer({ min: 1, max: 4 }),
      ids: fc.uniqueArray(fc.nat({ max: 4 }), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(response, { minLength: 2, maxLength: 12, selector: ({ sent }) => sent }),
        (responses) => {
          const latest = new Latest();
          const before: { id: number; attempt: number; nextAttempt: number }[] = [];
          for (const { sent: attempt, took, ids } of responses) {
            const nextAttempt = attempt + took;
            const kinds = [rowOf, rejected] as const;
            const rows = ids.map((id, index) => (kinds[index % 2] ?? rowOf)(id));
            const kept = latest.keepLatest([rejected(null), ...rows], { attempt, nextAttempt });
            expect(kept.rows).toContainEqual(rejected(null));
            for (const [index, id] of ids.entries()) {
              const others = before.filter((each) => each.id === id);
              const row = rows[index];
              if (row === undefined || !kept.rows.includes(row)) {
                seen.older++;
                expect(others.some((each) => each.attempt >= nextAttempt)).toBe(true);
              } else if (kept.unordered.has(id)) {
                seen.unordered++;
                expect(others.some((each) => each.attempt < nextAttempt && attempt < each.nextAttempt)).toBe(
                  true,
                );
              } else {
                seen.newer++;
                expect(others.every((each) => each.nextAttempt <= attempt)).toBe(true);
              }
            }
            before.push(...ids.map((id) => ({ id, attempt, nextAttempt })));
          }
        },
      ),
      { numRuns: draws(300) },
    );
    for (const times of Object.values(seen)) expect(times).toBeGreaterThanOrEqual(least(200));
  });

  it("treats rows of one response as equally new, and returns the same rows if none is outdated", () => {
    const rows = [...rowsOf(1, 3), rowOf(1)];
    const kept = new Latest().keepLatest(rows, { attempt: 0, nextAttempt: 4 });
    expect(kept.rows).toBe(rows);
    expect(kept.unordered).toEqual(new Set());
  });

  it("remembers a call for 50,000 more calls, and at most twice as many", () => {
    const latest = new Latest();
    const keep = (rows: readonly ParsedRow[], attempt: number) =>
      latest.keepLatest(rows, { attempt, nextAttempt: attempt + 1 }).rows;
    keep([rowOf(1)], 9);
    keep(rowsOf(1000, 49_999), 9);
    // Both generations are full after these, and the first is still the older one.
    keep(rowsOf(100_000, 1), 9);
    keep(rowsOf(200_000, 50_000), 9);
    expect(keep([rowOf(1)], 8)).toEqual([]);
    keep(rowsOf(300_000, 1), 9);
    expect(keep([rowOf(1)], 8)).toEqual([rowOf(1)]);
  });
});
