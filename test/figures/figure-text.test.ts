import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeOf } from "../../src/figures/comparison.ts";
import {
  changeInWords,
  describeChange,
  formatChange,
  formatFigure,
  readerOf,
  titleOf,
} from "../../src/figures/figure-text.ts";
import { CALL_METRICS, outcomeMetrics, spendMetrics } from "../../src/figures/metrics.ts";
import type { Measure } from "../../src/figures/rollup-query.ts";
import type { Figures } from "../../src/figures/sums.ts";

const MONEY = { currency: "EUR", decimals: 2, by: "call" } as const;
const METRICS: readonly Measure[] = [
  ...CALL_METRICS,
  ...spendMetrics(MONEY),
  ...outcomeMetrics(MONEY, MONEY),
];
const COVERED = { times: 1, isCovered: true };

function metricOf(name: string): Measure {
  const metric = METRICS.find((each) => each.name === name);
  if (metric === undefined) throw new Error(`No figure is called ${name}`);
  return metric;
}

const write = (name: string, figures: Figures) => formatFigure(metricOf(name), readerOf(figures));
const writeChange = (name: string, figures: Figures) => formatChange(metricOf(name), readerOf(figures));

describe("formatFigure", () => {
  it.each<[string, number | null, string]>([
    ["calls", 1234, "1,234"],
    ["calls", null, "–"],
    ["cost", 11_597.57, "11,597.57 EUR"],
    ["cost", -3, "-3.00 EUR"],
    ["cost_per_call", 0.001, "0.001 EUR"],
    ["revenue", 1200, "1,200.00 EUR"],
    ["return_on_ad_spend", 0.1, "0.10"],
    ["median_duration_seconds", 62.5, "1:02.5"],
    ["total_duration_seconds", 4_503_904, "1,251:05:04"],
    ["answer_rate", 0.5455, "54.6%"],
  ])("writes %s %d as %s", (name, value, text) => expect(write(name, { [name]: value })).toBe(text));

  it("writes no cents of yen", () => {
    const [cost] = spendMetrics({ currency: "JPY", decimals: 0 });
    expect(cost && formatFigure(cost, readerOf({ cost: 90_000 }))).toBe("90,000 JPY");
  });

  it.each([
    { answered: 18, calls: 33, rate: "54.5%" }, // 0.5455 in files
    { answered: 201, calls: 2000, rate: "10.1%" }, // a half, away from zero
    { answered: 1, calls: 2001, rate: "0.0%" }, // 0.0005 in files
    { answered: 0, calls: 5, rate: "0.0%" },
    { answered: 5, calls: 5, rate: "100.0%" },
  ])("writes $answered of $calls as $rate: rounded once", ({ answered, calls, rate }) => {
    const answer_rate = Math.round((1e4 * answered) / calls) / 1e4;
    expect(write("answer_rate", { answer_rate, calls, answered_calls: answered })).toBe(rate);
    // Also of a row that has only the calls it is of.
    expect(write("answer_rate", { answer_rate, calls })).toBe(rate);
    const before = { answer_rate_previous: answer_rate, calls_previous: calls };
    expect(formatFigure(metricOf("answer_rate"), readerOf(before), "_previous")).toBe(rate);
  });
});

describe("formatChange", () => {
  it.each<[string, number, number | null, string | null]>([
    ["calls", 51, 33, "+54.5%"],
    ["calls", 15, 33, "-54.5%"],
    ["calls", 4, 4, "0.0%"],
    ["calls", 0, 4, "-100.0%"],
    ["calls", 4, 0, null],
    ["calls", 4, null, null],
    ["revenue", 7255.18, -5862.5, "+223.8%"],
    ["revenue", -300, -200, "-50.0%"],
    ["revenue", -100, 200, "-150.0%"],
  ])("writes %s %d after %d as %s", (name, now, before, text) => {
    const change = changeOf(metricOf(name), now, before);
    expect(writeChange(name, { [name]: now, [`${name}_previous`]: before, [`${name}_change`]: change })).toBe(
      text,
    );
  });

  it("writes none that was not computed", () => {
    const figures = {
      first_time_callers: 3,
      first_time_callers_previous: 2,
      first_time_callers_change: null,
    };
    expect(writeChange("first_time_callers", figures)).toBeNull();
  });

  it("writes the difference of the written rates in points", () => {
    const points = (now: [number, number], before: [number, number]) =>
      writeChange("answer_rate", {
        ...{ answered_calls: now[0], calls: now[1], answer_rate: now[0] / now[1] },
        ...{ answered_calls_previous: before[0], calls_previous: before[1] },
        ...{ answer_rate_previous: before[0] / before[1], answer_rate_change: 0.1 },
      });
    expect(points([137, 200], [66, 100])).toBe("+2.5 points");
    expect(points([17, 80], [1, 5])).toBe("+1.3 points"); // 1.25, a half
    expect(points([1, 5], [17, 80])).toBe("-1.3 points");
    expect(points([1, 3], [2, 6])).toBe("0.0 points");
    const share = fc.integer({ min: 1, max: 200_000 }).chain((whole) => {
      return fc.tuple(fc.integer({ min: 0, max: whole }), fc.constant(whole));
    });
    fc.assert(
      fc.property(share, share, (now, before) => {
        const tenths = ([part, whole]: [number, number]) => Math.round((1000 * part) / whole);
        const [, text = ""] = /^([-+]?[\d.]+) points$/.exec(points(now, before) ?? "") ?? [];
        expect(Math.round(10 * Number(text))).toBe(tenths(now) - tenths(before));
      }),
    );
  });
});

describe("describeChange", () => {
  const changed = (calls_previous: number, calls: number, compared = COVERED) =>
    describeChange(
      metricOf("calls"),
      readerOf({ calls, calls_previous, calls_change: (calls - calls_previous) / calls_previous }),
      compared,
    );

  it("marks what chance may explain, by the number of days", () => {
    expect(changed(51, 33)).toEqual({ change: "-35.3%", previous: "51", isWithinChance: true });
    expect(changed(60, 33)?.isWithinChance).toBe(false);
    expect(changed(60, 33, { times: 2, isCovered: true })?.isWithinChance).toBe(true);
    expect(changed(5, 5)?.isWithinChance).toBeNull();
    expect(changed(9, 3, { times: 1, isCovered: false })?.isWithinChance).toBeNull();
  });

  it("puts a change into the words of mails", () => {
    const [within, beyond] = [changed(51, 33), changed(60, 33)];
    expect(within && changeInWords(within)).toBe("-35.3% from 51, within chance");
    expect(beyond && changeInWords(beyond)).toBe("-45.0% from 60");
  });
});

it("titleOf names figures and dimensions without the words of fields", () => {
  const names = [
    "answer_rate",
    "missed_in_hours",
    "median_duration_seconds",
    "first_time_callers",
    "utm_term",
  ];
  expect(names.map(titleOf)).toEqual([
    "Answer rate",
    "Missed in opening hours",
    "Median duration",
    "First-time callers",
    "UTM term",
  ]);
});
