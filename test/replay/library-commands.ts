import type { Case } from "./case.ts";

const DATABASE = "data/calltally.db";

const QUESTIONS: object[] = [
  { by: [] },
  { by: ["channel"] },
  {
    by: ["channel", "campaign"],
    grain: "month",
    total: true,
    range: { from: "2026-09-01", to: "2026-11-17" },
  },
  { by: ["source"], spend: true, total: true },
  { by: ["campaign"], top: 3, total: true },
  {
    by: ["channel"],
    grain: "week",
    fill: true,
    compare: "previous",
    range: { from: "2026-10-05", to: "2026-11-15" },
    chance: true,
    timezone: "Europe/Berlin",
  },
  {
    by: ["hour", "weekday"],
    timezone: "Asia/Kolkata",
    filter: { first_time: true, min_duration_seconds: 30 },
  },
  {
    by: ["org_unit"],
    filter: { org_unit: ["Berlin"], exclude_callers: ["+49301000001"], include_gone: true },
  },
  { by: ["utm_campaign"], compare: "year", range: { from: "2026-10-01", to: "2026-10-31" } },
  { by: ["gclid"], filter: { has_gclid: true, source: ["google"] } },
  {
    by: ["topic", "weekday"],
    range: { last: "8w" },
    columns: ["calls", "answer_rate", "median_duration_seconds"],
  },
  {
    by: ["campaign"],
    spend: true,
    columns: ["cost", "cost_per_call"],
    compare: "year",
    range: { last: "3m" },
  },
  // Refused.
  { by: ["channel", "channel"] },
  { by: ["nothing"] },
  { by: [], top: 3 },
  { by: ["channel"], fill: true },
  { by: ["channel"], compare: "previous" },
  { by: ["gclid"], spend: true },
  { by: ["channel"], range: { from: "2026-11-01", to: "2026-10-01" } },
  { by: ["channel"], filter: { source: ["nobody"] } },
  { by: ["channel"], filter: { exclude_callers: ["12"] } },
  { by: ["channel"], timezone: "PST" },
  { by: ["channel"], other: true },
];

const SQL = "SELECT * FROM rollup_campaign ORDER BY calls DESC, campaign";

export const LIBRARY: readonly Case[] = [
  ...["hostile", "milliseconds", "kept"].map(
    (on): Case => ({
      name: `library: lists of ${on}`,
      on,
      steps: [
        { library: ["calls", DATABASE] },
        { library: ["query", DATABASE, SQL] },
        {
          library: ["export", DATABASE, "out", { contents: ["channel", "calls", "callers"], format: "json" }],
        },
        { library: ["export", DATABASE, "out2", { by: ["source", "medium"], spend: true, total: true }] },
      ],
    }),
  ),
  ...QUESTIONS.map(
    (question): Case => ({
      name: `library: rollup ${JSON.stringify(question)}`,
      on: "hostile",
      steps: [{ library: ["rollup", DATABASE, question] }],
    }),
  ),
  ...["hostile", "milliseconds", "empty", "probable", "unfinished", "none", "kept"].map(
    (on): Case => ({
      name: `library: ${on}`,
      on,
      steps: [
        { library: ["readBasis", DATABASE] },
        { library: ["rollup", DATABASE, { by: ["channel"], total: true, grain: "month" }] },
      ],
    }),
  ),
  {
    name: "library: sync",
    on: "exported",
    steps: [
      { serve: { main: { calls: 1200, seed: 1, stage: 2 } } },
      {
        library: [
          "syncWarehouse",
          {
            database: DATABASE,
            baseUrl: "SERVICE",
            token: "main",
            mode: "full",
            settings: { CALLTALLY_ALIASES: "aliases.csv", CALLTALLY_CONCURRENCY: "1" },
          },
        ],
      },
      { library: ["rollup", DATABASE, { by: ["channel"] }] },
      {
        library: [
          "syncWarehouse",
          { database: DATABASE, baseUrl: "SERVICE", token: "main", settings: { CALLTALLY_NOTHING: "1" } },
        ],
      },
    ],
  },
];
