import type { AttributionRules } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import type { FoldJob, FoldSpend } from "../figures/fold.ts";
import { makeCall } from "../warehouses/calls.ts";
import { VISITS, type Visit } from "./visits.ts";

export type AccountName = "oahu" | "chicago" | "howe";

/** A job of a list, before it has found its call. */
export interface SceneJob extends Omit<FoldJob, "startsAt"> {
  list: string;
  /** Its id in the list; null in a list without ids. */
  job_id: string | null;
}

export type SceneSpend = Omit<FoldSpend, "startsAt"> & { day: string };

/** An account in which no two inputs of one kind are equal, nor equal to those of another account. */
export interface SceneAccount {
  name: AccountName;
  timezone: string;
  /** ISO 4217, of spend and jobs. */
  currency: string;
  rules: AttributionRules;
  calls: readonly Call[];
  /** Ids of calls that the service no longer lists. */
  gone: ReadonlySet<number>;
  spend: readonly SceneSpend[];
  jobs: readonly SceneJob[];
}

/** The run of each account took hours; calls that came meanwhile are in it, and those after it in a run that has not ended. */
export const RUN = { startedAt: "2026-04-08T01:10:00.000Z", finishedAt: "2026-04-08T05:50:00.000Z" };
export const UNFINISHED_AT = "2026-04-08T07:00:00.000Z";

/** Four weeks, with the clock change of Chicago. */
export const RANGE = { from: "2026-03-02", to: "2026-03-29" };
/** Two weeks, with that of Lord Howe. */
export const LATE = { from: "2026-03-23", to: "2026-04-05" };

const phrase = { speaker: null, qualifies: null, value: null };

interface Plan extends Pick<SceneAccount, "name" | "timezone" | "currency" | "rules"> {
  calls: number;
  /** Before the last digits of its callers' numbers, which other accounts have, too. */
  prefixes: readonly string[];
  dispositions: readonly (string | null)[];
  /** Moments of both sides of its days and of its clock change. */
  edges: readonly string[];
  /** What differs between accounts in each drawn value. */
  step: number;
  firstId: number;
}

const PLANS: readonly Plan[] = [
  {
    name: "oahu",
    timezone: "Pacific/Honolulu",
    currency: "USD",
    calls: 137,
    prefixes: ["+1808555", "+8185555"],
    dispositions: ["Connected", "ANSWERED", "Missed", "busy", "CONNECTED", "Voice-Mail", null],
    edges: [
      "2026-03-09T09:59:59.999Z",
      "2026-03-09T10:00:00.000Z",
      "2026-03-30T09:59:59.000Z",
      "2026-03-02T10:00:00.000Z",
    ],
    step: 7_919_311,
    firstId: 10_001,
    rules: {
      answered: ["connected", "answered"],
      missed: ["missed", "busy"],
      qualified_seconds: 47,
      duration_unit: "seconds",
      aliases: { gads: "google" },
      aliases_of: { campaign: { sommer: "Summer" } },
      channels: [{ channel: "Partners", source: "partner-*", medium: "", campaign: "", referrer: "" }],
      topics: [
        { ...phrase, topic: "wrong", phrase: "wrong", qualifies: false },
        { ...phrase, topic: "burst", phrase: "burst", speaker: "caller", qualifies: true, value: "118.50" },
        { ...phrase, topic: "quote", phrase: "quote" },
      ],
      hours: { week: "Mon-Fri 06:30-20:15", closed: ["2026-03-26"], timezone: "Pacific/Honolulu" },
    },
  },
  {
    name: "chicago",
    timezone: "America/Chicago",
    currency: "EUR",
    calls: 131,
    prefixes: ["+1312555", "+4412555"],
    dispositions: ["answered", "Transferred", "NO ANSWER", "failed", "Connected", "voicemail", "no-answer"],
    edges: [
      "2026-03-08T05:59:59.999Z",
      "2026-03-08T06:00:00.000Z",
      "2026-03-08T07:59:59.999Z",
      "2026-03-08T08:00:00.000Z",
      "2026-03-09T04:59:59.999Z",
      "2026-03-09T05:00:00.000Z",
    ],
    step: 6_700_417,
    firstId: 20_001,
    rules: {
      answered: ["answered", "transferred"],
      missed: ["no answer", "failed"],
      qualified_seconds: 61,
      duration_unit: "seconds",
      aliases: { leak: "leaks" },
      aliases_of: { source: { gads: "bing", facebook: "meta" } },
      channels: [
        { channel: "Social ads", source: "meta", medium: "paid*", campaign: "", referrer: "" },
        { channel: "Reviews", source: "", medium: "", campaign: "", referrer: "yard.*" },
      ],
      topics: [
        { ...phrase, topic: "emergency", phrase: "burst" },
        { ...phrase, topic: "price", phrase: "quote", qualifies: true, value: "77" },
      ],
      hours: { week: "Mon-Sat 06:00-21:45", closed: ["2026-03-12"], timezone: "America/Chicago" },
    },
  },
  {
    name: "howe",
    timezone: "Australia/Lord_Howe",
    currency: "AUD",
    calls: 139,
    prefixes: ["+6126555", "+6436555"],
    dispositions: ["spoke", "SPOKE", "rang out", "Answered", "busy", "engaged", "rang-out"],
    edges: [
      "2026-04-04T12:59:59.999Z",
      "2026-04-04T13:00:00.000Z",
      "2026-04-04T14:59:59.999Z",
      "2026-04-04T15:00:00.000Z",
      "2026-04-05T13:29:59.999Z",
      "2026-04-05T13:30:00.000Z",
    ],
    step: 5_433_257,
    firstId: 30_001,
    rules: {
      answered: ["spoke"],
      missed: ["rang out", "engaged", "busy"],
      qualified_seconds: 83,
      duration_unit: "milliseconds",
      aliases: {},
      aliases_of: { medium: { cpc: "paid-click" } },
      channels: [{ channel: "Friends", source: "partner-north", medium: "", campaign: "", referrer: "" }],
      topics: [{ ...phrase, topic: "advice", phrase: "quote", qualifies: false }],
      hours: { week: "Tue-Sun 07:00-19:00", closed: ["2026-03-04"], timezone: "Australia/Lord_Howe" },
    },
  },
];

const DAY_MS = 86_400_000;
const at = <T>(values: readonly [T, ...T[]] | readonly T[], index: number): T => {
  const value = values[index % values.length];
  if (value === undefined) throw new Error("There are no values");
  return value;
};

/** When a call started: most in the ten weeks before the run, some a year before; on edges of days; some after the run began. */
function startOfCall({ edges, step, calls }: Plan, index: number): string {
  if (index === calls - 2) return `2026-04-08T06:${10 + (step % 40)}:00.000Z`;
  if (index === calls - 3) return `2026-04-08T03:${10 + (step % 40)}:00.000Z`;
  if (index < edges.length) return at(edges, index);
  const [first, span] =
    index % 9 === 4 ? [Date.UTC(2025, 1, 20), 60 * DAY_MS] : [Date.UTC(2026, 0, 22), 76 * DAY_MS];
  return new Date(first + ((index * step * 1000) % span)).toISOString();
}

const SAID = ["a pipe has burst", "what does a quote cost", "sorry, wrong number", "=good morning", null];

/** Ids of the click on an ad and of the browser, each of which two calls have; some clicks are not of Google Ads. */
function clickOf({ clicks }: Visit, nth: number, { firstId }: Plan, index: number): Partial<Call> {
  const browser = {
    google_analytics_cid: index % 6 === 5 ? null : `${firstId + (index >> 1)}.17${index >> 1}`,
  };
  if (clicks === undefined) return browser;
  const pair = nth >> 1;
  const by = at(clicks, pair);
  const id = `${by}-${firstId}_${pair}`;
  if (by === "gclid") return { ...browser, gclid: id, gclsrc: at([null, "aw.ds", "AW", "3p.ds"], pair) };
  const hex = (firstId * 100 + pair).toString(16).padStart(32, "0");
  return { ...browser, extra: JSON.stringify({ [by]: by === "msclkid" ? hex : id }) };
}

function callsOf(plan: Plan): Call[] {
  const { prefixes, dispositions, rules, firstId, step } = plan;
  const seen = new Map<Visit, number>();
  return Array.from({ length: plan.calls }, (_, index) => {
    const visit = at(VISITS, index * 5 + (index >> 3) + (step % 3));
    const nth = seen.get(visit) ?? 0;
    seen.set(visit, nth + 1);
    const said = at(SAID, index * 3 + (index >> 4));
    const seconds = (index * 29 + (step % 17)) % 190;
    return makeCall({
      call_id: firstId + index,
      call_started: index === plan.calls - 1 ? null : startOfCall(plan, index),
      caller_id:
        index % 11 === 7
          ? "anonymous"
          : `${at(prefixes, index >> 1)}${String(100 + ((index * 13) % 71)).padStart(4, "0")}`,
      tracking_number: at(["+18085550999", "+13125550998", "+61265550997", null], index * 3 + (step % 5)),
      duration:
        index % 10 === 3 ? null : rules.duration_unit === "seconds" ? seconds : seconds * 1000 + index,
      disposition: at(dispositions, index * 2 + (index >> 5)),
      org_unit_id: at([41, 42, null], index + (step % 2)),
      org_unit_name: at(["North", "South", "Harbor"], (index + (step % 2)) * (index % 3 === 2 ? 1 : 4)),
      transcription: said,
      transcription_details:
        said === null ? null : JSON.stringify([{ channel: at(["caller", "agent"], index >> 2), text: said }]),
      ...visit.members,
      ...clickOf(visit, nth, plan, index),
    });
  });
}

type SpendLine = [
  day: string,
  source: string,
  medium: string,
  campaign: string | null,
  campaign_id: string | null,
];

/** Spend by id, by name, by an alias, of a campaign without calls, and without a campaign; also on the days of edges. */
function spendOf({ name, timezone: _, step }: Plan): SceneSpend[] {
  const unit = { oahu: 1_010_000, chicago: 1_370_000, howe: 2_110_000 }[name];
  const rows: SpendLine[] = [
    ["2026-03-02", "google", "cpc", "Spring sale", "701"],
    ["2026-03-08", "google", "cpc", "An old name", "701"],
    ["2026-03-09", "gads", "ppc", "sommer", null],
    ["2026-03-10", "facebook", "paid_social", "lookalike", null],
    ["2026-03-11", "facebook", "paid_social", "Twin", null],
    ["2026-03-15", "bing", "cpc", "twin", null],
    ["2026-03-16", "bing", "cpc", "Nobody called", "799"],
    ["2026-03-20", "newsletter", "email", null, null],
    // A refund, so that all costs are not those of campaigns with a cost.
    ["2026-03-20", "yahoo", "cpc", "Refunded", "798"],
    ["2026-03-29", "google", "cpc", "Spring sale", "701"],
    // As many days of the four weeks before; in Chicago, one fewer, so that its costs cannot be compared.
    ...(name === "chicago"
      ? []
      : [["2026-02-05", "google", "cpc", "Spring sale", "701"] satisfies SpendLine]),
    ["2026-02-08", "google", "cpc", "Spring sale", "701"],
    ["2026-02-10", "bing", "cpc", "Twin", null],
    ["2026-02-13", "facebook", "paid_social", "Twin", "704"],
    ["2026-02-16", "newsletter", "email", "march letter", null],
    ["2026-02-18", "gads", "ppc", "Sommer", null],
    ["2026-02-25", "google", "cpc", null, "701"],
    ["2026-02-20", "google", "cpc", "Spring sale", "701"],
    ["2026-02-27", "facebook", "paid_social", "Lookalike", "702"],
    ["2026-04-05", "bing", "cpc", "Twin", "703"],
  ];
  return rows.map(([day, source, medium, campaign, campaign_id], index) => ({
    ...{ day, source, medium, campaign, campaign_id },
    cost_micros: (unit * (index + 3) + 10_000 * (step % 7)) * (campaign === "Refunded" ? -1 : 1),
    clicks: index % 5 === 4 ? null : 11 * (index + 1) + (step % 13),
    impressions: index % 4 === 3 ? null : 997 * (index + 1) + (step % 101),
  }));
}

/**
 * Jobs of three lists: two without ids that share days, and one with ids; each of another call than the others of its day. A
 * call is at most a month before its job, so that its period differs.
 */
function jobsOf({ name, firstId }: Plan, calls: readonly Call[]): SceneJob[] {
  const dated = calls.filter(
    ({ call_started }) => (call_started ?? "") > "2026-02" && (call_started ?? "") < "2026-03-25",
  );
  const cents = { oahu: 10_007, chicago: 20_011, howe: 30_029 }[name];
  const stages = ["sold", "booked", "lost", "sold"] as const;
  return dated.slice(0, 30).map(({ call_id, call_started }, index) => {
    const list = at(["crm", "sheet", "till"], index);
    const day = new Date(Date.parse(call_started ?? "") + (1 + (index % 9)) * DAY_MS)
      .toISOString()
      .slice(0, 10);
    const stage = at(stages, index + (firstId % 3));
    return {
      ...{ call_id, day, stage, list },
      job_id: list === "crm" ? `${name}-${index}` : null,
      amount_micros: stage === "lost" ? null : (cents + 100 * index) * 10_000,
    };
  });
}

export const ACCOUNTS: readonly SceneAccount[] = PLANS.map((plan) => {
  const calls = callsOf(plan);
  const gone = new Set(
    calls.filter((_, index) => index % 17 === 5 + (plan.step % 5)).map(({ call_id }) => call_id),
  );
  return { ...plan, calls, gone, spend: spendOf(plan), jobs: jobsOf(plan, calls) };
});

export function accountNamed(name: AccountName): SceneAccount {
  const account = ACCOUNTS.find((each) => each.name === name);
  if (account === undefined) throw new Error(`There is no account ${name}`);
  return account;
}
