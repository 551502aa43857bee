import { describe, expect, it } from "vitest";
import { describeMade, remarksOnStream } from "../../../src/cli/terminal/made-text.ts";
import { describeBasis } from "../../../src/export/formats/xlsx/about-sheet.ts";
import { PLAIN } from "../../../src/export/letterhead/letterhead.ts";
import { encodeManifest, type Manifest } from "../../../src/export/manifest.ts";
import { verdict } from "../../../src/export/sections/basis.ts";
import { toHtml } from "../../../src/export/sections/to-html.ts";
import type { Facts } from "../../../src/export/statements/rule.ts";
import {
  mergeStatements,
  type Statement,
  type StatementId,
  say,
  saySome,
  statementsOf,
} from "../../../src/export/statements/statements.ts";
import { toBasis } from "../../../src/mcp/answer.ts";
import { toHookBody } from "../../../src/reports/delivery/hook-body.ts";
import { composeMail } from "../../../src/reports/delivery/mail-message.ts";
import type { ReportSummary } from "../../../src/reports/delivery/report-summary.ts";
import { ofBasis } from "../../../src/reports/page/page-basis.ts";
import type { Report } from "../../../src/reports/page/report-figures.ts";
import type { Basis } from "../../../src/warehouse/runs/basis-schema.ts";
import { readText } from "../../support/temp-folder.ts";

const RUN = {
  run_id: 7,
  finished_at: "2026-11-26T10:24:00.000Z",
  verdict: "exact",
  verdict_reason: "all read",
};
const WAREHOUSE: Basis = {
  run: RUN,
  origin: { base_url: null, org_unit_id: "north", account: null, warehouse_id: "w" },
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
};
const warehouse = (changes: Partial<Basis>): Facts => ({ warehouse: { ...WAREHOUSE, ...changes } });
const RULES = { duration_unit: "seconds", qualified_seconds: 60 } as const;
const RANGE = { timezone: "America/New_York", range: {}, filter: {}, rules: RULES };
const range = (changes: Partial<NonNullable<Facts["range"]>>): Facts => ({
  warehouse: WAREHOUSE,
  range: { ...RANGE, ...changes },
});
const SPEND = {
  currency: "USD",
  rows: 3,
  cost: 12,
  decimals: 2,
  campaigns: {
    id: { rows: 2, cost: 8 },
    name: { rows: 1, cost: 4 },
    unmatched: { rows: 0, cost: 0 },
    unnamed: { rows: 0, cost: 0 },
  },
  days: { count: 1, first: "2026-11-26", last: "2026-11-26" },
};
const OCTOBER = { from: "2026-10-01", to: "2026-10-31" };
const OUTCOMES = { currency: "USD", revenue_by: "call", jobs: 3, matched: 3 } as const;
const files = (changes: Partial<NonNullable<Facts["files"]>>): Facts => ({
  files: { timezone: "UTC", isWarehouseEmpty: false, files: [{ rows: 1 }], ...changes },
});

/** A situation for each statement. */
const SITUATIONS: Record<StatementId, Facts> = {
  no_finished_sync: warehouse({ run: null }),
  unverified: warehouse({
    run: { ...RUN, verdict: "unverified", verdict_reason: "the end was not reached" },
  }),
  rejected_rows: warehouse({ rejected: { rows: 500, listed: 1000 } }),
  withheld_calls: warehouse({ withheld_calls: 40 }),
  first_load: warehouse({ first_load: true }),
  other_unit: warehouse({ other_unit_calls: 1 }),
  shared_calls: warehouse({ shared_calls: { account: "austin" } }),
  rules_changed: warehouse({ rules_changed: true }),
  made_up: warehouse({ origin: { ...WAREHOUSE.origin, made_by_demo: true } }),
  missing: {
    ...warehouse({ missing: { calls: 12, until: "2026-11-26T22:24:00.000Z" } }),
    timezone: "America/Chicago",
  },
  unlisted: warehouse({ unlisted: { calls: 20, since: "2026-11-02T00:00:00.000Z" } }),
  stale: { report: { olderThan: "2h" } },
  no_rows: files({ files: [{ rows: 0 }] }),
  callers_per_account: { accounts: 2 },
  restated: files({
    restatements: { rollups: [{ exported_at: "2026-11-02T00:00:00.000Z", restated_cells: 3 }] },
  }),
  too_recent: files({ files: [{ rows: 1, excluded: { "too recent": 2 } }] }),
  cut_texts: files({ files: [{ rows: 1, sheets: [{ rows: 1, cut_texts: 1 }] }] }),
  files_without_costs: files({
    files: [
      { contents: "channel", rows: 1 },
      { contents: "referring_host", rows: 1, without_costs: true },
      { rows: 2, sheets: [{ contents: "source,hour", rows: 2, without_costs: true }] },
    ],
  }),
  headline_left_out: { report: { headlineMinCell: 10 } },
  unlike_days: range({
    range: { from: "2026-11-10", to: "2026-11-19" },
    compared_with: [{ as: "previous", from: "2026-10-31", to: "2026-11-09" }],
  }),
  unfinished: range({ periods: [{ period: "2026-W48", ends_at: "2026-11-30T05:00:00.000Z" }] }),
  previous_not_covered: range({
    compared_with: [{ as: "previous", from: "2026-09-01", begins_before_first_call: true }],
  }),
  short_history: range({ range: { short_history: true } }),
  short_history_before: range({ compared_with: [{ as: "previous", short_history: true }] }),
  filters_of_calls_alone: range({
    spend: { ...SPEND, filters_of_calls_alone: ["first_time", "min_duration_seconds"] },
  }),
  spend_days: {
    ...range({
      range: OCTOBER,
      spend: { ...SPEND, days: { count: 4, first: "2026-10-02", last: "2026-10-05" } },
    }),
    firstDay: "2026-05-01",
  },
  spend_days_differ: range({ spend: { ...SPEND, days_differ: true } }),
  unmatched_spend: range({
    spend: { ...SPEND, campaigns: { ...SPEND.campaigns, unmatched: { rows: 1, cost: 2.5 } } },
  }),
  unmatched_jobs: { imported: { jobs: 3, matched: 2 } },
  no_amounts: range({ outcomes: { ...OUTCOMES, currency: null } }),
  untagged_calls: range({ spend: SPEND }),
  revenue_by_job: range({ outcomes: { ...OUTCOMES, revenue_by: "job-date" } }),
  revenue_by_call: range({ outcomes: OUTCOMES }),
  no_outcomes: range({ outcomes: { ...OUTCOMES, jobs: 0, matched: 0 } }),
  callers_without_calls: range({ filter: { excluded_callers: 2, excluded_callers_without_calls: 1 } }),
  no_callers_excluded: range({ filter: { excluded_callers: 0 } }),
  provisional: range({ range: { provisional: true } }),
  no_spend: range({ spend: { ...SPEND, currency: null, rows: 0 } }),
  no_spend_of_days: range({ spend: { ...SPEND, rows: 0, days: null } }),
};
/** What each says of its situation. */
const WORDS: Record<Statement["level"], Partial<Record<StatementId, string>>> = {
  doubt: {
    no_finished_sync: "No sync has finished yet: only the calls read so far are here.",
    unverified: "Run 7, the last sync, is unverified, so calls may be missing: the end was not reached.",
    rejected_rows: "500 rows of the service (50.0%) could not be read, and are in no figure.",
    withheld_calls: "40 calls went missing in one pass, over the missing-call threshold, and still count.",
    first_load: "The first load has not ended: calls are missing, and first-time callers are not known yet.",
    other_unit: "1 call belongs to another organization unit than north, the one asked for.",
    shared_calls: "The account austin has the same calls: these may be another client's.",
    stale: "The last good sync is older than 2h: later calls are missing.",
  },
  caution: {
    rules_changed:
      "The attribution settings have changed: these figures follow the old ones until the next sync or export.",
    no_rows: "No call in the warehouse matches: the files have no rows.",
    unlike_days: "8 of these 10 days are Monday to Friday, and 6 of the 10 days compared with.",
    unfinished:
      "The period 2026-W48 ends after the last sync, 26 Nov 2026 05:24 (UTC-05:00): later calls are not here yet.",
    previous_not_covered:
      "The days compared with begin on 1 Sep 2026, before the first call in the copy: there are no previous figures and no changes.",
    short_history:
      "First-time callers of these days may be too many: fewer than 90 days of calls lie before them.",
    short_history_before:
      "The change of first-time callers is not computed: fewer than 90 days of calls lie before the days compared with.",
    filters_of_calls_alone:
      "Filters by first time and min duration apply to calls alone: costs are for all calls.",
    spend_days: "Costs are of 4 of 31 days: if ads ran on the others, too, costs per call are too low.",
    spend_days_differ:
      "Costs are not compared where the days before have more or fewer days with spend, or end within a day.",
    unmatched_spend: "Spend of campaigns that no call has: 2.50 USD of 12.00 USD.",
    unmatched_jobs: "Of 3 imported jobs, 2 (66.6%) have a call: figures leave out the others.",
    no_amounts: "No imported job has an amount: revenue is blank.",
    callers_without_calls: "1 number of the callers to leave out has never called.",
    no_callers_excluded: "The file of callers to leave out has no numbers: all callers count.",
    provisional: "The latest days are provisional: late transcripts and corrections may still come.",
  },
  note: {
    made_up: "These calls are made up: calltally demo made the warehouse.",
    missing:
      "12 calls that the service no longer lists still count, until a full pass after 26 Nov 2026 16:24 (UTC-06:00) misses them, too.",
    unlisted: "20 calls are older than any that the service lists, since 2 Nov 2026; they still count.",
    callers_per_account:
      "Callers are counted per account: a person who called two accounts counts as two callers, and as a first-time caller in each.",
    restated: "3 figures exported on 2026-11-02 have changed: see restatements.csv.",
    too_recent:
      "2 calls too recent for an upload were left for the next file: start it one day before this one ends.",
    cut_texts: "1 text is cut to the 32,767 characters of a cell; CSV and Parquet have the full text.",
    headline_left_out: "Headline figures are left out, because some would be of fewer than 10 calls.",
    files_without_costs:
      "No cost figures in referring_host, source-hour: costs are known only by source, medium, campaign, channel.",
    untagged_calls:
      "The service lists only calls with DNI data. Calls from an ad's own call button are in no figure: costs per call are too high by them.",
    revenue_by_job:
      "Booked and sold calls and revenue are counted by the date of their job, not of their call.",
    revenue_by_call:
      "Booked and sold calls and revenue belong to the period of their call; later jobs still raise them.",
    no_outcomes: "No jobs have been imported: calltally outcome import reads what calls earned.",
    no_spend: "No spend has been imported: calltally spend import reads the reports of ad platforms.",
    no_spend_of_days: "No spend was imported for these days and this filter.",
  },
};
const CASES = Object.entries(WORDS).flatMap(([level, texts]) =>
  Object.entries(texts).map(([id, text]) => ({ id, level, text, facts: SITUATIONS[id as StatementId] })),
);

function manifestOf(statements: readonly Statement[]): Manifest {
  return {
    run: RUN,
    origin: WAREHOUSE.origin,
    statements,
    timezone: "UTC",
    filter: { gone_calls: "left out" },
    range: {},
    rules: {
      answered: ["answered"],
      missed: ["busy"],
      qualified_seconds: 60,
      duration_unit: "seconds",
      channels: "GA4",
      own_channels: 0,
      aliases: 0,
      topics: 0,
      utm_values: "folded",
    },
    files: [],
    fingerprint: "f",
  };
}

function reportOf(statements: readonly Statement[]) {
  const coverage = {
    calls: 1,
    total: 1,
    order: null,
    verified: RUN,
    newest_call: null,
    rejected: 0,
    drift: [],
  };
  // The two sections read nothing else.
  return { coverage, manifest: manifestOf(statements), fingerprint: "f" } as unknown as Report;
}

function summaryOf(statements: readonly Statement[]): ReportSummary {
  const manifest = { name: "m", path: "/m", bytes: 1, sha256: "s", isPersonal: false };
  return {
    title: "t",
    account: null,
    letterhead: PLAIN,
    prefix: "",
    range: "r",
    sentences: [],
    headline: [],
    verdict: { claim: "v", reasons: [], trust: "usual" },
    statements,
    notices: [],
    folder: "/f",
    files: [],
    manifest,
  };
}

const firstLineOf = ({ manifest, coverage }: Report) => String(toHtml(verdict(manifest, coverage)));

const made = (statements: readonly Statement[]) => ({
  manifest: manifestOf(statements),
  isWarehouseEmpty: false,
  note: { data: {}, lines: [] },
});

/** Where statements are printed, each in its own layout. */
const SURFACES: Record<string, (statements: readonly Statement[]) => string | Promise<string>> = {
  "manifest.json": (statements) => encodeManifest({ statements }),
  "the terminal": (statements) => describeMade(made(statements), "/"),
  "standard error": (statements) => remarksOnStream(made(statements)).join("\n"),
  "the About sheet": (statements) =>
    describeBasis({ manifest: manifestOf(statements), letterhead: PLAIN }, "zone")
      .flatMap(({ cells }) => cells.map(({ value }) => value))
      .join("\n"),
  "the page's first line": (statements) => firstLineOf(reportOf(statements)),
  "the page's last section": (statements) => String(toHtml(ofBasis(reportOf(statements)))),
  "mail, text": async (statements) => (await composeMail(summaryOf(statements), "Calls")).text,
  "mail, HTML": async (statements) => (await composeMail(summaryOf(statements), "Calls")).html,
  Slack: (statements) => JSON.stringify(toHookBody(summaryOf(statements), "slack")),
  Teams: (statements) => JSON.stringify(toHookBody(summaryOf(statements), "teams")),
  "a web hook": (statements) => JSON.stringify(toHookBody(summaryOf(statements), "json")),
  assistants: (statements) =>
    JSON.stringify(toBasis(manifestOf(statements), { account: undefined, isProvisional: false })),
};

/** Costs and jobs have statements of their own, which come with all others about them. */
const WITH_OTHERS: readonly string[] = ["revenue_by_call", "untagged_calls"];
const statementsIn = (situation: string, facts: Facts) =>
  statementsOf(facts).filter(({ id }) => id === situation || !WITH_OTHERS.includes(id));

describe("statementsOf", () => {
  it.each(CASES)("$id", ({ id, facts, level, text }) => {
    const found = statementsIn(id, facts).map((each) => ({
      id: each.id,
      level: each.level,
      text: say(each).text,
    }));
    expect(found).toEqual([{ id, level, text }]);
  });

  const silent = (figures: readonly string[]) =>
    CASES.filter(({ id, facts }) => statementsIn(id, { ...facts, figures }).length === 0).map(({ id }) => id);
  const OF_FIRST_CALLS = ["short_history", "short_history_before"];
  const OF_COSTS = ["spend_days", "filters_of_calls_alone", "spend_days_differ", "unmatched_spend"];
  const OF_OUTCOMES = ["unmatched_jobs", "revenue_by_job", "revenue_by_call", "no_outcomes"];
  const OF_AMOUNTS = "no_amounts";
  const OF_CALLS_PER_COST = "untagged_calls";
  const ALL = [
    ...OF_FIRST_CALLS,
    ...OF_COSTS,
    ...OF_OUTCOMES,
    OF_AMOUNTS,
    OF_CALLS_PER_COST,
    "no_spend",
    "no_spend_of_days",
  ];
  it.each([
    [["calls"], ["callers_per_account", ...ALL]],
    [["calls", "unique_callers"], ALL],
    [["first_time_callers"], ALL.filter((id) => !OF_FIRST_CALLS.includes(id))],
    [
      ["revenue"],
      ["callers_per_account", ...ALL].filter((id) => !OF_OUTCOMES.includes(id) && id !== OF_AMOUNTS),
    ],
    [["return_on_ad_spend"], ["callers_per_account", ...OF_FIRST_CALLS]],
    [
      ["impressions"],
      ["callers_per_account", ...OF_FIRST_CALLS, ...OF_OUTCOMES, OF_AMOUNTS, OF_CALLS_PER_COST],
    ],
  ])("returns no statement about figures that are not shown: %s", (figures, expected) => {
    expect(silent(figures).toSorted()).toEqual(expected.toSorted());
  });

  it("returns nothing for a complete copy and closed days", () => {
    expect(statementsOf({ warehouse: WAREHOUSE, range: RANGE, ...files({}) })).toEqual([]);
  });

  const NOVEMBER = { from: "2026-11-01", to: "2026-11-30" };
  it.each<
    [
      name: string,
      count: number,
      first: string,
      last: string,
      found: object | undefined,
      copy?: { firstDay?: number; of?: { from?: string; to?: string } },
    ]
  >([
    // The last sync was on 26 November.
    ["the newest two days lack spend", 24, "2026-11-01", "2026-11-24", undefined],
    ["the newest three do", 23, "2026-11-01", "2026-11-23", { days: 23, of: 26 }],
    ["a day between does", 25, "2026-11-01", "2026-11-26", { days: 25, of: 26 }],
    ["the first does", 23, "2026-11-02", "2026-11-24", { days: 23, of: 26 }],
    ["the copy begins with spend", 21, "2026-11-04", "2026-11-24", undefined, { firstDay: 4 }],
    ["spend begins before", 24, "2026-11-01", "2026-11-24", undefined, { firstDay: 4 }],
    ["a month is over", 30, "2026-10-01", "2026-10-30", { days: 30, of: 31 }, { of: OCTOBER }],
    ["days are open", 4, "2026-11-21", "2026-11-24", { days: 4, of: 26 }, { of: {} }],
  ])(
    "compares the days with spend with all days: %s",
    (_, count, first, last, found, { firstDay = 1, of = NOVEMBER } = {}) => {
      const facts = {
        ...range({ range: of, spend: { ...SPEND, days: { count, first, last } } }),
        firstDay: of === OCTOBER ? "2026-05-01" : `2026-11-0${firstDay}`,
      };
      const values = statementsOf(facts).find(({ id }) => id === "spend_days")?.values;
      expect(values).toEqual(found);
    },
  );

  it("counts days in the zone of the files", () => {
    const days = { count: 23, first: "2026-11-01", last: "2026-11-23" };
    // Already 26 November in UTC, when more than the newest two days would lack spend.
    const run = { ...RUN, finished_at: "2026-11-26T03:24:00.000Z" };
    const spent = { ...range({ range: NOVEMBER, spend: { ...SPEND, days } }), firstDay: "2026-11-01" };
    expect(statementsIn("spend_days", { ...spent, warehouse: { ...WAREHOUSE, run } })).toEqual([]);
    const rollups = ["02T03:00", "01T06:00"].map((time) => ({
      exported_at: `2026-11-${time}:00.000Z`,
      restated_cells: 2,
    }));
    const [restated] = statementsOf(files({ timezone: "America/New_York", restatements: { rollups } }));
    expect(restated?.values).toEqual({ figures: 4, exported_on: "2026-11-01" });
  });

  it("returns nothing about a list of changes without rows", () => {
    expect(statementsOf(files({ files: [{ rows: 0 }], changes: {} }))).toEqual([]);
    const empty = statementsOf(files({ files: [{ rows: 0 }], changes: {}, isWarehouseEmpty: true }));
    expect(empty.map((each) => say(each).text)).toEqual([
      "The warehouse has no calls: the files have no rows.",
    ]);
  });

  it("compares days with opening hours, where they are set", () => {
    const week = { range: { from: "2026-11-23", to: "2026-11-29" } };
    const before = {
      compared_with: [{ as: "previous" as const, from: "2026-11-16", to: "2026-11-22" }],
    };
    const hours = { week: "Mon-Fri 08:00-18:00", closed: ["2026-11-26"], timezone: "UTC" };
    const rules = { ...RULES, hours };
    expect(statementsOf(range({ ...week, ...before }))).toEqual([]);
    expect(statementsOf(range({ ...week, ...before, rules })).map((each) => say(each).text)).toEqual([
      "4 of these 7 days have opening hours, and 5 of the 7 days compared with.",
    ]);
  });

  it.each([
    [{ rows: 10, listed: 700 }, "caution"],
    [{ rows: 11, listed: 700 }, "doubt"],
    [{ rows: 11, listed: 1200 }, "caution"],
    [{ rows: 13, listed: 1200 }, "doubt"],
  ])("judges %o rejected rows as a %s, by the missing-call threshold", (rejected, level) => {
    expect(statementsOf(warehouse({ rejected }))).toMatchObject([{ id: "rejected_rows", level }]);
  });

  it("does not report that no call matches if rows could not be read", () => {
    const facts = {
      ...warehouse({ rejected: { rows: 100, listed: 10_100 } }),
      ...files({ files: [{ rows: 0 }] }),
    };
    expect(statementsOf(facts).map((each) => say(each).text)).toContain(
      "No call in the warehouse matches, but rows that could not be read might: the files have no rows.",
    );
  });

  it("returns no count of fewer calls than min_cell", () => {
    const few = warehouse({
      rejected: { rows: 3, listed: 1000 },
      withheld_calls: 3,
      other_unit_calls: 3,
      unlisted: { calls: 3, since: "2026-11-02T00:00:00.000Z" },
    });
    const texts = statementsOf(few, 5).map((each) => say(each).text);
    expect(texts).toEqual([
      "Some calls went missing in one pass, over the missing-call threshold, and still count.",
      "Some calls belong to another organization unit than north, the one asked for.",
      "Some rows of the service could not be read, and are in no figure.",
    ]);
    expect(JSON.stringify(statementsOf(few, 5))).not.toMatch(/:3\b/);
  });

  it("orders the statements of several accounts by level, and names the account", () => {
    const merged = mergeStatements(
      new Map([
        ["acme", statementsOf(range({ range: { provisional: true } }))],
        ["zenith", statementsOf(warehouse({ run: null }))],
      ]),
      ["unique_callers"],
    );
    expect(merged.map((each) => say(each).text)).toEqual([
      "zenith: No sync has finished yet: only the calls read so far are here.",
      "acme: The latest days are provisional: late transcripts and corrections may still come.",
      WORDS.note.callers_per_account,
    ]);
  });
});

describe("returns all doubts, then at most three cautions with the number of others, then notes", () => {
  it("names the comparison that lacks days, if there are several", () => {
    const said = statementsOf(
      range({
        compared_with: [
          { as: "previous", from: "2026-10-05" },
          { as: "year", from: "2025-11-03", begins_before_first_call: true, short_history: true },
        ],
      }),
    );
    expect(said.map((each) => say(each).text)).toEqual([
      "The days compared with by year begin on 3 Nov 2025, before the first call in the copy: there are no figures of them and no changes.",
      "The change of first-time callers is not computed: fewer than 90 days of calls lie before the days compared with by year.",
    ]);
  });

  it("returns all doubts, then at most three cautions with the number of others, then notes", () => {
    const many = statementsOf({
      ...warehouse({ run: null, rules_changed: true, unlisted: { calls: 1, since: "2026-11-02" } }),
      range: {
        ...RANGE,
        range: { provisional: true, short_history: true },
        compared_with: [{ as: "previous", short_history: true }],
        filter: { excluded_callers: 0 },
      },
    });
    const texts = saySome(many, "see manifest.json");
    expect(texts).toEqual([
      WORDS.doubt.no_finished_sync,
      WORDS.caution.rules_changed,
      WORDS.caution.short_history,
      WORDS.caution.short_history_before,
      "And 2 more cautions: see manifest.json.",
      "1 call is older than any that the service lists, since 2 Nov 2026; they still count.",
    ]);
    expect(saySome(many, "see manifest.json", 12)).toEqual(many.map((each) => say(each).text));
  });
});

describe.each(Object.entries(SURFACES))("%s", (_, print) => {
  it.each(CASES)("words $id like all other surfaces", async ({ facts, text }) => {
    const printed = await print(statementsOf(facts));
    const escaped = text.replaceAll("'", "&#39;");
    expect(printed.includes(text) || printed.includes(escaped)).toBe(true);
  });
});

it("docs/figures.md lists each statement under its level", () => {
  const [, section = ""] = readText(".", "docs/figures.md").split(/^## Statements$/m);
  const [, ...groups] = (section.split(/^## /m)[0] ?? "").split(/^\*\*(?=(?:Doubts|Cautions|Notes)\*\*)/m);
  const listed = groups.flatMap((group) => {
    const level = group.slice(0, group.indexOf("s**")).toLowerCase();
    const items = [...group.matchAll(/^- (`\w+`(?:, `\w+`)*)/gm)];
    return items.flatMap(([, ids = ""]) => (ids.match(/\w+/g) ?? []).map((id) => [id, level]));
  });
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(CASES.map(({ id, level }) => [id, level])));
});
