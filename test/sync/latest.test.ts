import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PageRow } from "../../src/api/recognized-page.ts";
import { Latest } from "../../src/sync/latest.ts";
import { makeCall } from "../calls.ts";
import { draws, least } from "../draws.ts";

const rowOf = (call_id: number): PageRow => ({ call: makeCall({ call_id }), drift: [] });
const known = (call_id: number): PageRow => ({
  known: { call_id, hash: "", call_started: null, insight_name: null, isResigned: false },
  bytes: Buffer.alloc(0),
});
const rejected = (call_id: number | null): PageRow => ({
  rejected: { call_id, json: "", path: "", reason: "" },
});
const rowsOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => rowOf(first + index));

describe("Latest", () => {
  it("keeps of each call what was asked for last, in whatever order responses come", () => {
    let outdated = 0;
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            attempt: fc.nat({ max: 5 }),
            ids: fc.array(fc.option(fc.nat({ max: 4 }), { freq: 5 }), { maxLength: 4 }),
          }),
          { maxLength: 12 },
        ),
        (responses) => {
          const latest = new Latest();
          const newest = new Map<number, number>();
          for (const { attempt, ids } of responses) {
            const kinds = [rowOf, known, rejected] as const;
            const rows = ids.map((id, index) =>
              id === null ? rejected(null) : (kinds[index % 3] ?? rowOf)(id),
            );
            const kept = rows.filter((_, index) => {
              const id = ids[index] ?? null;
              return id === null || (newest.get(id) ?? 0) <= attempt;
            });
            expect(latest.keepLatest(rows, attempt)).toEqual(kept);
            for (const id of ids) if (id !== null) newest.set(id, Math.max(newest.get(id) ?? 0, attempt));
            outdated += rows.length - kept.length;
          }
        },
      ),
      { numRuns: draws(300) },
    );
    expect(outdated).toBeGreaterThan(least(200));
  });

  it("returns the same rows where none is outdated", () => {
    const rows = rowsOf(1, 3);
    expect(new Latest().keepLatest(rows, 0)).toBe(rows);
  });

  it("remembers calls for 50,000 others, at most twice as many", () => {
    const latest = new Latest();
    latest.keepLatest([rowOf(1)], 9);
    latest.keepLatest(rowsOf(1000, 49_999), 9);
    // Both generations are full after these, and the first is still the older one.
    latest.keepLatest(rowsOf(100_000, 1), 9);
    latest.keepLatest(rowsOf(200_000, 50_000), 9);
    expect(latest.keepLatest([rowOf(1)], 8)).toEqual([]);
    latest.keepLatest(rowsOf(300_000, 1), 9);
    expect(latest.keepLatest([rowOf(1)], 8)).toEqual([rowOf(1)]);
  });
});
