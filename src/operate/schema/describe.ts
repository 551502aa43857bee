import Database from "better-sqlite3";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { COMMON_NAME } from "../../calls/facts.ts";
import { type Metric, metrics } from "../../figures/metrics.ts";
import { type View, viewsOf } from "../../warehouse/calls/views.ts";
import { ZONE_VIEW, zoneViewText } from "../../warehouse/calls/zone-view.ts";
import type { DescribedColumn } from "../../warehouse/described.ts";
import { TABLES } from "./schema.ts";

export interface Description {
  name: string;
  kind: "table" | "view";
  /** What a row is, one sentence. */
  help: string;
  columns: readonly ColumnDescription[];
}

type ColumnDescription = Pick<DescribedColumn, "name" | "type" | "help">;

/** Columns of views that are no column of a table. */
const NAMED: ReadonlyMap<string, Omit<ColumnDescription, "name">> = new Map([
  [
    "duration_seconds",
    { type: "real", help: "Length of the call, in seconds; whole if it is served in seconds." },
  ],
  [
    "call_started_local",
    {
      type: "text",
      help: "Start in CALLTALLY_TIMEZONE, `YYYY-MM-DD HH:MM:SS`, as the last sync had it; exact from 2000 to 2049.",
    },
  ],
  [
    "job_stage",
    { type: "text", help: "How far the call's jobs came: sold, booked or lost; NULL without a job." },
  ],
  [
    "revenue",
    { type: "real", help: "What the call's sold jobs earned, less refunds; NULL without an amount." },
  ],
  [
    "changed_at",
    {
      type: "text",
      help: "When its content, a fact or a job last changed, ISO 8601 UTC; a later transaction has a later one, even if the clock was set back.",
    },
  ],
  ["campaign", { type: "text", help: COMMON_NAME }],
  ["first_campaign", { type: "text", help: `Of the first call: ${COMMON_NAME}` }],
  ["local_day", { type: "text", help: "Day of call_started_local." }],
  ["local_weekday", { type: "text", help: "Weekday of call_started_local, Monday to Sunday." }],
  ["local_hour", { type: "integer", help: "Hour of call_started_local, 0 to 23." }],
]);

const ZONE_OFFSETS: Description = {
  name: ZONE_VIEW,
  kind: "view",
  help: "Offsets of CALLTALLY_TIMEZONE from UTC, from the year 2000 to 2049, as the last sync had it.",
  columns: [
    { name: "starts_at", type: "text", help: "From when on it applies, ISO 8601 UTC; empty for the first." },
    { name: "offset_seconds", type: "integer", help: "How far local time is ahead of UTC." },
  ],
};

const METRIC_TYPES: Record<Metric["type"], string> = { integer: "integer", decimal: "real", time: "text" };

/** Describes a warehouse of this version, views first. Needs no warehouse. */
export function describeSchema(rules: Pick<AttributionRules, "duration_unit">): Description[] {
  const tables = TABLES.map(({ name, help, columns }): Description => {
    const described = columns.map((column) => ({ name: column.name, type: column.type, help: column.help }));
    return { name, kind: "table", help, columns: described };
  });
  const empty = new Database(":memory:");
  try {
    for (const { name, columns } of tables) {
      empty.exec(
        `CREATE TABLE ${name} (${columns.map((column) => `${column.name} ${column.type}`).join(", ")})`,
      );
    }
    empty.exec(`CREATE VIEW ${ZONE_VIEW} AS ${zoneViewText("UTC")}`);
    const views = viewsOf(rules).map((view) => describeView(view, empty, tables, rules));
    return [...views, ZONE_OFFSETS, ...tables];
  } finally {
    empty.close();
  }
}

/** A view's column is a table's column, a figure, or a key of its rows. */
function describeView(
  { name, help, sql }: View,
  empty: Database.Database,
  tables: readonly Description[],
  rules: Pick<AttributionRules, "duration_unit">,
): Description {
  const find = (table: string | null, column: string) =>
    tables
      .find((candidate) => candidate.name === table)
      ?.columns.find((candidate) => candidate.name === column);
  const figures = new Map(
    metrics(rules).map((metric) => [metric.name, { type: METRIC_TYPES[metric.type], help: metric.help }]),
  );
  const columns = empty
    .prepare(sql)
    .columns()
    .map((column, index): ColumnDescription => {
      const key = { type: "text", help: `The dimension ${column.name}; (not set) for calls without one.` };
      const meaning =
        NAMED.get(column.name) ??
        find(column.table, column.column ?? "") ??
        figures.get(column.name) ??
        (index === 0 ? key : (find("calls", column.name) ?? find("transcripts", column.name)));
      if (meaning === undefined) throw new Error(`Nothing says what ${name}.${column.name} is`);
      return { ...meaning, name: column.name };
    });
  return { name, kind: "view", help, columns };
}
