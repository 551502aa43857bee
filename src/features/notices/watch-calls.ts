import type { LockedWarehouse } from "../../warehouse/file/lock.ts";
import { readLastJudged, readLastTrustedRun, type SyncRun, updateRun } from "../../warehouse/runs/runs.ts";
import { writeTransaction } from "../../warehouse/transaction.ts";
import type { EndOfSync } from "../feature.ts";
import type { Notice } from "../notice.ts";
import { CallHours, type CallKeys, type DayOfCalls, type WatchedKey } from "./call-hours.ts";
import { HORIZON_MS, judgeCalls } from "./judge-calls.ts";
import { WEEK_MS } from "./local-days.ts";
import { toNotice } from "./notice-book.ts";
import {
  endNotice,
  insertNotice,
  type NoticeRow,
  readAllNotices,
  readLastNews,
  readNotices,
} from "./notice-table.ts";
import { readSpentDays, toCampaign } from "./spent-days.ts";
import { countChangedDays, MAX_DELAY, parseKeys, readWatchedDays, type WatchedDay } from "./watched-days.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const QUARTER_MS = HOUR_MS / 4;
/** In quarters of an hour: a call may be listed only after it has ended. */
const MIN_DELAY = 1;
/** With a larger share of rows that cannot be read, calls may only look as if they were missing. */
const MAX_REJECTED = 0.01;
/** With fewer recent calls it is unknown how late calls are listed. */
const MIN_RECENT = 20;

interface WatchOptions {
  /** IANA zone of weekdays and hours. */
  timezone: string;
  nowMs: number;
  /** Receives each notice that is new or over. */
  onNotice?: ((notice: Notice) => void) | undefined;
}

/** Watches calls where notices are on, and ends what is open where they are off. */
export function watchAfterSync(
  warehouse: LockedWarehouse,
  run: SyncRun,
  { clock, notices, ...options }: EndOfSync,
): SyncRun {
  if (notices === false) stopWatching(warehouse, clock.now());
  return notices ? watchCalls(warehouse, run, { ...options, nowMs: clock.now() }) : run;
}

/**
 * After a sync that read everything new, looks for keys that went silent or far off, and for notices that are over; once
 * for each hour, so that frequent syncs do not find more by chance.
 */
export function watchCalls(
  warehouse: LockedWarehouse,
  run: SyncRun,
  { timezone, nowMs, onNotice }: WatchOptions,
): SyncRun {
  const { calls_read, calls_rejected, calls_withheld } = run;
  const isDoubtful = (calls_withheld ?? 0) > 0 || (calls_rejected ?? 0) > MAX_REJECTED * (calls_read ?? 0);
  if (isDoubtful || run.run_id !== readLastTrustedRun(warehouse)?.run_id) return run;
  const seenMs = Date.parse(run.started_at) + (run.clock_ahead_ms ?? 0);
  const [now, before] = [toIso(nowMs), readLastNews(warehouse)];
  const watched = writeTransaction(warehouse, (tx) => {
    countChangedDays(tx, seenMs - HORIZON_MS - DAY_MS, seenMs);
    const [numbers, visits] = [readWatchedDays(tx, "numbers"), readWatchedDays(tx, "visits")];
    const delayMs = listingDelayMs(numbers.filter(({ day }) => day * DAY_MS > seenMs - 2 * WEEK_MS));
    if (delayMs === undefined) return run;
    const untilHour = Math.floor((seenMs - delayMs) / HOUR_MS);
    const judged_until = fromHour(untilHour);
    const last = readLastJudged(tx) ?? "";
    // A clock that was wrong must not end it.
    if (judged_until <= last && last <= toIso(seenMs)) return run;
    const past = readNotices(tx, toIso(untilHour * HOUR_MS - HORIZON_MS)).map(toPast);
    const spent = readSpentDays(tx, toIso(seenMs - HORIZON_MS).slice(0, "YYYY-MM-DD".length), visits);
    const toDays = (days: readonly WatchedDay[]) => parseDays(days, (campaign) => spent.has(campaign));
    const calls = new CallHours({
      numbers: toDays(numbers),
      visits: toDays(visits),
      readCalls: () => toDays(readWatchedDays(tx, "calls")),
    });
    const { started, ended } = judgeCalls(calls, { untilHour, zone: timezone, past, spent });
    for (const { notice, endedHour, reason } of ended)
      endNotice(tx, notice.notice_id, {
        ended_at: fromHour(endedHour),
        end_reason: reason,
        end_noticed_at: now,
      });
    for (const { dimension, key, kind, sinceHour, calls, expected } of started)
      insertNotice(tx, {
        dimension,
        key: toKeyColumns({ dimension, key }),
        kind,
        since: fromHour(sinceHour),
        calls,
        expected: Number(expected.toFixed(1)),
        judged_until,
        noticed_at: now,
        run_id: run.run_id,
      });
    return updateRun(tx, run.run_id, { judged_until });
  });
  for (const notice of readAllNotices(warehouse)) if (notice.news > before) onNotice?.(toNotice(notice));
  return watched;
}

/** Ends open notices, without a word, when notices are switched off. */
export function stopWatching(warehouse: LockedWarehouse, nowMs: number): void {
  const now = toIso(nowMs);
  const open = readNotices(warehouse);
  if (open.length === 0) return;
  writeTransaction(warehouse, (tx) => {
    for (const { notice_id } of open)
      endNotice(tx, notice_id, { ended_at: now, end_reason: "switched off", end_noticed_at: now });
  });
}

/**
 * Returns how late calls are listed: of 100 recent calls, 99 were in the first list that was read so long after their
 * start. A service that lists calls late is not silent. Undefined with too few calls.
 */
function listingDelayMs(days: readonly WatchedDay[]): number | undefined {
  const listed = Array.from({ length: MAX_DELAY + 1 }, (_, quarters) =>
    days.reduce((sum, { delays }) => sum + (delays[quarters] ?? 0), 0),
  );
  const total = listed.reduce((sum, calls) => sum + calls, 0);
  if (total < MIN_RECENT) return undefined;
  let [quarters, later] = [MAX_DELAY, listed[MAX_DELAY] ?? 0];
  while (quarters > MIN_DELAY && later <= Math.floor(total / 100)) later += listed[--quarters] ?? 0;
  return quarters * QUARTER_MS;
}

/** Parses the keys of days: campaigns are those with spend. */
function parseDays(days: readonly WatchedDay[], isWatched: (campaign: string) => boolean): DayOfCalls[] {
  const known = new Map<string, CallKeys>();
  const keysOf = (json: string): CallKeys => {
    const { tracking_number, source, ...ofCampaign } = parseKeys(json);
    const campaign = toCampaign(ofCampaign);
    const keys = { tracking_number, source, campaign: isWatched(campaign) ? campaign : null };
    known.set(json, keys);
    return keys;
  };
  return days.map((day) => ({ ...day, keys: day.keys.map((json) => known.get(json) ?? keysOf(json)) }));
}

/** Returns the key columns of a watched key, as JSON. */
function toKeyColumns({ dimension, key }: WatchedKey): string {
  if (dimension === "all") return "{}";
  return dimension === "campaign" ? key : JSON.stringify({ [dimension]: key });
}

/** Inverse of {@link toKeyColumns}. */
function fromKeyColumns(dimension: WatchedKey["dimension"], columns: NoticeRow["key"]): string {
  return dimension === "campaign" ? JSON.stringify(columns) : (columns[dimension] ?? "");
}

function toPast({ notice_id, dimension, kind, key, since, ended_at, end_reason }: NoticeRow) {
  return {
    notice_id,
    dimension,
    kind,
    key: fromKeyColumns(dimension, key),
    sinceHour: Math.floor(Date.parse(since) / HOUR_MS),
    endedHour: ended_at === null ? undefined : Math.floor(Date.parse(ended_at) / HOUR_MS),
    reason: end_reason,
  };
}

const toIso = (ms: number) => new Date(ms).toISOString();
const fromHour = (hour: number) => toIso(hour * HOUR_MS);
