import { asc, count, eq, isNull, lt, or } from "drizzle-orm";
import { blob, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import type { CampaignKey } from "../../sources/spend-campaigns.ts";
import { about, describeTable } from "../../warehouse/described.ts";
import {
  findOutdated,
  isOther,
  replaceOutdated,
  type SchemaObjects,
} from "../../warehouse/stored-objects.ts";
import type { Tx } from "../../warehouse/transaction.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import type { TriggerFamily } from "../feature.ts";
import type { DayOfCalls } from "./call-hours.ts";

const KINDS = ["numbers", "visits", "calls"] as const;

const columns = {
  day: about(text().notNull(), "UTC day, YYYY-MM-DD."),
  kind: about(
    text({ enum: KINDS }).notNull(),
    "numbers: calls by tracking number; visits: by source and campaign; calls: by all of them.",
  ),
  keys: about(
    text(),
    "JSON array of the keys of its calls, each JSON of number, source, campaign's name and id; null if to be counted again.",
    "scratch",
  ),
  cells: about(
    blob({ mode: "buffer" }).notNull(),
    "Pairs of 32 bits, little-endian: index of the keys × 24 + hour, and the number of calls.",
  ),
  delays: about(
    text().notNull(),
    "JSON array: how many calls were first listed so many quarters of an hour after their start; the last is a day or more.",
  ),
};

export const watched_days = sqliteTable("watched_days", columns, (table) => [
  primaryKey({ columns: [table.day, table.kind] }),
]);
export const WATCHED_DAYS = describeTable(
  watched_days,
  "Calls by hour and key, counted for `notices`, one row per day and kind; triggers delete the days whose calls change.",
);

// Triggers delete what has changed, whatever writes. They exist only once calls have been judged.

const DAY_MS = 86_400_000;
const KEYS = ["tracking_number", "source", "campaign", "campaign_id"];
const forget = (...rows: ("OLD" | "NEW")[]) =>
  `DELETE FROM watched_days WHERE day IN (${rows.map((row) => `substr(${row}.call_started, 1, 10)`).join(", ")});`;
export const COUNT_TRIGGERS: SchemaObjects = {
  recount_new_call: `AFTER INSERT ON call_facts BEGIN ${forget("NEW")} END`,
  recount_changed_call: `AFTER UPDATE ON call_facts WHEN ${isOther(["is_live", "call_started", ...KEYS])} BEGIN ${forget("OLD", "NEW")} END`,
  recount_removed_call: `AFTER DELETE ON call_facts BEGIN ${forget("OLD")} END`,
};

export const COUNTED: TriggerFamily = { family: COUNT_TRIGGERS, needed: "watched_days" };

/** Quarters of an hour; later calls are not distinguished. */
export const MAX_DELAY = 96;

export interface WatchedDay extends Omit<DayOfCalls, "keys"> {
  /** JSON of number, source, campaign's name and id. */
  keys: readonly string[];
  /** How many calls were first listed so many quarters of an hour after their start. */
  delays: readonly number[];
}

/** Counts those UTC days up to a moment again whose calls have changed. */
export function countChangedDays(tx: Tx, sinceMs: number, untilMs: number): void {
  const { db, sqlite } = tx;
  if (findOutdated(sqlite, "TRIGGER", COUNT_TRIGGERS).length > 0) {
    replaceOutdated(sqlite, "TRIGGER", COUNT_TRIGGERS);
    // Changes made meanwhile are unknown.
    db.delete(watched_days).run();
  }
  const [first, last] = [Math.floor(sinceMs / DAY_MS), Math.floor(untilMs / DAY_MS)];
  const isOutdated = or(lt(watched_days.day, dateOf(first)), isNull(watched_days.keys));
  db.delete(watched_days).where(isOutdated).run();
  const days = db.select({ day: watched_days.day }).from(watched_days).groupBy(watched_days.day);
  const counted = days.having(eq(count(), KINDS.length)).all();
  const known = new Set(counted.map(({ day }) => day));
  for (let day = first; day <= last; day++) {
    const date = dateOf(day);
    if (known.has(date)) continue;
    const { delays, counts } = countDay(tx, date);
    for (const kind of KINDS) {
      const values = { ...counts[kind].encode(), delays: JSON.stringify(delays) };
      db.insert(watched_days)
        .values({ day: date, kind, ...values })
        .onConflictDoUpdate({ target: [watched_days.day, watched_days.kind], set: values })
        .run();
    }
  }
}

/** Reads the counted calls of each UTC day. */
export function readWatchedDays({ db }: Reader, kind: (typeof KINDS)[number]): WatchedDay[] {
  const select = db.select().from(watched_days).where(eq(watched_days.kind, kind));
  const rows = select.orderBy(asc(watched_days.day)).all();
  return rows.map(({ day, keys, cells, delays }) => ({
    day: Date.parse(day) / DAY_MS,
    keys: z.array(z.string()).parse(JSON.parse(String(keys))),
    // A copy, since the numbers in it have to begin at a multiple of their size.
    cells: new Uint32Array(new Uint8Array(cells).buffer),
    delays: z.array(z.number()).parse(JSON.parse(delays)),
  }));
}

const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

class Counts {
  readonly #indexes = new Map<string, number>();
  readonly #cells = new Map<number, number>();

  add(keys: readonly unknown[], hour: number): void {
    const key = JSON.stringify(keys);
    const index = this.#indexes.get(key) ?? this.#indexes.size;
    this.#indexes.set(key, index);
    const cell = index * 24 + hour;
    this.#cells.set(cell, (this.#cells.get(cell) ?? 0) + 1);
  }

  encode(): { keys: string; cells: Buffer } {
    const cells = Uint32Array.from([...this.#cells].flat());
    return { keys: JSON.stringify([...this.#indexes.keys()]), cells: Buffer.from(cells.buffer) };
  }
}

function countDay({ sqlite }: Tx, date: string) {
  const rows = sqlite.prepare<
    [string, string],
    [hour: number, delay: number | null, number: unknown, source: unknown, campaign: unknown, id: unknown]
  >(
    `WITH before AS (
  SELECT run_id, lag(unixepoch(started_at, 'subsec') + coalesce(clock_ahead_ms, 0) / 1000.0) OVER (ORDER BY run_id) AS seen
  FROM sync_runs WHERE verdict IN ('exact', 'verified', 'probable')
)
SELECT CAST(substr(f.call_started, 12, 2) AS INTEGER), (before.seen - unixepoch(f.call_started, 'subsec')) / 900,
  ${KEYS.map((key) => `f.${key}`).join(", ")}
FROM call_facts AS f JOIN calls AS c ON c.call_id = f.call_id LEFT JOIN before ON before.run_id = c.first_run_id
WHERE f.is_live AND f.call_started >= ? AND f.call_started < ? || '~'`,
  );
  const counts = { numbers: new Counts(), visits: new Counts(), calls: new Counts() };
  const delays = new Array<number>(MAX_DELAY + 1).fill(0);
  for (const [hour, delay, number, ...visit] of rows.raw().iterate(date, date)) {
    counts.numbers.add([number], hour);
    counts.visits.add([null, ...visit], hour);
    counts.calls.add([number, ...visit], hour);
    if (delay === null) continue;
    const quarters = Math.min(Math.max(Math.ceil(delay), 0), MAX_DELAY);
    delays[quarters] = (delays[quarters] ?? 0) + 1;
  }
  return { counts, delays };
}

const keysSchema = z.array(z.string().nullable());

/** Returns the number, source and campaign in the JSON of keys. */
export function parseKeys(
  json: string,
): CampaignKey & { tracking_number: string | null; source: string | null } {
  const [tracking_number = null, source = null, campaign = null, campaign_id = null] = keysSchema.parse(
    JSON.parse(json),
  );
  return { tracking_number, source, campaign, campaign_id };
}
