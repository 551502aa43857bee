import { hash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type AttributionRules, DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../src/calls/columns.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import type { SpentRow } from "../support/warehouses/spend.ts";
import type { AccountContents } from "./account-image.ts";

/*
 * Calls on every edge: the first and the last moment of days in zones whose clocks change by one hour, by
 * two (Antarctica/Troll) and by half an hour (Australia/Lord_Howe); ids against the order of time; callers without a number.
 */

const STARTS = [
  "2026-03-29T01:00:00.000Z", // Berlin and Troll change
  null,
  "2026-03-28T22:59:59.999Z",
  "2026-03-28T23:00:00.000Z", // a day begins in Berlin
  "2026-12-31T23:59:59.999Z",
  "2026-03-29T00:59:59.999Z",
  "2026-03-29T21:59:59.999Z",
  "2026-03-29T22:00:00.000Z", // a day begins in Berlin and in Troll
  "2026-04-04T12:59:59.999Z",
  "2026-04-04T13:00:00.000Z", // a day begins on Lord Howe
  "2026-04-04T14:59:59.999Z",
  "2026-04-04T15:00:00.000Z", // Lord Howe changes
  "2026-04-05T13:29:59.999Z",
  "2026-04-05T13:30:00.000Z", // a day begins on Lord Howe, half an hour later
  "2026-10-25T00:59:59.999Z",
  "2026-10-25T01:00:00.000Z", // Berlin and Troll change
  "2025-12-31T23:59:59.999Z",
  "2026-01-01T00:00:00.000Z",
  "2026-03-29T12:00:00.000Z",
];
const CALLERS = [null, "+491", "0049 2", "anonymous", "+49 1", "", "null", "+493", "491"];
const SOURCES = ["Google", null, "google ", "bing", "(other)", "face book", "", "(TOTAL)", "newsletter"];
const MEDIUMS = ["cpc", null, "organic", "paid_social", "email"];
const CAMPAIGNS = ["Autumn", null, "autumn", "(total)", "Herbst", "Autumn", '"(Other)"', " "];
const CAMPAIGN_IDS = ["1", null, "2", "10"];
const DURATIONS = [0, 29, 30, null, 59, 60, 61, 119, 120, 300, -1, 600, 1799, 1800, 86_400];
const DISPOSITIONS = ["ANSWERED", "Voice-Mail", null, "transferred", "no answer", "unheard of", "busy"];
const UNITS = [
  ["Munich", 9],
  ["Berlin", 10],
  ["Munich", 11],
  [null, 10],
  ["Berlin", null],
  [null, null],
] as const;

const at = <T>(values: readonly T[], index: number): T => values[index % values.length] ?? (null as never);

/** Four times through the times; all other values repeat at other intervals, so that each meets each. */
export const CALLS: readonly Call[] = Array.from({ length: 4 * STARTS.length }, (_, index) => {
  const [org_unit_name, org_unit_id] = at(UNITS, index >> 1);
  return makeCall({
    // In no order of time or anything else, and below 0.
    call_id: ((index * 37) % 101) - 10,
    call_started: at(STARTS, index),
    // A caller who is only known from calls of unknown time.
    caller_id: index > STARTS.length && at(STARTS, index) === null ? "+4999" : at(CALLERS, index * 2),
    tracking_number: at(["+49 30", null, "4930", "desk", "+4989"], index),
    duration: at(DURATIONS, index),
    disposition: at(DISPOSITIONS, index * 3),
    org_unit_name,
    org_unit_id,
    insight_name: at(["Google Ads", null, "Bing", "(not set)"], index),
    utm_source: at(SOURCES, index),
    utm_medium: at(MEDIUMS, index * 2),
    utm_campaign: at(["Spring", "spring", null], index),
    utm_content: at(["headline", null], index >> 1),
    utm_term: at(["plumber", null, "it's"], index >> 1),
    gclid: at(["Cj1", null, null, "Cj2", null, "cj1", null], index),
    gclsrc: at([null, "aw.ds", "3p.ds", ""], index >> 2),
    google_analytics_cid: at(["1.2", null, "3.4", "null", ""], index),
    referring_url: at(
      ["https://www.example.com/?msclkid=M1", null, "https://a.example/?MSCLKID=M2&x"],
      index,
    ),
    campaign_name: at(CAMPAIGNS, index),
    campaign_id: at(CAMPAIGN_IDS, index >> 1),
    summary: at([null, "A tap."], index),
    transcription: at([null, "A burst pipe.", "", "A pipe, for a JOB", "Hello", null, "(other)"], index),
    transcription_details: at([null, '[{"text":"a job"}]'], index),
  });
});

const isGone = (index: number) => index % 6 === 3 || (index % STARTS.length === 16 && index > STARTS.length);
/** Gone from the service, including the first calls of callers. */
export const GONE: readonly number[] = CALLS.filter((_, index) => isGone(index)).map(
  ({ call_id }) => call_id,
);
export const LIVE: readonly Call[] = CALLS.filter(({ call_id }) => !GONE.includes(call_id));

/** Spend by id, by name, of campaigns without calls, and without a campaign; on days at the edges. */
export const SPEND: readonly SpentRow[] = [
  ["2026-03-28", "google", "cpc", "Autumn", "1", 12_340_000, 5, 100],
  ["2026-03-29", "google", "cpc", "autumn", null, 1_005_000, null, 0],
  ["2026-03-29", "google", "cpc", "Herbst", "2", 15_000, 1, null],
  ["2026-04-05", "bing", "cpc", "AUTUMN ", null, -2_015_000, 0, 7],
  ["2026-04-05", "facebook", "paid_social", "New One", "777", 3_000_000, 3, 30],
  ["2026-04-05", "facebook", "paid_social", "Newer One", null, 4_000_000, 4, 40],
  ["2026-04-06", "facebook", "paid_social", "New One", "777", 1_000_000, null, null],
  ["2026-10-25", "newsletter", "email", null, null, 7_000_000, null, null],
  ["2026-12-31", "face book", "paid_social", "(total)", null, 1_000_000, 2, 2],
  ["2026-01-01", "google", "cpc", null, "10", 500_000, 2, 2],
].map(([day, source, medium, campaign, campaign_id, cost_micros, clicks, impressions]) => ({
  day: String(day),
  source: String(source),
  medium: String(medium),
  campaign: toText(campaign),
  campaign_id: toText(campaign_id),
  cost_micros: Number(cost_micros),
  currency: "EUR",
  clicks: toNumber(clicks),
  impressions: toNumber(impressions),
}));

/** With topics of its own, since the default has none. */
export const RULES: AttributionRules = {
  ...DEFAULT_RULES,
  aliases: { "face book": "facebook" },
  topics: [
    { topic: "(total)", phrase: "other", speaker: null, qualifies: null, value: null },
    { topic: "Job", phrase: "job", speaker: null, qualifies: false, value: null },
    { topic: "pipe", phrase: "Pipe", speaker: null, qualifies: true, value: "250" },
  ],
  // With ends at which calls start, also on both sides of clock changes.
  hours: {
    week: "Mon-Fri 01:00-02:00 12:00-24:00, Sat 13:00-14:30, Sun 00:00-01:30",
    closed: ["2026-12-31"],
    timezone: "Europe/Berlin",
  },
};
export const MILLISECONDS: AttributionRules = {
  ...RULES,
  duration_unit: "milliseconds",
  qualified_seconds: 0.06,
};

/** Returns a connection to a warehouse of calls, in memory. */
export async function openAccount(given: Partial<AccountContents> = {}): Promise<Database.Database> {
  const contents: AccountContents = { rules: RULES, calls: CALLS, gone: GONE, spend: SPEND, ...given };
  // `npm run test:mutants` keeps them, since making one takes longer than most tests.
  const { CALLTALLY_MUTANT_ACCOUNTS: folder } = process.env;
  const path = folder && join(folder, hash("sha256", JSON.stringify(contents)));
  if (path !== undefined && existsSync(path)) return new Database(readFileSync(path));
  const { makeAccountImage } = await import("./account-image.ts");
  const image = makeAccountImage(contents);
  if (path !== undefined) writeFileSync(path, image);
  return new Database(image);
}

function toText(value: string | number | null | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function toNumber(value: string | number | null | undefined): number | null {
  return typeof value === "number" ? value : null;
}
