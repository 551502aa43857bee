import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answerTable,
  answerTime,
  comparedOf,
  figuresOfPage,
} from "../../../src/features/explore/browser/answers.ts";
import { PageCalls } from "../../../src/features/explore/browser/page-calls.ts";
import { defaultView } from "../../../src/features/explore/browser/view.ts";
import { FOLDED, unpackDuration } from "../../../src/features/explore/packed-calls.ts";
import type { Dimension } from "../../../src/figures/dimensions.ts";
import "../../support/built.ts"; // for the script of the page
import { draws, least } from "../../support/draws.ts";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { readPage } from "./read-page.ts";

const RUNS = draws(60);
const DIMENSIONS = ["channel", "source", "disposition", "campaign"] as const satisfies Dimension[];
const DAY_MS = 86_400_000;

const someCall = fc.record({
  day: fc.integer({ min: 0, max: 5 }),
  utm_source: fc.constantFrom("google", "google", "bing", "newsletter", "(other)", null),
  utm_medium: fc.constantFrom("cpc", "cpc", "email", null),
  campaign_name: fc.constantFrom("spring", "Autumn", null),
  disposition: fc.constantFrom("ANSWERED", "NO ANSWER", null),
  duration: fc.option(fc.integer({ min: -5, max: 4000 })),
  caller: fc.integer({ min: 1, max: 60 }),
});

describe("the page to explore, with min_cell", () => {
  it("with min_cell, the page has the groups of `export --grain day --min-cell`, and neither a group nor a view is small", async () => {
    const drawn = fc.record({
      calls: fc.array(someCall, { minLength: 10, maxLength: 250, size: "max" }),
      minCell: fc.integer({ min: 2, max: 12 }),
      dimensions: fc.uniqueArray(fc.constantFrom(...DIMENSIONS), { minLength: 1, maxLength: 3 }),
      by: fc.nat(),
    });
    let groups = 0;
    let folded = 0;
    let left = 0;
    await fc.assert(
      fc.asyncProperty(drawn, async ({ calls, minCell, dimensions, by }) => {
        using warehouse = makeWarehouse(
          calls.map(({ day, caller, ...members }, index) =>
            makeCall({
              ...members,
              call_id: index + 1,
              caller_id: `+4930${1000 + caller}`,
              call_started: new Date(Date.UTC(2026, 8, 1) + day * DAY_MS + index * 60_000).toISOString(),
            }),
          ),
        );
        const [leading = "channel"] = dimensions;
        const shared = { minCell, grain: "day" } as const;
        await warehouse.export({ ...shared, targets: [{ kind: "explore", dimensions }] });
        await warehouse.export({
          ...shared,
          targets: [{ kind: "rollup", dimensions }],
          folder: `${warehouse.folder}2`,
        });
        const name = `${dimensions.join("-")}.csv`;
        const lines: Record<string, string>[] = parse(
          readFileSync(join(`${warehouse.folder}2`, name), "utf8"),
          {
            columns: true,
          },
        );
        const { facts, data } = readPage(join(warehouse.folder, "explore.html"));
        const columnOf = (column: string) => data.columns.get(column) ?? new Float64Array(data.rows);
        const sizes = [...columnOf("calls")].map(unpackDuration);
        expect(sizes.every((size) => size >= minCell)).toBe(true);
        expect(columnOf("caller").some(Boolean)).toBe(false);
        const firstMs = Date.parse(facts.from);
        const found = sizes.map((size, row) => {
          const isOther = data.values[leading]?.[columnOf(leading)[row] ?? 0] === FOLDED;
          const dayMs = firstMs + (columnOf("day")[row] ?? 0) * DAY_MS;
          const parts = ["answered_calls", "first_calls", "duration_sum"].map((part) =>
            unpackDuration(columnOf(part)[row] ?? 0),
          );
          if (isOther) folded++;
          return [new Date(dayMs).toISOString().slice(0, 10), isOther, size, ...parts];
        });
        const expected = lines
          .filter(({ calls: size }) => size !== "")
          .map((line) => [
            line.period,
            line[leading] === "(other)",
            ...["calls", "answered_calls", "first_time_callers", "total_duration_seconds"].map((figure) =>
              Number(line[figure]),
            ),
          ]);
        expect(found.map(String).sort()).toEqual(expected.map(String).sort());
        left += lines.length - expected.length;
        groups += found.length;

        const source = { facts, calls: new PageCalls(facts, data) };
        const figures = figuresOfPage(facts).map((metric) => metric.name);
        expect(figures).not.toContain("unique_callers");
        expect(figures).not.toContain("median_duration_seconds");
        const shown = dimensions[by % dimensions.length] ?? leading;
        const view = {
          ...defaultView(facts, figures),
          days: { from: facts.from, to: facts.to },
          by: [shown],
        };
        const { rows, totals } = await answerTable(source, {
          ...view,
          figures: ["calls"],
          compare: undefined,
        });
        const counts = rows.map((row) => Number(row.at(-1)));
        expect(counts.every((count) => count >= minCell)).toBe(true);
        expect(rows.slice(0, -1).every(([key]) => key !== "(other)")).toBe(true);
        const all = sizes.reduce((sum, size) => sum + size, 0);
        expect([counts.reduce((sum, count) => sum + count, 0), Number(totals[0]?.values.at(-1))]).toEqual([
          all,
          all,
        ]);
      }),
      { numRuns: RUNS },
    );
    expect(groups).toBeGreaterThan(least(60));
    expect(folded).toBeGreaterThan(least(20));
    expect(left).toBeGreaterThan(0);
  });

  it("leaves gaps for days with few calls, and compares only whole days", async () => {
    const counts = [4, 4, 3, 4, 4, 4];
    using warehouse = makeWarehouse(
      counts
        .flatMap((count, day) => Array.from({ length: count }, () => day))
        .map((day, index) =>
          makeCall({
            call_id: index + 1,
            call_started: new Date(Date.UTC(2026, 7, 31) + day * DAY_MS + index * 60_000).toISOString(),
          }),
        ),
    );
    await warehouse.export({ targets: [{ kind: "explore", dimensions: ["channel"] }], minCell: 4 });
    const { facts, data } = readPage(join(warehouse.folder, "explore.html"));
    const source = { facts, calls: new PageCalls(facts, data) };
    const view = defaultView(facts, ["calls"]);
    const days = (from: string, to: string) => ({ ...view, days: { from, to }, grain: "day" as const });
    const points = await answerTime(source, days("2026-09-01", "2026-09-04"));
    expect(points.map(({ period, now }) => [period, now])).toEqual([
      ["2026-09-01", 4],
      ["2026-09-02", null],
      ["2026-09-03", 4],
      ["2026-09-04", 4],
    ]);
    const leftOut = "Not compared: days with fewer than 4 calls are left out.";
    expect(comparedOf(source, days("2026-09-02", "2026-09-02"))).toBe(leftOut);
    expect(comparedOf(source, days("2026-09-03", "2026-09-03"))).toBe(leftOut);
    expect(comparedOf(source, days("2026-09-04", "2026-09-04"))).toMatchObject({
      range: { from: "2026-09-03", to: "2026-09-03" },
    });
  });

  it("refuses a text that looks like a phone number", async () => {
    using warehouse = makeWarehouse(
      Array.from({ length: 20 }, (_, index) =>
        makeCall({
          call_id: index + 1,
          call_started: "2026-09-01T10:00:00.000Z",
          utm_source: "+49 30 123456",
        }),
      ),
    );
    const targets = [{ kind: "explore", dimensions: ["source"] }] as const;
    await expect(warehouse.export({ targets, minCell: 5 })).rejects.toThrow(
      "Cannot write explore.html: row 1, column source, looks like a phone number",
    );
  });
});
