import type { Case, Step } from "./case.ts";
import { AGENCY } from "./fixtures.ts";

const SAVE = "{command: [cp, -r, '{folder}', 'delivered-{report}']}";

/** A report of `calltally.yaml`, by its keys. */
const REPORTS_MADE: Record<string, string> = {
  bare: "{}",
  channel: "{contents: [channel], range: {last: 4w}}",
  json: "{contents: [channel, campaign], range: {last: 3m}, grain: month, format: json, total: true}",
  ndjson: "{contents: [calls], range: {last: 4w}, format: ndjson, with: [caller_id, summary]}",
  parquet: "{contents: [channel, callers], format: parquet}",
  tsv: "{by: [source, medium], range: {from: 2026-10-01, to: 2026-10-31}, compare: previous, format: tsv, profile: machine}",
  csv: "{by: [source, campaign], range: {last: 8w}, grain: week, fill: true, delimiter: ';', profile: excel}",
  xlsx: "{contents: [channel, utm_campaign, calls], range: {last: 3m}, grain: month, compare: year, format: xlsx, total: true}",
  page: "{format: html}",
  months: "{format: html, range: {last: 3m}, grain: month, compare: year, spend: true}",
  filtered:
    "{contents: [channel], filter: {source: [google, bing], min_duration_seconds: 30, exclude_callers: callers.txt, include_gone: true}}",
  tested: "{contents: [channel], filter: {source: nobody, allow_empty: true}, range: {last: 4w}}",
  spend: "{contents: [campaign, source], spend: true, range: {last: 8w}, total: true}",
  top: "{contents: [campaign], top: 3, range: {last: 8w}, grain: month}",
  shared: "{contents: [channel, campaign], min_cell: 5, range: {last: 8w}, format: xlsx}",
  raw: "{contents: [utm_source], raw: true}",
  ads: "{contents: [google-ads, google-leads], conversion: {name: Call, value: 40, currency: EUR, ad_user_data: granted}}",
  uploads:
    "{contents: [google-ads, google-ads-adjustments], conversion: {value: 40, currency: EUR, new: true, every: true}}",
  ga4: "{contents: [ga4-events], conversion: {measurement_id: G-1A2B3C4D5E}}",
  placed:
    "{contents: [channel], range: {last: last-month}, folder: 'out/{report}/{period}/{from}_{to}_{date}'}",
  stale: "{contents: [channel], range: {last: 4w}, fresh: 1h}",
};

const DELIVERED: Record<string, string> = {
  copied: `{cron: '0 7 * * *', contents: [channel, campaign], range: {last: 4w}, deliver: [${SAVE}]}`,
  workbook: `{contents: [channel], range: {last: 4w}, grain: week, format: xlsx, deliver: [${SAVE}]}`,
  page: `{cron: '0 7 * * *', format: html, range: {last: 4w}, deliver: [${SAVE}, {webhook: {url_file: hook.url}}]}`,
  file: "{contents: [channel], range: {last: 4w}, deliver: [{command: [cp, '{file}', 'one-{period}-{date}.csv']}]}",
  hooked:
    "{cron: '0 7 * * *', contents: [channel], range: {last: 3m}, grain: month, spend: true, deliver: [{webhook: {url_file: hook.url}}]}",
  refused: "{contents: [channel], range: {last: 4w}, deliver: [{webhook: {url_file: refused.url}}]}",
  failing: "{contents: [channel], range: {last: 4w}, deliver: [{command: ['false']}]}",
  personal: `{contents: [calls, google-leads], range: {last: 4w}, personal_data: true, deliver: [${SAVE}]}`,
  hidden: "{contents: [calls], range: {last: 4w}, deliver: [{webhook: {url_file: hook.url}}]}",
  shared: `{contents: [channel], min_cell: 100, range: {last: 4w}, deliver: [${SAVE}, {webhook: {url_file: hook.url}}]}`,
  uploads: `{contents: [google-ads], conversion: {new: true}, personal_data: true, deliver: [${SAVE}]}`,
  proven: `{contents: [channel], require: verified, deliver: [${SAVE}]}`,
  stale: `{contents: [channel], range: {last: 4w}, fresh: 1h, deliver: [{webhook: {url_file: hook.url}}]}`,
  restated: `{contents: [channel, source], range: {last: 3m}, grain: month, cron: '0 7 * * 1', on_restatement: deliver, deliver: [${SAVE}, {webhook: {url_file: hook.url}}]}`,
};

/** Reports of the three accounts. */
const OF_ACCOUNTS: Record<string, string> = {
  each: "{contents: [channel], range: {last: 4w}, folder: 'out/{account}/{period}', deliver: [{command: [cp, -r, '{folder}', 'copy-{account}']}]}",
  two: "{accounts: [north, south], format: xlsx, contents: [source, calls], range: {last: 8w}, grain: week}",
  page: "{accounts: [south], format: html, range: {last: 4w}}",
  shared: "{contents: [channel], folder: out}",
  nobody: "{accounts: [nobody], contents: [channel]}",
  spent: "{accounts: [north], contents: [campaign], spend: true, top: 2}",
};

const REFUSED: Record<string, string> = {
  "fill alone": "{contents: [channel], fill: true}",
  "compare alone": "{contents: [channel], compare: previous}",
  "calls by grain": "{contents: [calls], grain: month}",
  "calls with total": "{contents: [calls], total: true}",
  "calls with top": "{contents: [calls], top: 3}",
  "calls with spend": "{contents: [calls], spend: true}",
  "spend by gclid": "{contents: [gclid], spend: true}",
  "with for channels": "{contents: [channel], with: [caller_id]}",
  "ads as json": "{contents: [google-ads], format: json}",
  "profile of json": "{contents: [channel], format: json, profile: excel}",
  "delimiter of tsv": "{contents: [channel], format: tsv, delimiter: ';'}",
  "value for channels": "{contents: [channel], conversion: {value: 3}}",
  "new for channels": "{contents: [channel], conversion: {new: true}}",
  "consent for Microsoft": "{contents: [microsoft-ads], conversion: {ad_user_data: granted}}",
  "ga4 without a stream": "{contents: [ga4-events]}",
  "currency alone": "{contents: [google-ads], conversion: {currency: EUR}}",
  "adjustments of days": "{contents: [google-ads-adjustments], range: {last: 4w}}",
  "min_cell and top": "{contents: [channel], min_cell: 3, top: 3}",
  "min_cell and fill": "{contents: [channel], min_cell: 3, fill: true, grain: day}",
  "min_cell and spend": "{contents: [channel], min_cell: 3, spend: true}",
  "min_cell of calls": "{contents: [calls], min_cell: 3}",
  "min_cell by gclid": "{contents: [gclid], min_cell: 3}",
  "min_cell and a number": "{contents: [channel], min_cell: 3, filter: {tracking_number: '+49896543210'}}",
  "page with contents": "{format: html, contents: [channel]}",
  "page with top": "{format: html, top: 3, fill: true, grain: week}",
  "page of open days": "{format: html, range: {from: 2026-10-01}}",
  "last and from": "{contents: [channel], range: {last: 4w, from: 2026-10-01}}",
  "days reversed": "{contents: [channel], range: {from: 2026-11-01, to: 2026-10-01}}",
  "unknown source": "{contents: [channel], filter: {source: nobody}}",
  "unknown key": "{contents: [channel], formt: csv}",
  "unknown content": "{contents: [chanel]}",
  "unknown placeholder": "{contents: [channel], folder: 'out/{peroid}'}",
  "restated top": `{contents: [channel], top: 3, cron: '0 7 * * 1', on_restatement: deliver, deliver: [${SAVE}]}`,
  "restated by hand": "{contents: [channel], on_restatement: deliver}",
  "require without deliver": "{contents: [channel], require: verified}",
  "folder of exports": "{contents: [channel], folder: data/exports}",
  "personal data": `{contents: [calls], deliver: [${SAVE}]}`,
  "no mail server": "{contents: [channel], deliver: [{email: {to: [a@example.com]}}]}",
  "no hook file": "{contents: [channel], deliver: [{webhook: {url_file: missing.url}}]}",
  "missing callers": "{contents: [channel], filter: {exclude_callers: missing.txt}}",
  "raw engine": "{contents: [utm_source], raw: true, engine: 'clickhouse://127.0.0.1:1/calls'}",
  "engine of lists": "{contents: [calls], engine: 'clickhouse://127.0.0.1:1/calls'}",
};

const files = (reports: Record<string, string>, top = ""): Step => ({
  write: {
    "calltally.yaml": `${top}reports:\n${Object.entries(reports)
      .map(([name, keys]) => `  ${name}: ${keys}\n`)
      .join("")}`,
    "hook.url": "SERVICE/hook/one\n",
    "refused.url": "SERVICE/hook/refused\n",
  },
});

export const REPORTS: readonly Case[] = [
  ...Object.entries(REPORTS_MADE).map(
    ([name, keys]): Case => ({
      name: `report ${name}`,
      on: "hostile",
      steps: [files({ [name]: keys }), `run ${name}`],
    }),
  ),
  ...["channel", "page", "xlsx", "uploads"].flatMap((name): Case[] =>
    ["empty", "restated", "unfinished", "probable", "none"].map((on) => ({
      name: `report ${name} of ${on}`,
      on,
      steps: [files({ [name]: REPORTS_MADE[name] ?? "" }), `run ${name} --json`],
    })),
  ),
  ...Object.entries(DELIVERED).map(
    ([name, keys]): Case => ({
      name: `delivered ${name}`,
      on: "hostile",
      steps: [files({ [name]: keys }), `run ${name} --deliver`, "status --json"],
    }),
  ),
  ...["copied", "proven", "hooked"].flatMap((name): Case[] =>
    ["empty", "restated", "unfinished", "probable", "unproven"].map((on) => ({
      name: `delivered ${name} of ${on}`,
      on,
      steps: [files({ [name]: DELIVERED[name] ?? "" }), `run ${name} --deliver --json`],
    })),
  ),
  ...["copied", "hooked", "page"].map(
    (name): Case => ({
      name: `job of ${name}`,
      on: "hostile",
      steps: [files({ [name]: DELIVERED[name] ?? "" }), `job report:${name}`, `job report:${name}`],
    }),
  ),
  ...Object.entries(OF_ACCOUNTS).flatMap(([name, keys]) =>
    [`run ${name} --deliver`, `run ${name} --account south`].map(
      (command): Case => ({
        name: `report of accounts ${name}: ${command}`,
        on: "agency",
        steps: [files({ [name]: keys }, AGENCY), command],
      }),
    ),
  ),
  {
    name: "reports together",
    on: "hostile",
    steps: [files(REPORTS_MADE), "run channel json page shared", "run channel nothing"],
  },
  {
    name: "a report again where figures changed",
    on: "exported",
    steps: [
      files({ restated: DELIVERED.restated ?? "" }),
      { at: "2026-11-09T08:00:00.000Z" },
      "job report:restated",
      { serve: { main: { calls: 1200, seed: 1, stage: 2 } } },
      { at: "2026-11-18T08:00:00.000Z" },
      "sync --full --accept-gone 100",
      { at: "2026-11-18T09:00:00.000Z" },
      "job restated:restated",
      "restatements",
    ],
  },
  {
    name: "uploads of a report twice",
    on: "hostile",
    steps: [
      files({ uploads: DELIVERED.uploads ?? "" }),
      "run uploads --deliver",
      { at: "2026-11-19T09:30:00.000Z" },
      "run uploads --deliver",
      "uploads list",
    ],
  },
  ...Object.entries(REFUSED).map(
    ([name, keys]): Case => ({
      name: `report refused: ${name}`,
      on: "hostile",
      steps: [files({ weekly: keys }), "run weekly --deliver"],
    }),
  ),
  {
    name: "report refused: the same folder",
    on: "hostile",
    steps: [
      files({ one: "{contents: [channel], folder: out}", two: "{contents: [source], folder: out}" }),
      "run one",
    ],
  },
];
