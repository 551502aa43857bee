import { getTableColumns } from "drizzle-orm";
import { shownFacts, shownName } from "../../calls/facts.ts";
import { call_facts } from "../../warehouse/calls/facts.ts";

/** A table of an account's rows, each identified by a number. */
export interface AccountTable {
  name: string;
  /** What identifies a row of an account. */
  key: string;
  /** Types of current versions; the key comes first. */
  columns: Readonly<Record<string, string>>;
  /** The time whose UTC month a row belongs to. */
  time: string;
}

/** Columns of `call_facts` that `attributed_calls` shows under another name. */
export const SHOWN_AS: Readonly<Record<string, string>> = {
  duration: "duration_seconds",
  caller_id: "caller",
  ...Object.fromEntries(shownFacts("conversation").map((fact) => [fact, shownName(fact)])),
};

const TEXT = "LowCardinality(Nullable(String))";

/** With nearly as many values as calls. */
const MANY_VALUED: readonly string[] = ["caller_id", "gclid"];

/** `changed_calls` marks what has changed. */
const { changed_ms: _, ...facts } = getTableColumns(call_facts);
export const FACTS = Object.keys(facts);

function typeOf(name: string, { dataType, notNull }: { dataType: string; notNull: boolean }): string {
  if (name === "call_started") return "Nullable(DateTime64(3, 'UTC'))";
  if (name === "duration") return "Nullable(Float64)";
  if (MANY_VALUED.includes(name)) return "Nullable(String)";
  if (dataType === "boolean") return "UInt8";
  if (dataType === "string") return notNull ? "LowCardinality(String)" : TEXT;
  return notNull ? "Int64" : "Nullable(Int64)";
}

/** Milliseconds as an integer, so that sums are exact. */
export const DURATION_MS = "toInt64(round(duration_seconds * 1000))";

/** Columns as in `attributed_calls`; `is_live` and the last one are only here. */
export const CALLS_TABLE: AccountTable = {
  name: "calls",
  key: "call_id",
  columns: {
    ...Object.fromEntries(
      Object.entries(facts).map(([name, column]) => [SHOWN_AS[name] ?? name, typeOf(name, column)]),
    ),
    local_day: "Nullable(Date)",
    local_weekday: TEXT,
    local_hour: "Nullable(UInt8)",
    call_started_ms: "Nullable(Int64)",
  },
  time: "call_started",
};

export const SPEND_TABLE: AccountTable = {
  name: "spend",
  key: "spend_id",
  columns: {
    spend_id: "Int64",
    day: "String",
    source: "LowCardinality(String)",
    medium: "LowCardinality(String)",
    campaign: TEXT,
    campaign_id: TEXT,
    cost_micros: "Int64",
    currency: "LowCardinality(String)",
    clicks: "Nullable(Int64)",
    impressions: "Nullable(Int64)",
    file: "LowCardinality(String)",
    imported_at: "LowCardinality(String)",
  },
  time: "day",
};

/** The state of each account, one row per version; the greatest version counts. */
export const PUBLISHED_TABLE = "published";

/** The name of the part of a table on one server. */
export function localName(name: string): string {
  return `${name}_local`;
}
