import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { GRAINS, type Grain } from "../../../src/base/calendar/grain.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import type { Statement } from "../../../src/export/statements/statements.ts";
import {
  answerCards,
  answerTable,
  answerTime,
  cardFigures,
  figuresOfPage,
  isAlike,
} from "../../../src/features/explore/browser/answers.ts";
import { answerDurations } from "../../../src/features/explore/browser/more-answers.ts";
import { PageCalls } from "../../../src/features/explore/browser/page-calls.ts";
import { periodsOf } from "../../../src/features/explore/browser/page-days.ts";
import { defaultView } from "../../../src/features/explore/browser/view.ts";
import { statementsOfView } from "../../../src/features/explore/browser/view-statements.ts";
import { FIGURES } from "../../../src/figures/metrics.ts";
import "../../support/built.ts"; // for the script of the page
import { draws } from "../../support/draws.ts";
import { exportToStream, makeWarehouse } from "../../support/figures/produce-files.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { readPage } from "./read-page.ts";

const VIEWS = draws(250);
const ZONE = "Europe/Berlin";
const RULES = {
  ...DEFAULT_RULES,
  hours: { week: "Mon-Fri 08:00-18:00", closed: [], timezone: ZONE },
};
const SOURCES = ["google", "bing", null, "newsletter"];

const CALLS = Array.from({ length: 900 }, (_, index) =>
  makeCall({
    call_id: index + 1,
    caller_id: index % 7 === 0 ? null : `+4930${1000 + ((index * 31) % 300)}`,
    call_started: new Date(
      Date.UTC(2026, 2, 1) + ((index * 7_919_311) % (200 * 86_400)) * 1000,
    ).toISOString(),
    duration: index % 13 === 0 ? null : (index * 37) % 2400,
    disposition: ["ANSWERED", "NO ANSWER", null][index % 3] ?? null,
    utm_source: SOURCES[index % 4] ?? null,
  }),
);

const dayAt = (index: number) => new Date(Date.UTC(2026, 2, 1 + index)).toISOString().slice(0, 10);
/** Up to ten weeks. */
const someDays = fc
  .tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 70 }))
  .map(([first, more]) => ({ from: dayAt(first), to: dayAt(Math.min(200, first + more)) }));

it("explore page counts periods and durations like the files, including compared periods", async () => {
  using warehouse = makeWarehouse(CALLS);
  await warehouse.export({
    targets: [{ kind: "explore", dimensions: ["source"] }],
    timezone: ZONE,
    rules: RULES,
  });
  const { facts, data } = readPage(join(warehouse.folder, "explore.html"));
  const calls = new PageCalls(facts, data);
  const figures = cardFigures(facts).map(({ name }) => name);
  const view = fc.record({
    days: someDays,
    compare: fc.constantFrom("previous", "year", undefined),
    grain: fc.constantFrom(...GRAINS),
    chart: fc.constantFrom(...figures),
    source: fc.subarray(["google", "bing", "(not set)"]),
  });
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(view, async ({ source, ...drawn }) => {
      const filter = source.length > 0 ? { source } : {};
      const shown = { ...defaultView(facts, figures), ...drawn, filter };
      const points = await answerTime({ facts, calls }, shown);
      const isCompared = periodsOf(facts, shown.days, drawn.grain, drawn.compare).compared !== undefined;
      if (isCompared) compared++;
      let csv = "";
      const { manifest } = await exportToStream({
        database: warehouse.database,
        rules: RULES,
        lookbackHours: 72,
        timezone: ZONE,
        targets: [{ kind: "rollup", dimensions: [] }],
        range: shown.days,
        filter,
        grain: drawn.grain,
        compare: isCompared ? drawn.compare : undefined,
        columns: FIGURES.filter((name) => name === drawn.chart),
        fill: true,
        writeChunk: async (chunk) => {
          csv += String(chunk);
        },
      });
      const unlike = (statements: readonly Statement[]) =>
        statements.filter(({ id }) => id === "unlike_days");
      expect(unlike(statementsOfView({ facts, calls }, shown))).toEqual(unlike(manifest.statements));
      const [head = "", ...lines] = csv.split("\r\n").slice(0, -1);
      const at = (name: string) => head.split(",").indexOf(name);
      const read = (fields: string[], name: string) => Number(fields[at(name)] || Number.NaN);
      const expected = lines.map((line) => {
        const fields = line.split(",");
        return [fields[0], read(fields, drawn.chart), read(fields, `${drawn.chart}_previous`)];
      });
      expect(
        points.map(({ period, now, before }) => [period, now ?? Number.NaN, before ?? Number.NaN]),
      ).toEqual(expected);
    }),
    { numRuns: VIEWS },
  );
  expect(compared).toBeGreaterThan(VIEWS / 10);
  const all = { ...defaultView(facts, figures), days: { from: facts.from, to: facts.to } };
  const outcomes = { answered: "ANSWERED", missed: "NO ANSWER" };
  for (const { from_seconds: from, to_seconds: to, ...counted } of answerDurations({ facts, calls }, all)) {
    const isIn = ({ duration }: Call) =>
      duration === null ? from === null : from !== null && duration >= from && (to === null || duration < to);
    const within = CALLS.filter(isIn);
    const of = (outcome: string) => within.filter(({ disposition }) => disposition === outcome).length;
    expect(counted).toEqual({
      calls: within.length,
      answered_calls: of(outcomes.answered),
      missed_calls: of(outcomes.missed),
    });
  }
});

it("explore page shows nothing before a period that the compared days lack, and marks pairs of unequal days", async () => {
  using warehouse = makeWarehouse(CALLS);
  await warehouse.export({ targets: [{ kind: "explore", dimensions: ["source"] }], timezone: ZONE });
  const { facts, data } = readPage(join(warehouse.folder, "explore.html"));
  const july = {
    ...defaultView(facts, ["calls"]),
    days: { from: "2026-07-01", to: "2026-07-31" },
    compare: "previous",
  } as const;
  const lastOf = async (grain: Grain) => {
    const point = (await answerTime({ facts, calls: new PageCalls(facts, data) }, { ...july, grain })).at(-1);
    return point && { ...point, read: undefined, isAlike: isAlike(point) };
  };
  expect(await lastOf("day")).toMatchObject({ period: "2026-07-31", daysBefore: undefined, before: null });
  const daysBefore = { from: "2026-06-27", to: "2026-06-30" };
  expect(await lastOf("week")).toMatchObject({ period: "2026-W31", daysBefore, isAlike: false });
  expect(await lastOf("month")).toMatchObject({ period: "2026-07", isAlike: true });
});

it("explore page judges the rate in opening hours of its tile as export does", async () => {
  using warehouse = makeWarehouse(CALLS);
  await warehouse.export({
    targets: [{ kind: "explore", dimensions: ["source"] }],
    timezone: ZONE,
    rules: RULES,
  });
  const { facts, data } = readPage(join(warehouse.folder, "explore.html"));
  const source = { facts, calls: new PageCalls(facts, data) };
  const view = {
    ...defaultView(
      facts,
      figuresOfPage(facts).map(({ name }) => name),
    ),
    days: { from: "2026-07-01", to: "2026-07-31" },
  };
  const card = (await answerCards(source, view)).find(({ metric }) => metric.name === "answer_rate_in_hours");
  const { columns, rows, totals } = await answerTable(source, { ...view, figures: ["answer_rate_in_hours"] });
  let csv = "";
  await exportToStream({
    database: warehouse.database,
    rules: RULES,
    lookbackHours: 72,
    timezone: ZONE,
    targets: [{ kind: "rollup", dimensions: ["source"] }],
    range: view.days,
    compare: "previous",
    chance: true,
    total: true,
    columns: ["calls_in_hours", "answer_rate_in_hours"],
    writeChunk: async (chunk) => {
      csv += String(chunk);
    },
  });
  const found = [columns.map(({ name }) => name), ...rows, ...totals.map(({ values }) => values)];
  const decimals = columns.map(({ decimals = 0 }) => decimals);
  const texts = found.map((row) =>
    row.map((value, index) => (typeof value === "number" ? value.toFixed(decimals[index]) : (value ?? ""))),
  );
  expect(csv.split("\r\n").slice(0, -1)).toEqual(texts.map((row) => row.join(",")));
  const judged = columns.findIndex(({ name }) => name === "answer_rate_in_hours_within_chance");
  expect(card?.read("answer_rate_in_hours_within_chance")).toBe(totals[0]?.values[judged]);
  expect(card?.read("answer_rate_in_hours_within_chance")).toBe(1);
});
