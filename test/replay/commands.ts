import { ACCOUNTS } from "./account-commands.ts";
import { type Case, line, type Step } from "./case.ts";
import { OF_CLUSTER } from "./cluster-commands.ts";
import { FIGURE_CASES } from "./figures.ts";
import { FIXTURES } from "./fixtures.ts";
import { LIBRARY } from "./library-commands.ts";
import { MCP } from "./mcp-commands.ts";
import { OTHERS } from "./other-commands.ts";
import { REFUSALS } from "./refusals.ts";
import { REPORTS } from "./report-commands.ts";

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
    "hostile",
    "export google-ads google-leads --new",
    NEXT_DAY,
    "export google-ads google-leads --new",
    "uploads list",
  ),
  several(
    "new, taken back, new again",
    "hostile",
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
    "hostile",
    "export channel campaign --last 4w",
    NEXT_DAY,
    "export channel campaign --last 4w",
    "export campaign --last 4w --total",
  ),
  several("fewer files replace more", "hostile", "export channel campaign calls", "export channel"),
  several(
    "a page below the files",
    "hostile",
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
    "hostile",
    "export channel",
    { write: { ".env": "CALLTALLY_DATABASE=other.db\n" } },
    { serve: { main: { calls: 50, seed: 9, stage: 2 } } },
    "sync",
    "export channel",
    "export channel --replace",
  ),
  several(
    "a file that was changed by hand",
    "hostile",
    "export channel campaign",
    { write: { "data/exports/channel.csv": "mine\n", "data/exports/own.txt": "mine\n" } },
    "export channel",
  ),
  several(
    "forgotten callers in files",
    "hostile",
    "export calls callers google-leads --with caller_id --new",
    "forget +49301000002 --exports",
    "export calls callers google-leads --with caller_id --new",
  ),
  several(
    "settings",
    "hostile",
    {
      write: {
        ".env":
          "CALLTALLY_TIMEZONE=Asia/Kolkata\nCALLTALLY_EXPORT_DIR=out\nCALLTALLY_QUALIFIED_SECONDS=120\nCALLTALLY_ANSWERED=Handed over\n",
      },
    },
    "export channel calls --last 4w",
    "report --last 4w",
  ),
  several("the job of exports", "hostile", "job export"),
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
    "hostile",
    "explain 731000100",
    "explain 731000100 --json",
    "explain 731000900 --timezone Europe/Berlin",
    "explain 1",
  ),
  several(
    "spend again",
    "hostile",
    "spend import costs.csv --json",
    "spend import costs.csv --add",
    "export campaign --spend",
  ),
];

const ofDemo = several("demo, twice", "none", "demo", NEXT_DAY, "demo");

/** The whole fixture, of the build that made it: of interest with --own. */
const OF_FIXTURES = Object.keys(FIXTURES).map(
  (on): Case => ({ name: `fixture ${on}`, on, steps: [], isWhole: true }),
);

export const CASES: readonly Case[] = unique([
  ...FIGURE_CASES,
  ...OF_FIXTURES,
  ...others,
  ...sequences,
  ofDemo,
  ...REPORTS,
  ...ACCOUNTS,
  ...REFUSALS,
  ...LIBRARY,
  ...MCP,
  ...OTHERS,
  ...OF_CLUSTER,
]);

function unique(cases: readonly Case[]): Case[] {
  return [...new Map(cases.map((each) => [each.name, each])).values()];
}
