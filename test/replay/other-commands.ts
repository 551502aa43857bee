import type { Case, Step } from "./case.ts";
import type { Listing } from "./service.ts";

/** Commands that read the warehouse or the settings. */
const COMMANDS = [
  "status",
  "status --json",
  "status --runs 2 --max-age 1h",
  "restatements",
  "restatements --json",
  "uploads list --json",
  "privacy log",
  "prune --dry-run",
  "config check",
  "config show",
  "config show --json",
  "query 'SELECT * FROM rollup_campaign ORDER BY 1, 2 LIMIT 8'",
  "query 'SELECT * FROM attributed_calls ORDER BY call_id LIMIT 3' --format json",
  "query 'SELECT * FROM calls ORDER BY call_id LIMIT 40' --format csv",
  "query 'SELECT call_id FROM calls' --max-rows 5",
  "query 'DELETE FROM calls'",
  ...["attributed_calls", "attributed_callers", "rollup_utm_source", "rollup_gclid", "rollup_channel"].map(
    (view) => `query 'SELECT * FROM ${view} ORDER BY 1' --format csv`,
  ),
  "query 'SELECT local_weekday, local_hour, count(*), avg(duration_seconds) FROM attributed_calls GROUP BY 1, 2 ORDER BY 1, 2'",
  "topics",
  "topics --json",
  "topics leak",
  "topics --try new-topics.csv",
  "spend list",
  "verify",
  "verify --json",
  "explain 731000100",
  "doctor --deep",
];

const ONCE = [
  "schema",
  "schema calls",
  "schema --json",
  "schema --datasette",
  "schema nothing",
  "config schema",
  "config schema --reference",
  "completion bash",
  "--version",
  "--help",
  "nothing",
  "backup copy.db",
  "backup copy.db --json",
  "forget +49301000002",
  "forget +49301000445 --json",
  "forget 12",
  "prune",
  "query 'SELECT 1",
  "query 'SELECT nothing'",
];

const serving = (listing: Partial<Listing>): Step => ({
  serve: { main: { calls: 1200, seed: 1, stage: 2, ...listing } },
});
const sync = (name: string, on: string, listing: Partial<Listing>, ...steps: Step[]): Case => ({
  name: `sync: ${name}`,
  on,
  steps: [serving(listing), ...steps],
});

export const OTHERS: readonly Case[] = [
  ...[
    "hostile",
    "milliseconds",
    "demo",
    "empty",
    "none",
    "unproven",
    "unfinished",
    "restated",
    "kept",
    "agency",
  ].flatMap((on) =>
    COMMANDS.map((command): Case => ({ name: `others, ${on}: ${command}`, on, steps: [command] })),
  ),
  ...ONCE.map((command): Case => ({ name: `others: ${command}`, on: "hostile", steps: [command] })),
  {
    name: "others: query -",
    on: "hostile",
    steps: [
      { command: "query - --format csv", input: "SELECT channel, calls FROM rollup_channel ORDER BY 1" },
    ],
  },
  sync("doctor", "hostile", {}, "doctor --deep --all", "doctor --json"),
  sync("what is due", "exported", {}, "sync"),
  sync("incremental", "exported", {}, "sync --incremental", "status"),
  sync("small pages", "exported", {}, "sync --full --limit 50 --json", "export channel"),
  sync("nothing new", "hostile", {}, "sync", "sync --full"),
  sync(
    "too many are gone",
    "hostile",
    { calls: 400 },
    "sync --full",
    { at: "2026-11-18T20:00:00.000Z" },
    "sync --full",
    "export channel",
  ),
  sync(
    "gone and back",
    "exported",
    {},
    "sync --full --accept-gone 50",
    serving({ stage: 0 }),
    { at: "2026-11-19T06:00:00.000Z" },
    "sync --full --accept-gone 900",
    { at: "2026-11-19T16:00:00.000Z" },
    "sync --full --accept-gone 900",
    serving({ stage: 2 }),
    "sync --full",
    "export channel --include-gone",
  ),
  sync("oldest first", "none", { mode: "oldest" }, "sync", "export channel"),
  sync("in no order", "none", { calls: 150, mode: "shuffled" }, "sync --limit 40", "export channel"),
  sync("odd rows", "none", { calls: 150, mode: "odd" }, "sync", "status", "export channel calls"),
  sync(
    "refused from the second page on",
    "hostile",
    { mode: "failing" },
    "sync --full --limit 100",
    "status",
  ),
  sync(
    "another account",
    "hostile",
    { seed: 99 },
    { write: { ".env": "CALLTALLY_ORG_UNIT_ID=7\n" } },
    "sync",
    "sync --rebind",
  ),
  { name: "sync: no token", on: "hostile", steps: [{ serve: {} }, "sync", "status --json"] },
  {
    name: "sync: of accounts",
    on: "agency",
    steps: [
      { serve: { north: { calls: 300, seed: 2, stage: 2 }, south: { calls: 250, seed: 3, stage: 2 } } },
      // Together, they end in any order.
      ...["north", "south", "idle"].map((name) => `sync --account ${name}`),
      "status",
    ],
  },
  sync(
    "what is not kept",
    "hostile",
    {},
    { write: { ".env": "CALLTALLY_KEEP_TRANSCRIPTS=never\nCALLTALLY_KEEP_CALLER_NUMBERS=30d\n" } },
    "prune --dry-run --json",
    "prune",
    "sync --full",
    "export callers calls --with caller_id,transcription",
    "privacy log --json",
  ),
  sync(
    "other rules",
    "hostile",
    {},
    {
      write: {
        ".env":
          "CALLTALLY_ANSWERED=answered,handed over\nCALLTALLY_MISSED=busy,nothing\nCALLTALLY_QUALIFIED_SECONDS=30\n",
      },
    },
    "sync",
    "export channel --last 3m --grain month",
  ),
  {
    name: "backup and restore",
    on: "hostile",
    steps: [
      "export google-leads --new",
      "backup copy.db",
      "forget +49301000445",
      "restore copy.db",
      "export callers --last 3m",
      "restore callers.txt",
    ],
  },
  { name: "backup of accounts", on: "agency", steps: ["backup backups/{account}.db", "backup one.db"] },
  {
    name: "spend of accounts",
    on: "agency",
    steps: [
      {
        write: {
          "north.csv": "day,cost,currency,source\n2026-11-01,3.5,EUR,google\n",
          "south.csv": "day,cost,currency,source\n2026-11-01,4,EUR,bing\n",
        },
      },
      "spend import {account}.csv",
      "export --by account,source --spend",
    ],
  },
];
