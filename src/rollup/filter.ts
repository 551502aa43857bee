import type { Database } from "better-sqlite3";
import { foldUtm, toPhoneDigits } from "../call.ts";
import {
  CAMPAIGN,
  CHANNEL,
  COMPARABLE_DISPOSITION,
  IS_FIRST,
  isAtLeast,
  NOT_SET,
  phoneDigits,
  present,
  SOURCE,
} from "./row.ts";
import { type RollupRules, spellings } from "./rules.ts";

/** A stretch of time, ISO 8601 UTC with milliseconds; open where an end is missing. */
export interface Span {
  startsAt?: string;
  /** Not part of it. */
  endsAt?: string;
}

/**
 * Which calls count; of a list, one that fits is enough, and the case of ASCII letters does not matter. `(not set)` stands
 * for calls without a value.
 */
export interface CallFilter {
  /** Names or ids of org units. */
  org_unit?: readonly string[];
  channel?: readonly string[];
  /** As the dimension `source` has them; case does not matter. */
  source?: readonly string[];
  /** Names or ids of campaigns, as the dimension `campaign` has them. */
  campaign?: readonly string[];
  /** Case, `-` and `_` do not matter. */
  disposition?: readonly string[];
  min_duration_seconds?: number;
  /** Callers' first calls in the warehouse alone. */
  first_time?: true;
  has_gclid?: true;
  /** Digits and `+`; other signs do not matter. */
  tracking_number?: readonly string[];
  /** Phone numbers whose calls are left out, such as one's own test calls. */
  exclude_callers?: readonly string[];
  /** Counts calls that the service does not show any more. */
  include_gone?: true;
}

/** Conditions over `calls AS c`, and the values they name. */
export interface Conditions {
  sql: string[];
  values: Record<string, string | number>;
}

/** Returns the conditions of a filter. */
export function filterConditions(filter: CallFilter, rules: RollupRules): Conditions {
  const conditions: Conditions = { sql: [], values: {} };
  const add = (sql: string, values: Conditions["values"] = {}) => {
    conditions.sql.push(sql);
    Object.assign(conditions.values, values);
  };
  const addList = (name: string, columns: readonly string[], texts: readonly string[] | undefined) => {
    if (texts === undefined) return;
    const isIn = columns.map(
      (column) => `${column} COLLATE NOCASE IN (SELECT value FROM json_each(@${name}))`,
    );
    add(`(${isIn.join(" OR ")})`, { [name]: JSON.stringify(texts) });
  };
  const orNotSet = (sql: string) => `coalesce(${sql}, '${NOT_SET}')`;

  if (!filter.include_gone) add("c.gone_at IS NULL");
  addList("org_units", [orNotSet(present("org_unit_name")), "cast(c.org_unit_id AS text)"], filter.org_unit);
  addList("channels", [CHANNEL], filter.channel);
  addList(
    "sources",
    [orNotSet(SOURCE)],
    filter.source?.map((text) => foldUtm(text) || NOT_SET),
  );
  addList("campaigns", [orNotSet(CAMPAIGN), present("campaign_id")], filter.campaign);
  addList(
    "dispositions",
    [`coalesce(nullif(${COMPARABLE_DISPOSITION}, ''), '${NOT_SET}')`],
    filter.disposition && spellings(filter.disposition),
  );
  addList(
    "tracking_numbers",
    [orNotSet(`nullif(${phoneDigits("tracking_number")}, '')`)],
    filter.tracking_number?.map((text) => (text === NOT_SET ? text : toPhoneDigits(text))),
  );
  if (filter.exclude_callers !== undefined) {
    // A number may have lost its plus sign on the way here; one that is not left out would be a silent mistake.
    const listed = "(SELECT ltrim(value, '+') FROM json_each(@excluded_callers))";
    add(`coalesce(ltrim(${phoneDigits("caller_id")}, '+'), '') NOT IN ${listed}`, {
      excluded_callers: JSON.stringify(filter.exclude_callers),
    });
  }
  if (filter.min_duration_seconds !== undefined) add(isAtLeast(filter.min_duration_seconds, rules));
  if (filter.first_time) add(IS_FIRST);
  if (filter.has_gclid) add(`${present("gclid")} IS NOT NULL`);
  return conditions;
}

/** Returns the conditions of a stretch of time; a call of unknown time is in none that has an end. */
export function spanConditions({ startsAt, endsAt }: Span, name: string): Conditions {
  return {
    sql: [
      ...(startsAt === undefined ? [] : [`c.call_started >= @${name}_starts_at`]),
      ...(endsAt === undefined ? [] : [`c.call_started < @${name}_ends_at`]),
    ],
    values: {
      ...(startsAt !== undefined && { [`${name}_starts_at`]: startsAt }),
      ...(endsAt !== undefined && { [`${name}_ends_at`]: endsAt }),
    },
  };
}

/** Counts the phone numbers that no call is from; of numbers as {@link CallFilter} has them. */
export function countUnknownCallers(database: Database, numbers: readonly string[]): number {
  const unknown = database.prepare<[string], number>(`SELECT count(*) FROM json_each(?)
    WHERE ltrim(value, '+') NOT IN (SELECT coalesce(ltrim(${phoneDigits("caller_id")}, '+'), '') FROM calls AS c)`);
  return unknown.pluck().get(JSON.stringify(numbers)) ?? 0;
}
