import { describe, expect, it } from "vitest";
import {
  answerRateOf,
  changeOf,
  formatAnswerRate,
  formatChange,
  formatDuration,
  formatPoints,
} from "../../../src/reports/page/figure-text.ts";

describe("formatAnswerRate, formatChange, formatPoints", () => {
  it.each([
    { answered: 18, calls: 33, rate: "54.5%" }, // 0.5455 in files
    { answered: 201, calls: 2000, rate: "10.1%" }, // a half, away from zero
    { answered: 1, calls: 2001, rate: "0.0%" }, // 0.0005 in files
    { answered: 0, calls: 5, rate: "0.0%" },
    { answered: 5, calls: 5, rate: "100.0%" },
    { answered: 0, calls: 0, rate: null },
    { answered: null, calls: null, rate: null },
  ])("show $answered of $calls as $rate: rounded once", ({ answered, calls, rate }) => {
    expect(formatAnswerRate({ calls, answered_calls: answered })).toBe(rate);
    expect(formatAnswerRate({ calls_previous: calls, answered_calls_previous: answered }, "_previous")).toBe(
      rate,
    );
  });

  it.each([
    { now: 51, before: 33, change: "+54.5%" },
    { now: 15, before: 33, change: "-54.5%" },
    { now: 5, before: 4, change: "+25.0%" },
    { now: 4, before: 4, change: "0.0%" },
    { now: 0, before: 4, change: "-100.0%" },
    { now: 4, before: 0, change: null },
    { now: 4, before: undefined, change: null },
  ])("show $now after $before as $change", ({ now, before, change }) => {
    const calls_change = before ? (now - before) / before : null;
    const figures = { calls: now, ...(before !== undefined && { calls_previous: before, calls_change }) };
    expect(formatChange(figures, "calls")).toBe(change);
  });

  it("show no change if none was computed", () => {
    const figures = {
      first_time_callers: 3,
      first_time_callers_previous: 2,
      first_time_callers_change: null,
    };
    expect(formatChange(figures, "first_time_callers")).toBeNull();
  });

  it.each([
    { now: [137, 200], before: [66, 100], distance: "+2.5 points" },
    { now: [17, 80], before: [1, 5], distance: "+1.3 points" }, // 1.25, a half
    { now: [1, 5], before: [17, 80], distance: "-1.3 points" },
    { now: [1, 3], before: [2, 6], distance: "0.0 points" },
    { now: [1, 3], before: [0, 0], distance: null },
  ])("show $now after $before as $distance", ({ now, before, distance }) => {
    const [answered_calls = null, calls = null] = now;
    const [answered_calls_previous = null, calls_previous = null] = before;
    const figures = { answered_calls, calls, answered_calls_previous, calls_previous };
    expect(formatPoints(figures)).toBe(distance);
  });
});

describe("answerRateOf, changeOf", () => {
  it("return the same value as the files", () => {
    const figures = {
      answered_calls: 18,
      calls: 33,
      answer_rate: 0.5455,
      calls_previous: 51,
      calls_change: -0.3529,
    };
    expect(String(answerRateOf(figures))).toBe('<data value="0.5455">54.5%</data>');
    expect(String(changeOf(figures, "calls", { times: 1, isCovered: true }))).toBe(
      '<span class="chance"><data value="-0.3529">-35.3%</data> within chance</span>',
    );
    expect(
      String(changeOf({ ...figures, calls_previous: 60 }, "calls", { times: 1, isCovered: true })),
    ).not.toContain("chance");
    expect(
      String(changeOf({ ...figures, calls_previous: 60 }, "calls", { times: 2, isCovered: true })),
    ).toContain("chance");
    expect(
      String(
        changeOf({ calls: 5, calls_previous: 5, calls_change: 0 }, "calls", { times: 1, isCovered: true }),
      ),
    ).not.toContain("chance");
    // A page that is compared with a year ago has the figures of it in the same columns.
    const year = { as: "year", times: 1, isCovered: true } as const;
    expect(String(changeOf(figures, "calls", year))).toContain("within chance");
    expect(String(answerRateOf({ calls: 0, answered_calls: 0, answer_rate: null }))).toBe("–");
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0:00"],
    [244.5, "4:04.5"],
    [59.9, "0:59.9"],
    [59.96, "1:00"],
    [3600, "1:00:00"],
    [3661.2, "1:01:01.2"],
    [-61, "-1:01"],
  ])("shows %d seconds as %s, with the precision of the files", (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});
