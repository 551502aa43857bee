import { ACCOUNTS } from "./account-commands.ts";
import type { Case, Step } from "./case.ts";
import { OF_CLUSTER } from "./cluster-commands.ts";
import { LIBRARY } from "./library-commands.ts";
import {
  COMPARISONS,
  CONVERSIONS,
  FILTERS,
  FORMATS,
  GRAINS,
  mixes,
  PRIVATE,
  RANGES,
  ROLLUPS,
  words,
  ZONES,
} from "./mixes.ts";
import { OTHERS } from "./other-commands.ts";
import { REFUSALS } from "./refusals.ts";
import { REPORTS } from "./report-commands.ts";

/** One command line in a copy of a fixture. */
const line = (on: string, command: string): Case => ({
  name: `${on}: ${command}`,
  on,
  steps: [command],
});

const exports: string[] = [
  "export",
  "export --total",
  "export --json",
  "export --quiet",
  ...ROLLUPS.map((name) => `export ${name} --last 3m`),
  ...ROLLUPS.map(
    (name) => `export ${name} --format json --grain month --total --last 3m --compare previous --stdout`,
  ),
  ...FORMATS.map((format) => `export ${ROLLUPS.join(" ")} calls callers --format ${format}`),
  ...FORMATS.map(
    (format) => `export channel campaign calls callers --last 8w --grain week --total --format ${format}`,
  ),
  ...FORMATS.flatMap((format) => [
    `export calls --with ${PRIVATE.join()} --last 3m --format ${format}`,
    `export callers --last 3m --timezone Europe/Berlin --format ${format}`,
    `export --by channel,campaign --grain month --compare previous --fill --total --last 3m --format ${format}`,
    `export --by source,medium --spend --total --last 8w --format ${format}`,
    `export --by utm_campaign,utm_content --top 5 --total --format ${format}`,
    `export --by channel,org_unit --min-cell 5 --total --format ${format}`,
    `export channel --last 4w --format ${format} --stdout`,
  ]),
  ...PRIVATE.map((column) => `export calls --with ${column} --last 4w`),
  "export calls --with summary --with caller_id,recording_url --last 4w --stdout",
  ...["machine", "excel"].flatMap((profile) => [
    `export calls utm_campaign campaign --profile ${profile}`,
    `export calls callers channel --profile ${profile} --format tsv`,
    `export utm_campaign --profile ${profile} --delimiter ';' --total`,
  ]),
  ...[",", "';'", "'|'", "tab"].map((sign) => `export utm_campaign calls --delimiter ${sign}`),
  ...GRAINS.flatMap((grain) =>
    COMPARISONS.flatMap((compare) =>
      ["--last 3m", "--from 2026-09-15 --to 2026-11-04 --timezone Europe/Berlin"].flatMap((range) => [
        words("export channel", range, grain, compare),
        words("export --by channel,weekday --total", range, grain, compare, grain && "--fill"),
      ]),
    ),
  ),
  ...RANGES.flatMap((range, index) => [
    words("export channel weekday hour --total", range),
    words("export channel calls --grain week", range, `--timezone ${ZONES[index % ZONES.length]}`),
  ]),
  ...ZONES.map(
    (zone) =>
      `export hour weekday calls --timezone ${zone} --grain day --from 2026-10-24 --to 2026-11-02 --fill`,
  ),
  ...FILTERS.flatMap((filter) => [
    `export channel calls --total ${filter}`,
    `export --by source,campaign --grain month --last 3m --compare previous --format json ${filter}`,
    `export callers google-ads --spend ${filter}`,
  ]),
  ...["source", "medium", "campaign", "channel", "--by channel,source,campaign"].flatMap((by) => [
    `export ${by} --spend`,
    `export ${by} --spend --grain month --total --fill --compare previous --last 3m`,
  ]),
  "export channel --spend --channel 'Paid Search' --min-duration 60 --last 3m",
  "export channel --spend --from 2025-10-01 --to 2025-10-31",
  "export campaign --spend --source facebook --total",
  "export campaign --spend --top 3 --total --last 3m",
  ...[1, 2, 5, 100].flatMap((top) => [
    `export campaign utm_campaign --top ${top}`,
    `export --by utm_source,utm_campaign --top ${top} --grain month --compare previous --last 3m --fill --total`,
  ]),
  ...[2, 5, 50].flatMap((cell) => [
    `export channel campaign utm_term --min-cell ${cell} --total`,
    `export --by utm_campaign,utm_content --min-cell ${cell} --grain month --compare previous --last 3m`,
    `export --min-cell ${cell} --format xlsx --compare year --last 3m`,
  ]),
  ...ROLLUPS.slice(0, 8).map((name) => `export ${name} --raw --total`),
  "export --by utm_source,utm_medium --raw --grain quarter --compare year --last 3m",
  ...CONVERSIONS.flatMap((kind) => [
    `export ${kind}`,
    `export ${kind} --every --conversion-name 'A call, qualified' --conversion-value 149.50 --currency EUR`,
    `export ${kind} --stdout --last 8w --timezone Europe/Berlin`,
    `export ${kind} --new`,
    `export ${kind} --min-duration 90 --exclude-callers callers.txt --include-gone`,
  ]),
  "export ga4-events --measurement-id G-1A2B3C4D5E",
  "export ga4-events --measurement-id G-1A2B3C4D5E --every --new --conversion-value 2 --currency USD",
  "export google-ads google-leads google-data-manager --ad-user-data granted --ad-personalization denied",
  "export google-ads google-leads google-data-manager microsoft-ads channel calls --last 8w",
  "export google-ads google-ads-adjustments --new --conversion-value 40 --currency EUR",
  "export google-ads-adjustments",
  "export channel google-leads --grain week --last 4w --ad-user-data denied",
  "export channel --out elsewhere/deep",
  "export channel calls --stdout --format xlsx",
  "export channel --stdout --quiet",
  "export calls --stdout --format ndjson --from 2026-11-10",
  "export calls --stdout --format parquet --from 2026-11-10",
  "export channel channel --by channel",
  "export --by channel,channel,source --by medium",
  "export channel --last 4w --json --format xlsx",
  "export google-ads --json --new",
  "export calls --database data/calltally.db --from 2026-11-10",
];

const pages: string[] = [
  "report",
  "report --json",
  "report --stdout",
  "report --quiet",
  "report --out page",
  ...RANGES.filter((range) => range !== "").map((range) => `report ${range}`),
  ...GRAINS.slice(1).map((grain) => `report --last 3m ${grain}`),
  ...COMPARISONS.slice(1).map((compare) => `report --last 8w ${compare} --timezone America/New_York`),
  "report --spend --from 2025-10-01 --to 2025-12-31",
  "report --spend --last 3m",
  ...FILTERS.map((filter) => `report --last 3m ${filter}`),
];

const others = [
  "empty",
  "none",
  "probable",
  "unproven",
  "unfinished",
  "kept",
  "restated",
  "exported",
].flatMap((on) =>
  [
    "export",
    "export channel calls callers --total --last 3m --grain month --compare previous",
    "export channel calls --format xlsx",
    "export channel --stdout --format json",
    "export google-ads google-leads --new",
    "export calls --with caller_id,transcription,summary --exclude-callers callers.txt",
    "export --by source --min-cell 3 --spend",
    "export campaign --spend --total --json",
    "report --last 4w",
    "report --stdout --last 3m --compare year",
    "restatements",
    "uploads list",
  ].map((command) => line(on, command)),
);

const several = (name: string, on: string, ...steps: Step[]): Case => ({ name, on, steps });
const NEXT_DAY = { at: "2026-11-19T09:30:00.000Z" };

const sequences: Case[] = [
  several(
    "new twice",
    "main",
    "export google-ads google-leads --new",
    NEXT_DAY,
    "export google-ads google-leads --new",
    "uploads list",
  ),
  several(
    "new, taken back, new again",
    "main",
    "export google-ads microsoft-ads --new --conversion-value 10 --currency EUR --out up",
    "uploads list --json",
    "uploads forget up/google-ads.csv",
    NEXT_DAY,
    "export google-ads microsoft-ads --new --conversion-value 10 --currency EUR --out up",
    "uploads list",
  ),
  several(
    "adjustments of what has changed",
    "exported",
    { serve: { main: { calls: 1200, seed: 1, stage: 2 } } },
    "sync --full --accept-gone 100",
    "export google-ads google-ads-adjustments --new --conversion-value 55 --currency EUR --out uploads",
    NEXT_DAY,
    "export google-ads google-ads-adjustments --new --conversion-value 55 --currency EUR --out uploads",
    "uploads list --json",
  ),
  several(
    "data manager and ga4 uploads",
    "exported",
    "export google-data-manager ga4-events --new --measurement-id G-1A2B3C4D5E",
    NEXT_DAY,
    "export google-data-manager ga4-events --new --every --measurement-id G-1A2B3C4D5E",
    "uploads list",
  ),
  several(
    "the same files again",
    "main",
    "export channel campaign --last 4w",
    NEXT_DAY,
    "export channel campaign --last 4w",
    "export campaign --last 4w --total",
  ),
  several("fewer files replace more", "main", "export channel campaign calls", "export channel"),
  several(
    "a page below the files",
    "main",
    "export channel --last 4w --grain week",
    "report --last 4w",
    "restatements",
  ),
  several(
    "figures that changed since",
    "exported",
    { serve: { main: { calls: 1200, seed: 1, stage: 2 } } },
    "sync --full --accept-gone 100",
    "restatements",
    "export channel source campaign --last 3m --grain month",
    "restatements --json",
    "restatements --since 2026-11-18 --timezone Asia/Kolkata",
    "export channel --last 8w --grain week --total --out weekly",
    "report --last 4w",
    "restatements",
  ),
  several(
    "restatements in a stream",
    "restated",
    "export channel --last 3m --grain month --stdout",
    "restatements",
  ),
  several(
    "restatements of another format",
    "restated",
    "export channel source campaign --last 3m --grain month --format xlsx",
    "export channel source --last 3m --grain month --format json --out data/exports2",
  ),
  several(
    "restatements with other rules",
    "exported",
    { write: { "aliases.csv": "raw,value\ngoogle,Google\nbing,Google\n" } },
    "export channel source campaign --last 3m --grain month",
    "restatements --json",
  ),
  several(
    "another warehouse's folder",
    "main",
    "export channel",
    { write: { ".env": "CALLTALLY_DATABASE=other.db\n" } },
    { serve: { main: { calls: 50, seed: 9, stage: 2 } } },
    "sync",
    "export channel",
    "export channel --replace",
  ),
  several(
    "a file that was changed by hand",
    "main",
    "export channel campaign",
    { write: { "data/exports/channel.csv": "mine\n", "data/exports/own.txt": "mine\n" } },
    "export channel",
  ),
  several(
    "forgotten callers in files",
    "main",
    "export calls callers google-leads --with caller_id --new",
    "forget +49301000002 --exports",
    "export calls callers google-leads --with caller_id --new",
  ),
  several(
    "settings",
    "main",
    {
      write: {
        ".env":
          "CALLTALLY_TIMEZONE=Asia/Kolkata\nCALLTALLY_EXPORT_DIR=out\nCALLTALLY_QUALIFIED_SECONDS=120\nCALLTALLY_ANSWERED=Handed over\n",
      },
    },
    "export channel calls --last 4w",
    "report --last 4w",
  ),
  several(
    "milliseconds",
    "main",
    { write: { ".env": "CALLTALLY_DURATION_UNIT=milliseconds\n" } },
    "export channel callers --total",
  ),
  several("the job of exports", "main", "job export"),
  several(
    "sync and export",
    "exported",
    { serve: { main: { calls: 1200, seed: 1, stage: 2 } } },
    "sync",
    "export channel source campaign --last 3m --grain month",
    "status --json",
  ),
  several(
    "explained",
    "main",
    "explain 731000100",
    "explain 731000100 --json",
    "explain 731000900 --timezone Europe/Berlin",
    "explain 1",
  ),
  several(
    "spend again",
    "main",
    "spend import costs.csv --json",
    "spend import costs.csv --add",
    "export campaign --spend",
  ),
];

const demo = [
  "export",
  "export channel --last 4w --json",
  "export calls --stdout --last 7d",
  "report",
  "export google-ads --new",
].map((command) => line("demo", `${command} --database data/demo/calltally.db`));

const ofDemo = several(
  "demo",
  "none",
  "demo",
  NEXT_DAY,
  "demo",
  "export channel --database data/demo/calltally.db",
);

export const CASES: readonly Case[] = unique([
  ...exports.map((command) => line("main", command)),
  ...mixes(130, 11).map((command) => line("main", command)),
  ...pages.map((command) => line("main", command)),
  ...others,
  ...sequences,
  ofDemo,
  ...demo,
  ...REPORTS,
  ...ACCOUNTS,
  ...REFUSALS,
  ...LIBRARY,
  ...OTHERS,
  ...OF_CLUSTER,
]);

function unique(cases: readonly Case[]): Case[] {
  return [...new Map(cases.map((each) => [each.name, each])).values()];
}
