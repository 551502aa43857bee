import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { PLAIN } from "../../../src/export/letterhead/letterhead.ts";
import type { FolderExportOptions } from "../figures/produce-files.ts";
import { makeCall } from "../warehouses/calls.ts";

/** A small copy, and a page of its calls. The last sync ended on 1 October 2026. */
export interface Situation {
  name: string;
  calls: readonly Call[];
  range: { from: string; to: string };
  sql?: string;
  options?: Partial<FolderExportOptions>;
  /** What is after `#` in the address of the page to explore. */
  views?: readonly string[];
}

const DAY_MS = 86_400_000;
const DAY = { from: "2026-09-23", to: "2026-09-23" };
const WEEK = { from: "2026-09-21", to: "2026-09-27" };
const MONTH = { from: "2026-08-31", to: "2026-09-27" };

const SOURCES = ["google", "bing", null, "newsletter"];
const MEDIA = ["cpc", "cpc", null, "email"];

/** Calls a few hours apart from a day on, whose members repeat with periods that have no common divisor. */
function spread(from: string, count: number, members: (index: number) => Partial<Call> = () => ({})): Call[] {
  const startMs = Date.parse(`${from}T07:11:00.000Z`);
  return Array.from({ length: count }, (_, index) =>
    makeCall({
      caller_id: `+49301${index % 37}`,
      call_started: new Date(startMs + index * 3.7 * 3_600_000).toISOString(),
      duration: (index * 41) % 700,
      disposition: ["ANSWERED", "ANSWERED", "NO ANSWER", "ANSWERED", "forwarded?"][index % 5] ?? null,
      utm_source: SOURCES[index % 4] ?? null,
      utm_medium: MEDIA[index % 4] ?? null,
      utm_campaign: ["spring", "autumn", null][index % 3] ?? null,
      ...members(index),
    }),
  );
}

const numbered = (...calls: readonly Call[][]): Call[] =>
  calls.flat().map((each, index) => ({ ...each, call_id: index + 1 }));

/** The first one ends the history that is too short to know first-time callers. */
const OLD = [makeCall({ call_started: "2026-01-05T10:00:00.000Z", utm_source: "radio" })];
const USUAL = numbered(OLD, spread("2026-08-03", 360));

const HOSTILE = [
  "<script>document.title='owned'</script>",
  "</table></main><h1>owned</h1>",
  '"><svg/onload=alert(1)>',
  "&lt;b&gt; &amp;",
  "\u202eevil\u202c",
  "مرحبا",
  '=HYPERLINK("https://evil.example")',
  "(other)",
];

/** Costs by day of September, in millionths. */
const spendOf = (
  campaigns: Readonly<Record<string, readonly [google: string, micros: number]>>,
  currency: string,
) =>
  Object.entries(campaigns)
    .flatMap(([campaign, [source, micros]]) =>
      Array.from({ length: 58 }, (_, at) => {
        const day = new Date(Date.UTC(2026, 7, 3) + at * DAY_MS).toISOString().slice(0, 10);
        return `INSERT INTO spend (day, source, medium, campaign, campaign_id, cost_micros, clicks, impressions, currency, file, imported_at)
VALUES ('${day}', '${source}', 'cpc', '${campaign}', NULL, ${micros + at * 13_370_000}, 3, NULL, '${currency}', 'spend.csv', '2026-10-01T00:00:00.000Z');`;
      }),
    )
    .join("\n");

/** Jobs of each seventh call; those before September are refunded in the first of the pairs. */
const jobsOf = (amount: (call: number) => number, currency: string) =>
  Array.from({ length: 51 }, (_, at) => 1 + at * 7)
    .map(
      (call) =>
        `INSERT INTO outcomes (call_id, day, stage, amount_micros, currency, source, import_id) VALUES (${call}, '2026-09-15', 'sold', ${amount(call) * 10_000}, '${currency}', 'jobs', 1);`,
    )
    .join("\n");

const SPEND = spendOf(
  { spring: ["google", 90_000_000], autumn: ["bing", 5_250_000], ghost: ["google", 0] },
  "USD",
);
const AMOUNTS = { spend: "if any", outcomes: "if any" } as const;

export const SITUATIONS: readonly Situation[] = [
  { name: "no calls in these days", calls: OLD, range: WEEK },
  { name: "a day", calls: USUAL, range: DAY },
  {
    name: "a week",
    calls: USUAL,
    range: WEEK,
    views: ["", "by=source,campaign&compare=year&chart=answer_rate"],
  },
  { name: "four weeks", calls: USUAL, range: MONTH },
  {
    name: "spend",
    calls: USUAL,
    range: MONTH,
    sql: SPEND,
    options: AMOUNTS,
    views: ["by=campaign&figures=calls,cost,cost_per_call,cost_per_qualified_call&chart=cost"],
  },
  { name: "spend without calls", calls: OLD, range: WEEK, sql: SPEND, options: AMOUNTS },
  {
    name: "spend in yen",
    calls: USUAL,
    range: WEEK,
    sql: spendOf({ spring: ["google", 90_000_000_000] }, "JPY"),
    options: AMOUNTS,
  },
  {
    name: "revenue",
    calls: USUAL,
    range: MONTH,
    sql: jobsOf((call) => 12_345 + call * 101, "EUR"),
    options: AMOUNTS,
    views: ["by=source&figures=calls,booked_calls,revenue,revenue_per_call&chart=revenue"],
  },
  {
    name: "revenue after refunds",
    calls: USUAL,
    range: MONTH,
    sql: `${SPEND}\n${jobsOf((call) => (call < 190 ? -23_450 : 31_207), "USD")}`,
    options: AMOUNTS,
    views: ["by=source&figures=calls,booked_calls,revenue"],
  },
  {
    name: "long names",
    calls: numbered(
      OLD,
      spread("2026-08-24", 200, (index) => ({
        utm_source: `source ${"s".repeat(240)} ${index % 3}`,
        utm_campaign: `campaign ${"c".repeat(5000)} ${index % 2}`,
      })),
    ),
    range: WEEK,
  },
  {
    name: "hostile names",
    calls: numbered(
      OLD,
      spread("2026-08-24", 200, (index) => ({
        utm_source: HOSTILE[index % HOSTILE.length] ?? null,
        utm_campaign: HOSTILE[(index + 3) % HOSTILE.length] ?? null,
      })),
    ),
    range: WEEK,
    options: { letterhead: { ...PLAIN, name: "<b>Nord & Söhne</b>" } },
  },
  {
    name: "many campaigns",
    calls: numbered(
      OLD,
      spread("2026-08-03", 360, (index) => ({
        campaign_name: index % 9 === 0 ? null : `Campaign ${index % 60}`,
        campaign_id: `${7_000_000 + (index % 61)}`,
      })),
    ),
    range: MONTH,
  },
  {
    name: "a filter",
    calls: USUAL,
    range: MONTH,
    options: { filter: { channel: ["Paid Search"], min_duration_seconds: 30 } },
    views: ["is_source=google"],
  },
  {
    name: "a filter without calls",
    calls: USUAL,
    range: DAY,
    options: { filter: { channel: ["Email"], source: ["google"] } },
  },
  {
    name: "in doubt",
    calls: USUAL,
    range: WEEK,
    sql: `UPDATE sync_runs SET verdict = 'unverified', verdict_reason = 'the service counted 12 calls more';
      INSERT INTO rejected_calls (row_key, json, path, reason, first_run_id, last_run_id) VALUES ('x', '{}', 'call_id', 'is missing', 1, 1);`,
  },
  {
    name: "not proven for these days",
    calls: USUAL,
    range: MONTH,
    sql: `UPDATE sync_runs SET finished_at = '2026-08-20T00:00:00.000Z';
      INSERT INTO sync_runs (started_at, finished_at, status, mode, plan_reason, pid, verdict, verdict_reason)
      VALUES ('2026-10-01T00:01:00.000Z', '2026-10-01T00:01:00.000Z', 'done', 'incremental', 'a test', 1, 'probable', 'The counts agree')`,
  },
  {
    name: "days that end after the last sync",
    calls: USUAL,
    range: { from: "2026-09-25", to: "2026-10-08" },
    options: { clock: { now: () => Date.parse("2026-10-05T12:00:00.000Z"), sleep: () => Promise.resolve() } },
  },
  {
    name: "opening hours and topics",
    calls: numbered(
      OLD,
      spread("2026-08-24", 240, (index) => ({
        transcription: index % 4 === 0 ? "A leaking tap" : index % 4 === 1 ? "New boiler" : null,
      })),
    ),
    range: WEEK,
    options: {
      rules: {
        ...DEFAULT_RULES,
        hours: { week: "Mon-Fri 08:00-18:00", closed: [], timezone: "Europe/Berlin" },
        topics: [
          { topic: "leak", phrase: "leaking", speaker: null, qualifies: null, value: null },
          { topic: "boiler", phrase: "boiler", speaker: null, qualifies: true, value: null },
        ],
      },
    },
  },
  {
    name: "in German, by month, a year before",
    calls: numbered(OLD, spread("2025-08-04", 3000)),
    range: { from: "2026-07-01", to: "2026-09-30" },
    sql: SPEND,
    options: {
      ...AMOUNTS,
      grain: "month",
      compare: "year",
      letterhead: { ...PLAIN, name: "Nord", locale: "de-DE" },
    },
    views: ["grain=month&compare=year"],
  },
  {
    name: "something moved, other days west of UTC",
    calls: numbered(
      OLD,
      spread("2026-09-07", 40, () => ({ utm_source: "fallen", utm_campaign: "fallen" })),
      spread("2026-09-21", 45, () => ({ utm_source: "risen", utm_campaign: "risen" })),
      spread("2026-09-07", 80),
    ),
    range: WEEK,
    options: { timezone: "Pacific/Honolulu" },
  },
  {
    name: "calls without a duration, source or answer",
    calls: numbered(
      spread("2026-09-14", 30, () => ({
        duration: null,
        disposition: "NO ANSWER",
        utm_source: null,
        utm_medium: null,
        utm_campaign: null,
        caller_id: null,
      })),
    ),
    range: WEEK,
  },
];
