import type { Case, Step } from "./case.ts";
import { DIMENSIONS, FORMATS, withDrawnOptions } from "./figures.ts";

const PASSWORD = { CALLTALLY_PUBLISH_PASSWORD_FILE: "cluster.password" };

/** Databases that are published before the first case. */
export const PUBLISHED = [
  { database: "main", on: "hostile", env: PASSWORD },
  { database: "personal", on: "hostile", env: { ...PASSWORD, CALLTALLY_PUBLISH_PERSONAL_DATA: "true" } },
  { database: "agency", on: "agency", env: PASSWORD },
  { database: "empty", on: "empty", env: PASSWORD },
  { database: "unproven", on: "unproven", env: PASSWORD },
  { database: "kept", on: "kept", env: PASSWORD },
] as const;

const MAIN = [
  "export",
  "export --json",
  "export --quiet --total",
  ...DIMENSIONS.filter((name) => name !== "gclid").map(
    (name) => `export ${name} --last 3m --grain month --total`,
  ),
  "export channel campaign --last 8w --grain week --fill --compare previous --total --format json",
  "export --by channel,source --compare year --last 3m --grain quarter",
  "export campaign --top 3 --total --last 8w --grain week --compare previous",
  "export --by channel,campaign --min-cell 5 --total",
  "export channel source --spend --total --last 8w --grain week --fill",
  "export campaign --spend --top 4 --last 3m --compare previous",
  ...FORMATS.flatMap((format) => [
    `export channel utm_campaign weekday hour --format ${format}`,
    `export utm_campaign --stdout --format ${format}`,
  ]),
  "export utm_campaign --profile excel --delimiter ';'",
  "export hour weekday --timezone America/New_York --last 4w",
  "export hour --timezone Asia/Kolkata --from 2026-10-24 --to 2026-11-02 --grain day --fill",
  "export channel --source google --min-duration 60 --first-time",
  "export channel --exclude-callers callers.txt --include-gone",
  "export channel --campaign 111 --campaign Generic --org-unit Berlin --org-unit 10",
  "export channel --tracking-number +49896543210 --disposition answered",
  "export channel --has-gclid --channel 'Paid Search'",
  "export channel --source nobody",
  "export channel --source nobody --allow-empty",
  "export channel --out elsewhere --json",
  "export channel --stdout --quiet",
  "report --last 4w",
  "report --last 3m --compare year --timezone America/New_York --json",
  "report --stdout --spend --last 8w",
  "report --source google --exclude-callers callers.txt --out page",
  // Refused.
  "export utm_source --raw",
  "export calls",
  "export channel callers",
  "export google-ads",
  "export gclid",
  "export --by gclid,channel",
  "export channel --fill",
  "export channel --min-cell 3 --top 3",
  "export channel --with caller_id",
  "export channel --account other",
  "export --by account,channel",
  "report --from 2026-10-01",
  "export channel --stdout --json",
];

const AGENCY = [
  "export channel --account north",
  "export channel --account south --last 4w --grain week --total",
  "export channel --account idle",
  "export --by account,channel",
  "export --by account,channel --last 3m --grain month --compare previous --spend --format json",
  "export --by account,source --stdout --account north --account south",
  "export --by account --json --source google",
  "report --account south --last 4w",
  // Refused.
  "export channel",
  "export channel --account nobody",
  "export --by account --total",
  "export --by account --raw",
  "export --by account,gclid",
  "export channel --stdout",
];

const PAIRS = DIMENSIONS.slice(1).flatMap((dimension, index) => [
  `--by ${dimension},${DIMENSIONS[index]}`,
  dimension,
]);

const on = (fixture: string, database: string, command: string, server = "CLUSTER"): Case => ({
  name: `cluster ${database}${server === "CLUSTER" ? "" : ` by ${server}`}, ${fixture}: ${command}`,
  on: fixture,
  steps: [`${command} --engine ${server}/${database}`],
  env: PASSWORD,
  isOfCluster: true,
});

const report = (name: string, keys: string, ...steps: Step[]): Case => ({
  name: `cluster report ${name}`,
  on: "hostile",
  steps: [
    { write: { "calltally.yaml": `reports:\n  weekly: ${keys}\n`, "hook.url": "SERVICE/hook/one\n" } },
    ...steps,
  ],
  env: PASSWORD,
  isOfCluster: true,
});
const SAVE = "{command: [cp, -r, '{folder}', delivered]}";

export const OF_CLUSTER: readonly Case[] = [
  ...MAIN.map((command) => on("hostile", "main", command)),
  ...withDrawnOptions(PAIRS, "hostile", 12).map((command) => on("hostile", "personal", command)),
  ...["export channel --total", "export gclid", "report --last 4w"].flatMap((command) =>
    ["FIRST", "SECOND"].map((server) => on("hostile", "personal", command, server)),
  ),
  ...["export", "export gclid --top 5", "export channel --exclude-callers callers.txt", "report"].map(
    (command) => on("hostile", "personal", command),
  ),
  ...["empty", "unproven", "kept"].flatMap((name) =>
    [
      "export",
      "export channel --last 3m --grain month --compare previous --total --spend",
      "report --last 4w",
    ].map((command) => on(name, name, command)),
  ),
  ...AGENCY.flatMap((command) => [on("agency", "agency", command), on("none", "agency", command)]),
  on("hostile", "nothing", "export channel"),
  {
    ...on("hostile", "main", "export channel"),
    name: "cluster: a wrong password",
    env: { CALLTALLY_PUBLISH_PASSWORD_FILE: "callers.txt" },
  },
  report(
    "of figures",
    "{contents: [channel, campaign], range: {last: 4w}, grain: week, total: true, engine: CLUSTER/main}",
    "run weekly",
  ),
  report(
    "as a workbook",
    "{contents: [channel], range: {last: 3m}, compare: previous, format: xlsx, engine: CLUSTER/main}",
    "run weekly --json",
  ),
  report(
    "as a page, delivered",
    `{format: html, range: {last: 4w}, engine: CLUSTER/main, deliver: [${SAVE}, {webhook: {url_file: hook.url}}]}`,
    "run weekly --deliver",
  ),
  report("of gclid", "{contents: [gclid], engine: CLUSTER/main}", "run weekly"),
  report("of gclid, published", "{contents: [gclid], top: 3, engine: CLUSTER/personal}", "run weekly"),
  report("of calls", "{contents: [calls], engine: CLUSTER/main}", "run weekly"),
  {
    name: "cluster: published by the build",
    on: "hostile",
    steps: [
      { drop: "own_of_a_build" },
      "publish --to CLUSTER/own_of_a_build",
      "export channel --engine CLUSTER/own_of_a_build",
      { serve: { main: { calls: 1200, seed: 1, stage: 1 } } },
      "sync --full --accept-gone 200",
      "publish --to CLUSTER/own_of_a_build --json",
      "export channel --total --engine CLUSTER/own_of_a_build",
      "status --json",
    ],
    env: PASSWORD,
    isOfCluster: true,
  },
];
