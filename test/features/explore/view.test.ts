import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { figuresOfPage } from "../../../src/features/explore/browser/answers.ts";
import { toCommand, toReport } from "../../../src/features/explore/browser/command.ts";
import { compareDays } from "../../../src/features/explore/browser/page-days.ts";
import {
  defaultView,
  fromHash,
  presetDays,
  toHash,
  type View,
} from "../../../src/features/explore/browser/view.ts";
import type { PageFacts } from "../../../src/features/explore/page-facts.ts";
import { FIGURES } from "../../../src/figures/metrics.ts";

const FACTS: PageFacts = {
  account: null,
  name: null,
  logo: null,
  locale: null,
  timezone: "Europe/Berlin",
  from: "2026-03-01",
  to: "2026-09-30",
  filter: {},
  excludedCallers: null,
  dimensions: ["channel", "source", "campaign", "weekday", "hour"],
  rules: { duration_unit: "seconds", qualified_seconds: 60 },
  spend: undefined,
  outcomes: undefined,
  minCell: null,
  listed: undefined,
  warehouse: {
    run: { run_id: 1, finished_at: "2026-10-01T04:00:00.000Z", verdict: "exact", verdict_reason: null },
    origin: { warehouse_id: "a", base_url: "https://api.example.com", account: null, org_unit_id: null },
    advice: null,
    rejected: null,
    withheld_calls: 0,
    other_unit_calls: 0,
    shared_calls: null,
    missing: null,
    unlisted: null,
    first_load: false,
    certificate: null,
    rules_changed: false,
  },
  coveredFrom: "2026-04-01",
  historyFrom: "2026-07-01",
  settledUntil: null,
  fingerprint: "",
  sha256: "",
};
const FIGURES_OF_PAGE = figuresOfPage(FACTS).map(({ name }) => name);
const KNOWN = {
  facts: FACTS,
  figures: FIGURES_OF_PAGE,
  charts: FIGURES_OF_PAGE,
  standard: defaultView(FACTS, FIGURES_OF_PAGE),
};

const day = fc
  .integer({ min: 0, max: 213 })
  .map((days) => new Date(Date.UTC(2026, 2, 1 + days)).toISOString().slice(0, 10));
const texts = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 });

describe("address of a view", () => {
  it("restores the same view", () => {
    const view = fc.record({
      days: fc.tuple(day, day).map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a })),
      only: fc.constant(undefined),
      compare: fc.constantFrom("previous", "year", undefined),
      grain: fc.constantFrom("day", "quarter", undefined),
      by: fc.uniqueArray(fc.constantFrom(...FACTS.dimensions), { minLength: 1, maxLength: 2 }),
      filter: fc.record({ channel: texts, campaign: texts }, { requiredKeys: [] }),
      figures: fc.subarray(FIGURES_OF_PAGE, { minLength: 1 }),
      chart: fc.constantFrom(...FIGURES_OF_PAGE),
      listed: fc.constantFrom("calls", "missed_calls"),
      sort: fc.option(fc.record({ column: fc.constantFrom(...FIGURES), isDescending: fc.boolean() }), {
        nil: undefined,
      }),
    });
    fc.assert(
      fc.property(view, (shown: View) => {
        expect(fromHash(`#${toHash(shown, KNOWN.standard)}`, KNOWN)).toEqual(shown);
      }),
    );
  });

  it.each([
    "by=gclid,x&figures=nothing&chart=cost&grain=hour&compare=z",
    "days=2026-02-31..2026-03-04&only=2020-01-01..2020-01-02",
    "days=2026-05-02..2026-05-01&is_topic=a",
    "%%%&days=",
  ])("ignores the invalid parts of %s", (hash) => expect(fromHash(hash, KNOWN)).toEqual(KNOWN.standard));

  it.each([
    ["2026-05-01..2026-05-31", { from: "2026-05-01", to: "2026-05-31" }],
    ["2026-05-02..2026-05-30", { from: "2026-05-02", to: "2026-05-30" }],
    ["2026-04-30..2026-05-31", undefined],
    ["2026-05-01..2026-06-01", undefined],
  ])("shows only the days %s of a range if all are in it, its first and last included", (only, shown) => {
    const hash = `days=2026-05-01..2026-05-31&only=${only}`;
    expect(fromHash(hash, KNOWN).only).toEqual(shown);
  });

  it("limits days to those of the file", () => {
    const { days } = fromHash("days=2026-01-01..2026-12-31", KNOWN);
    expect(days).toEqual({ from: "2026-03-01", to: "2026-09-30" });
    expect(presetDays(FACTS, "last-month")).toEqual({ from: "2026-09-01", to: "2026-09-30" });
    expect(presetDays({ ...FACTS, from: "2026-09-30" }, "last-month")).toEqual({
      from: "2026-09-30",
      to: "2026-09-30",
    });
  });
});

it.each([
  ["Pacific/Honolulu", "2026-09-21T09:59:59.999Z", "2026-09-20"],
  ["Pacific/Honolulu", "2026-09-21T10:00:00.000Z", "2026-09-21"],
  ["America/Chicago", "2026-09-21T01:30:00.000Z", "2026-09-20"],
  ["UTC", "2026-09-21T01:30:00.000Z", "2026-09-21"],
  ["Australia/Lord_Howe", "2026-09-20T13:30:00.000Z", "2026-09-21"],
])(
  "presets of a page in %s that was synced at %s end on the day before %s",
  (timezone, finished_at, today) => {
    const run = { run_id: 1, finished_at, verdict: "exact", verdict_reason: null };
    const facts: PageFacts = { ...FACTS, timezone, warehouse: { ...FACTS.warehouse, run } };
    const to = today === "2026-09-21" ? "2026-09-20" : "2026-09-19";
    const from = today === "2026-09-21" ? "2026-09-14" : "2026-09-13";
    expect(presetDays(facts, "7d")).toEqual({ from, to });
  },
);

describe("compareDays", () => {
  it.each([
    ["2026-05-01", "2026-05-31", { range: { from: "2026-04-01", to: "2026-04-30" }, hasHistory: false }],
    [
      "2026-08-03",
      "2026-08-09",
      { range: { from: "2026-07-27", to: "2026-08-02" }, hasHistory: true, times: 1 },
    ],
    [
      "2026-03-03",
      "2026-03-08",
      "Not compared: the days to compare with begin on 25 Feb 2026, and this page on 1 Mar 2026.",
    ],
    ["2026-04-02", "2026-04-05", "Not compared: the days before begin before the first call."],
    ["2026-09-30", "2026-10-01", "Not compared: these days end after the last sync."],
  ])("for %s to %s", (from, to, expected) => {
    const compared = compareDays({ ...FACTS, to: "2026-10-01" }, { from, to }, "previous");
    if (typeof expected === "string") expect(compared).toBe(expected);
    else expect(compared).toMatchObject(expected);
  });

  it.each([
    { timezone: "Pacific/Honolulu", before: "2026-09-20T09:59:59.999Z", end: "2026-09-20T10:00:00.000Z" },
    { timezone: "America/Chicago", before: "2026-09-20T04:59:59.999Z", end: "2026-09-20T05:00:00.000Z" },
    { timezone: "Australia/Lord_Howe", before: "2026-09-19T13:29:59.999Z", end: "2026-09-19T13:30:00.000Z" },
  ])("compares days whose last one had ended in $timezone at the last sync", ({ timezone, before, end }) => {
    const compare = (finished_at: string) => {
      const run = { run_id: 1, finished_at, verdict: "exact", verdict_reason: null };
      const facts: PageFacts = { ...FACTS, timezone, warehouse: { ...FACTS.warehouse, run } };
      return compareDays(facts, { from: "2026-09-13", to: "2026-09-19" }, "previous");
    };
    expect(compare(before)).toBe("Not compared: these days end after the last sync.");
    expect(compare(end)).toMatchObject({ range: { from: "2026-09-06", to: "2026-09-12" } });
  });

  it("includes the shift of a clock change in the compared time", () => {
    const compared = compareDays(
      { ...FACTS, coveredFrom: "2026-03-01" },
      { from: "2026-03-30", to: "2026-04-05" },
      "previous",
    );
    expect(compared).toMatchObject({ times: (7 * 24 - 1) / (7 * 24) });
  });
});

it("toCommand compares with --chance, and adds what rates are of", () => {
  const view = { ...KNOWN.standard, figures: ["missed_calls", "answer_rate", "answer_rate_in_hours"] };
  expect(toCommand(FACTS, view)).toContain(
    "--columns missed_calls,calls,answer_rate,calls_in_hours,answer_rate_in_hours --total --compare previous --chance ",
  );
});

it("toCommand quotes shell characters, and keeps the filter of the file", () => {
  const facts: PageFacts = {
    ...FACTS,
    filter: { channel: ["Paid Search"], first_time: true, min_duration_seconds: 30, org_unit: ["7"] },
    excludedCallers: 2,
    account: "austin",
  };
  const view = {
    ...KNOWN.standard,
    compare: undefined,
    filter: { channel: ["It's $5"], campaign: ["-x", "12"] },
  };
  expect(toCommand(facts, view)).toBe(
    "calltally export --by channel --columns calls,answer_rate,qualified_calls,first_time_callers --total --from 2026-08-31 --to 2026-09-27 --timezone Europe/Berlin" +
      " --channel 'It'\\''s $5' --first-time --min-duration 30 --org-unit 7 --campaign -x --campaign 12 --exclude-callers FILE --account austin",
  );
  expect(toReport(facts, view)).toBe(`reports:
  explored:
    accounts: ["austin"]
    by: ["channel"]
    columns: ["calls","answer_rate","qualified_calls","first_time_callers"]
    total: true
    range: { from: 2026-08-31, to: 2026-09-27 }
    filter:
      channel: ["It's $5"]
      first_time: true
      min_duration_seconds: 30
      org_unit: ["7"]
      campaign: ["-x","12"]
      exclude_callers: "FILE"`);
});
