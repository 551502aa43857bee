import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FigureValue,
  RESTATEMENT_REASONS,
  type Restatement,
} from "../../../src/features/restatements/restatement.ts";
import {
  insertRestatements,
  type RestatementFilter,
  readRestatements,
} from "../../../src/features/restatements/restatement-table.ts";
import { notByChance } from "../../support/draws.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const at = (hour: number) => `2026-09-01T${String(hour).padStart(2, "0")}:00:00.000Z`;
const hour = fc.integer({ min: 0, max: 6 });
const time = hour.map(at);
const figure = fc.constantFrom<FigureValue>(
  null,
  0,
  -1.5,
  "0",
  "12.50",
  "",
  "2026-09-01T00:00:00.000Z",
  "null",
);

/** Few places and moments, so that the same figure is found again, and at the limits of the query. */
const restatement: fc.Arbitrary<Restatement> = fc
  .record({
    found_at: time,
    path: fc.constantFrom("/out/a.csv", "/out/b.csv"),
    contents: fc.constantFrom("source", "source,hour"),
    period: fc.constantFrom("", "2026-09"),
    span: fc.tuple(hour, fc.integer({ min: 1, max: 3 })),
    key: fc.constantFrom({}, { source: "google" }, { source: null }, { source: "google", hour: 7 }),
    metric: fc.constantFrom("calls", "first_call_at"),
    was: figure,
    now: figure,
    change: fc.constantFrom(null, 0, -2, 0.1 + 0.2),
    exported_at: fc.constantFrom(at(0), at(1)),
    reasons: fc.array(
      fc.record({
        reason: fc.constantFrom(...RESTATEMENT_REASONS),
        calls: fc.constantFrom(null, 0, 3),
        effect: fc.constantFrom(null, 0, -0.25),
      }),
      { maxLength: 2 },
    ),
    rules_changed: fc.constantFrom(null, "aliases, missed"),
  })
  .map(({ span: [from, hours], ...others }) => ({
    ...others,
    starts_at: at(from),
    ends_at: at(from + hours),
  }));

const filter: fc.Arbitrary<RestatementFilter> = fc.record({
  since: fc.option(time, { nil: undefined }),
  within: fc.option(
    fc
      .tuple(hour, fc.integer({ min: 1, max: 3 }))
      .map(([from, hours]) => ({ startsAt: at(from), endsAt: at(from + hours) })),
    { nil: undefined },
  ),
  limit: fc.constantFrom(undefined, undefined, 0, 1, 3),
});

describe("readRestatements", () => {
  it("returns restatements, latest first, and only the latest of a figure", () => {
    using warehouse = newWarehouse();
    const seen: Record<string, number> = {};
    const see = (name: string, times: number) => {
      seen[name] = (seen[name] ?? 0) + times;
    };
    const batches = fc.array(fc.array(restatement, { maxLength: 8, size: "max" }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(batches, fc.array(filter, { minLength: 4, maxLength: 4 }), (batches, filters) => {
        warehouse.sqlite.exec("DELETE FROM restatements");
        // A replacement keeps its place.
        const kept = new Map<string, Restatement>();
        for (const batch of batches) {
          warehouse.sqlite.transaction(() => insertRestatements(warehouse, batch))();
          for (const each of batch) {
            const { path, contents, exported_at, period, key, metric } = each;
            const place = JSON.stringify([path, contents, exported_at, period, key, metric]);
            see("found again", Number(kept.has(place)));
            kept.set(place, each);
          }
        }
        const all = [...kept.values()].toSorted((a, b) =>
          a.found_at > b.found_at ? -1 : a.found_at < b.found_at ? 1 : 0,
        );
        expect(readRestatements(warehouse)).toEqual(all);
        for (const { since, within, limit } of filters) {
          const expected = all
            .filter(({ found_at }) => since === undefined || found_at >= since)
            .filter(
              ({ starts_at, ends_at }) =>
                within === undefined || (starts_at < within.endsAt && ends_at > within.startsAt),
            );
          expect(readRestatements(warehouse, { since, within, limit })).toEqual(expected.slice(0, limit));
          see("found then", Number(all.some(({ found_at }) => found_at === since)));
          see("begins where that ends", Number(all.some(({ starts_at }) => starts_at === within?.endsAt)));
          see("ends where that begins", Number(all.some(({ ends_at }) => ends_at === within?.startsAt)));
          see("cut", Number(limit !== undefined && limit < expected.length));
        }
        see("of one moment", all.length - new Set(all.map(({ found_at }) => found_at)).size);
      }),
      { numRuns: 50 },
    );
    const least = {
      "found again": 10,
      "found then": 10,
      "begins where that ends": 10,
      "ends where that begins": 10,
      cut: 10,
      "of one moment": 50,
    };
    expect(Object.entries(least).filter(([name, times]) => (seen[name] ?? 0) < notByChance(times))).toEqual(
      [],
    );
  });
});

describe("insertRestatements", () => {
  it("keeps later restatements of the same period for a figure that was exported again", () => {
    using warehouse = newWarehouse();
    const first: Restatement = {
      found_at: at(1),
      path: "/out/source.csv",
      contents: "source",
      period: "2026-09",
      starts_at: at(0),
      ends_at: at(5),
      key: { source: "google" },
      metric: "calls",
      was: 40,
      now: 38,
      change: -2,
      exported_at: at(0),
      reasons: [{ reason: "gone", calls: 2, effect: -2 }],
      rules_changed: null,
    };
    const second = { ...first, found_at: at(2), exported_at: at(1), was: 38, now: 40, change: 2 };
    insertRestatements(warehouse, [first]);
    insertRestatements(warehouse, [second, first]);
    expect(readRestatements(warehouse)).toEqual([second, first]);
  });

  it("ignores rows that something else wrote", () => {
    using warehouse = newWarehouse();
    const columns =
      "found_at, path, contents, period, starts_at, ends_at, metric, exported_at, key, was, now, reasons";
    const texts = { key: '{"a":1}', was: "1", now: "2", reasons: "[]" };
    const others = [
      { key: '{"a":{}}' },
      { was: "[]" },
      { now: "true" },
      { reasons: '[{"reason":"fun","calls":1,"effect":1}]' },
      { reasons: '[{"reason":"late","calls":"1","effect":1}]' },
      { reasons: '[{"reason":"late","calls":1}]' },
    ];
    for (const other of others) {
      const { key, was, now, reasons } = { ...texts, ...other };
      warehouse.sqlite.exec("DELETE FROM restatements");
      const insert = `INSERT INTO restatements (${columns}) VALUES ('t', 'p', 'c', '', 's', 'e', 'm', 'g', ?, ?, ?, ?)`;
      warehouse.sqlite.prepare(insert).run(key, was, now, reasons);
      expect(() => readRestatements(warehouse)).toThrow("Invalid");
    }
  });
});
