import {
  and,
  count,
  eq,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  max,
  min,
  not,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { TOLERANCE_MS } from "../../base/clock.ts";
import { countRows } from "../counts.ts";
import { idsOfRun } from "../runs/page-table.ts";
import { readLastUsablePass } from "../runs/runs.ts";
import type { Tx } from "../transaction.ts";
import type { Reader, Warehouse } from "../warehouse.ts";
import { setLive } from "./call-facts.ts";
import { readCallCount } from "./call-table.ts";
import { calls } from "./calls.ts";

const HOUR_MS = 3_600_000;

export interface AbsenceOptions {
  runId: number;
  /** Start of that pass, ISO 8601 UTC. */
  startedAt: string;
  /** Whether the list is ordered by id instead of start, so the lower id is the older call. */
  isById: boolean;
  /** How far the service's clock was ahead of ours during that pass; null if unknown. */
  clockAheadMs: number | null;
  /** How long a call has to be missing before it is marked as gone. */
  waitMs: number;
  /** If more calls are newly missing than this, they are not marked. */
  limit: (listedCalls: number) => number;
}

export interface Absence {
  calls_missing: number;
  calls_gone: number;
  /** Calls newly missing, but over the missing-call threshold: nothing was marked. */
  calls_withheld: number;
  calls_unlisted: number;
}

/** Marks the calls that a verified full pass did not meet: first as missing, and some hours later as gone. */
export function markAbsent(tx: Tx, options: AbsenceOptions): Absence {
  const { db } = tx;
  const { runId, startedAt, limit } = options;
  const now = markedAt(options);
  const isAbsent = sql`${calls.call_id} NOT IN (${idsOfRun(runId)})`;
  // If the clock was ahead when they went missing, they must not have to wait for that time.
  const isAhead = and(isNull(calls.gone_at), gt(calls.missing_since, startedAt));
  db.update(calls).set({ missing_since: now }).where(isAhead).run();
  const calls_unlisted = markUnlisted(tx, options);

  const newlyMissing = and(MAY_BE_LISTED, isNull(calls.missing_since), isAbsent);
  const missing = countRows(tx, calls, newlyMissing);
  if (missing > limit(countRows(tx, calls, MAY_BE_LISTED)))
    return { calls_missing: 0, calls_gone: 0, calls_withheld: missing, calls_unlisted };

  const isGone = and(isNull(calls.gone_at), isLongAgo(calls.missing_since, options), isAbsent);
  const calls_gone = markGone(tx, isGone, { gone_at: startedAt });
  if (missing > 0) db.update(calls).set({ missing_since: now }).where(newlyMissing).run();
  return { calls_missing: missing, calls_gone, calls_withheld: 0, calls_unlisted };
}

function markGone(tx: Tx, isGone: SQL | undefined, marks: { gone_at: string; missing_since?: SQL }): number {
  const gone = tx.db.update(calls).set(marks).where(isGone).returning({ call_id: calls.call_id }).all();
  setLive(tx, idsOf(gone), false);
  return gone.length;
}

/**
 * Whether a call was missing before every run that may have begun less than the wait ago, i.e. the runs after the
 * last one that began long enough ago by our clock and, if known, by the service's. A run dated before an earlier one
 * cannot be that last one, because its clock was behind.
 */
function isLongAgo(since: SQLiteColumn, { runId, startedAt, clockAheadMs, waitMs }: AbsenceOptions): SQL {
  const beganMs = Date.parse(startedAt) - waitMs;
  const began = new Date(beganMs).toISOString();
  const servedMs = clockAheadMs === null ? null : beganMs + clockAheadMs + TOLERANCE_MS;
  const lastLongAgo = sql`SELECT max(run_id) FROM (
      SELECT run_id, started_at, clock_ahead_ms, max(started_at) OVER (ORDER BY run_id) AS latest
      FROM sync_runs WHERE run_id < ${runId} AND started_at <= ${startedAt})
    WHERE started_at = latest AND started_at <= ${began}
      AND (${servedMs} IS NULL OR unixepoch(started_at, 'subsec') * 1000 + clock_ahead_ms <= ${servedMs})`;
  return sql`${since} <= ${began} AND (${since} < (SELECT min(started_at) FROM sync_runs
    WHERE run_id < ${runId} AND run_id > coalesce((${lastLongAgo}), 0))) IS NOT FALSE`;
}

/** When a pass found a call absent: not before the run began, even if the clock was set back during it. */
function markedAt({ runId, startedAt }: AbsenceOptions): SQL {
  return sql`max(${startedAt}, (SELECT started_at FROM sync_runs WHERE run_id = ${runId}))`;
}

/** Neither gone nor unlisted: the service should list them. */
const MAY_BE_LISTED = and(isNull(calls.gone_at), isNull(calls.unlisted_since));

/**
 * Marks the calls that the pass did not meet and that are no younger than the oldest call it met: they have left the
 * list, as when a service lists only the last 180 days, and may still exist. An empty list has no oldest call.
 */
function markUnlisted({ db }: Tx, { runId, startedAt, isById }: AbsenceOptions): number {
  const { call_id, call_started, unlisted_since } = calls;
  const ids = idsOfRun(runId);
  const { first, lowest } = db.get<{ first: string | null; lowest: number | null }>(
    sql`SELECT min(call_started) AS first, min(call_id) AS lowest FROM calls WHERE call_id IN (${ids})`,
  );
  if (lowest === null) return 0;
  const isOlder = or(lte(call_started, first ?? ""), isById ? lt(call_id, lowest) : undefined);
  db.update(calls)
    .set({ unlisted_since: null })
    .where(and(isNotNull(unlisted_since), sql`(${isOlder}) IS NOT TRUE`))
    .run();
  return db
    .update(calls)
    .set({ unlisted_since: startedAt, missing_since: null, absent_since: null, absent_passes: null })
    .where(and(MAY_BE_LISTED, isOlder, sql`${call_id} NOT IN (${ids})`))
    .run().changes;
}

/** Consecutive passes without an order key that must miss a call before it is marked as gone. */
const UNORDERED_PASSES = 3;

/** Without an order key: counts the consecutive passes that missed each call, and marks calls as gone after enough of them. */
export function markUnorderedAbsent(tx: Tx, options: AbsenceOptions): Absence {
  const { runId, startedAt, limit } = options;
  const now = markedAt(options);
  const isMet = sql`${calls.call_id} IN (${idsOfRun(runId)})`;
  const calls_unlisted = markUnlisted(tx, options);
  forgetUnorderedAbsent(tx, isMet);
  tx.db
    .update(calls)
    .set({
      absent_since: sql`min(coalesce(${calls.absent_since}, ${now}), ${now})`,
      absent_passes: sql`coalesce(${calls.absent_passes}, 0) + 1`,
    })
    .where(and(MAY_BE_LISTED, not(isMet)))
    .run();
  const isEnough = and(
    isNull(calls.gone_at),
    gte(calls.absent_passes, UNORDERED_PASSES),
    isLongAgo(calls.absent_since, options),
  );
  const gone = countRows(tx, calls, isEnough);
  const calls_missing = countRows(tx, calls, and(isNull(calls.gone_at), eq(calls.absent_passes, 1)));
  if (gone > limit(countRows(tx, calls, MAY_BE_LISTED)))
    return { calls_missing, calls_gone: 0, calls_withheld: gone, calls_unlisted };
  markGone(tx, isEnough, { missing_since: sql`${calls.absent_since}`, gone_at: startedAt });
  forgetUnorderedAbsent(tx, isNotNull(calls.gone_at));
  return { calls_missing, calls_gone: gone, calls_withheld: 0, calls_unlisted };
}

/** Resets the counts of consecutive passes, because another kind of pass intervened. */
export function forgetUnorderedAbsent({ db }: Warehouse, where?: SQL): void {
  db.update(calls)
    .set({ absent_since: null, absent_passes: null })
    .where(and(isNotNull(calls.absent_since), where))
    .run();
}

/** Clears the marks of calls that are listed again; returns how many there were. */
export function clearAbsence(tx: Tx, callIds: readonly number[]): number {
  const isOneOf = sql`${calls.call_id} IN (SELECT value FROM json_each(${JSON.stringify(callIds)}))`;
  forgetUnorderedAbsent(tx, isOneOf);
  const returned = tx.db
    .update(calls)
    .set({ missing_since: null, gone_at: null, unlisted_since: null })
    .where(and(or(isNotNull(calls.missing_since), isNotNull(calls.unlisted_since)), isOneOf))
    .returning({ call_id: calls.call_id })
    .all();
  setLive(tx, idsOf(returned), true);
  return returned.length;
}

export function hasAbsentCalls({ db }: Reader): boolean {
  return [calls.missing_since, calls.absent_since, calls.unlisted_since].some(
    (column) =>
      db.select({ id: calls.call_id }).from(calls).where(isNotNull(column)).limit(1).get() !== undefined,
  );
}

export interface UnlistedCalls {
  calls: number;
  /** When the first of them was found to have left the list, ISO 8601 UTC. */
  since: string;
}

export function readUnlisted({ db }: Reader): UnlistedCalls | null {
  const { unlisted_since } = calls;
  const unlisted = db
    .select({ calls: count(), since: min(unlisted_since) })
    .from(calls)
    .where(isNotNull(unlisted_since))
    .get();
  return unlisted?.since ? { calls: unlisted.calls, since: unlisted.since } : null;
}

export interface MissingCalls {
  calls: number;
  /** From when on a full pass that misses the last of them, too, marks it as gone, ISO 8601 UTC. */
  until: string;
}

/** Reads the calls that proven passes did not meet, and that still count. */
export function readMissing(warehouse: Reader): MissingCalls | null {
  const { missing_since, absent_since } = calls;
  const missing = warehouse.db
    .select({ calls: count(), since: max(sql<string>`coalesce(${missing_since}, ${absent_since})`) })
    .from(calls)
    .where(and(isNull(calls.gone_at), or(isNotNull(missing_since), isNotNull(absent_since))))
    .get();
  if (!missing?.since) return null;
  const waitMs = (readLastUsablePass(warehouse)?.gone_after_hours ?? 0) * HOUR_MS;
  return { calls: missing.calls, until: new Date(Date.parse(missing.since) + waitMs).toISOString() };
}

/** Returns how many calls the latest usable pass missed, but exceeded the missing-call threshold. */
export function readWithheld(warehouse: Reader): number {
  return readLastUsablePass(warehouse)?.calls_withheld ?? 0;
}

/** Counts the calls that the service should list, including listed rows that could not be parsed. */
export function countExpected(warehouse: Reader, sinceRunId: number): number {
  const missing = countRows(warehouse, calls, isNotNull(calls.missing_since));
  const unlisted = countRows(warehouse, calls, isNotNull(calls.unlisted_since));
  return readCallCount(warehouse) - missing - unlisted + countUnread(warehouse, sinceRunId);
}

/** Counts the rows that the service has listed since a run, and that are in no call here. */
export function countUnread({ db }: Reader, sinceRunId: number): number {
  return db.get<{ unread: number }>(sql`SELECT count(*) AS unread FROM rejected_calls AS r
    WHERE r.last_run_id >= ${sinceRunId}
      AND NOT EXISTS (SELECT 1 FROM calls AS c WHERE c.call_id = r.call_id)`).unread;
}

function idsOf(rows: readonly { call_id: number }[]): number[] {
  return rows.map(({ call_id }) => call_id);
}
