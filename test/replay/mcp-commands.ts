import type { Case } from "./case.ts";

const MONTHS = { from: "2026-09-01", to: "2026-11-17" };

const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ["figures", { by: [] }],
  ["figures", { by: ["channel"], total: true }],
  ["figures", { by: ["campaign"], range: MONTHS, grain: "month", fill: true, total: true }],
  ["figures", { by: ["source", "medium"], range: { last: "8w" }, compare: "previous", chance: true }],
  ["figures", { by: ["utm_campaign"], top: 3, filter: { source: ["google"], first_time: true } }],
  ["figures", { by: ["campaign"], spend: true, range: { last: "3m" }, columns: ["cost", "cost_per_call"] }],
  ["figures", { by: ["hour", "weekday"], timezone: "Asia/Kolkata", range: { last: "4w" } }],
  ["figures", { by: ["tracking_number"], total: true }],
  ["figures", { by: ["nothing"] }],
  ["compare", { range: { last: "4w" } }],
  ["compare", { by: ["source", "campaign"], range: MONTHS, against: "year", top: 5, total: true }],
  ["compare", { by: ["disposition"], range: { last: "last-month" }, filter: { min_duration_seconds: 30 } }],
  ["explain_call", { call_id: 731000100 }],
  ["explain_call", { call_id: 1 }],
  ["what_changed", {}],
  ["what_changed", { since: "2026-11-10" }],
  ["status", {}],
];
const SQL = [
  ["query", { sql: "SELECT * FROM rollup_channel ORDER BY calls DESC" }],
  ["query", { sql: "SELECT * FROM attributed_callers ORDER BY caller LIMIT 20" }],
] as const;

export const MCP: readonly Case[] = [
  ...["demo", "hostile", "milliseconds", "kept", "restated", "empty"].map(
    (on): Case => ({ name: `mcp: ${on}`, on, steps: [{ mcp: "mcp", calls: CALLS }] }),
  ),
  {
    name: "mcp: with personal data",
    on: "hostile",
    steps: [{ mcp: "mcp --personal-data --sql", calls: [...CALLS, ...SQL] }],
  },
  {
    name: "mcp: accounts",
    on: "agency",
    steps: [
      { mcp: "mcp", calls: CALLS.slice(0, 8).map(([tool, args]) => [tool, { account: "south", ...args }]) },
    ],
  },
];
