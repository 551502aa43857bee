import { remember } from "../attribution/remember.ts";
import { localDate } from "../calendar/local-time.ts";
import { RollupSession } from "../rollup/session.ts";
import type { CampaignKey } from "../rollup/spend-campaigns.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import type { LockedWarehouse } from "../warehouse/lock.ts";
import { openReader } from "../warehouse/open.ts";
import { readLastJudged, readLastTrustedRun, type SyncRun, updateRun } from "../warehouse/runs/runs.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { HORIZON_MS, judgeCalls, type WatchedCall, type WatchedKey, WEEK_MS } from "./judge-calls.ts";
import { endNotice, insertNotice, type Notice, newsAt, readAllNotices, readNotices } from "./notice-table.ts";

const HOUR_MS = 3_600_000;
/** A call may be listed only after it has ended. */
const MIN_DELAY_MS = HOUR_MS / 4;
const MAX_DELAY_MS = 24 * HOUR_MS;
/** With fewer recent calls it is unknown how late calls are listed. */
const MIN_RECENT = 20;

interface WatchOptions {
  /** IANA zone of weekdays and hours. */
  timezone: string;
  nowMs: number;
  /** Receives each notice that is new or over. */
  onNotice?: ((notice: Notice) => void) | undefined;
}

/**
 * After a sync that read everything new, looks for keys that went silent or far off, and for notices that are over; once
 * for each hour, so that frequent syncs do not find more by chance.
 */
export async function watchCalls(
  warehouse: LockedWarehouse,
  run: SyncRun,
  { timezone, nowMs, onNotice }: WatchOptions,
): Promise<SyncRun> {
  if (run.run_id !== readLastTrustedRun(warehouse)?.run_id || run.calls_withheld) return run;
  using reader = openReader(warehouse);
  using session = new RollupSession(reader.sqlite, { rules: readRulesInForce(reader).rules });
  const seenMs = Date.parse(run.started_at) + (run.clock_ahead_ms ?? 0);
  const delayMs = readListingDelayMs(reader, seenMs);
  if (delayMs === undefined) return run;
  const untilMs = Math.floor((seenMs - delayMs) / HOUR_MS) * HOUR_MS;
  const judged_until = toIso(untilMs);
  const last = readLastJudged(reader) ?? "";
  // A clock that was wrong must not end it.
  if (judged_until <= last && last <= toIso(seenMs)) return run;
  const sinceMs = untilMs - HORIZON_MS;
  const spent = await readSpentCampaigns(reader, session, { untilMs, timezone });
  const calls = readWatchedCalls(reader, toIso(sinceMs), spent);
  const past = readNotices(reader, toIso(sinceMs)).map(
    ({ notice_id, dimension, kind, key, since, ended_at }) => ({
      ...{ notice_id, dimension, kind, key: fromKeyColumns(dimension, key), sinceMs: Date.parse(since) },
      endedMs: ended_at === null ? undefined : Date.parse(ended_at),
    }),
  );
  const { started, ended } = judgeCalls(calls, { untilMs, zone: timezone, past });
  const now = toIso(nowMs);
  const watched = writeTransaction(warehouse, (tx) => {
    for (const { notice, endedMs, reason } of ended)
      endNotice(tx, notice.notice_id, { ended_at: toIso(endedMs), end_reason: reason, end_noticed_at: now });
    for (const { dimension, key, kind, sinceMs, calls, expected } of started)
      insertNotice(tx, {
        ...{ dimension, kind, calls, judged_until, noticed_at: now, run_id: run.run_id },
        key: toKeyColumns({ dimension, key }),
        since: toIso(sinceMs),
        expected: Number(expected.toFixed(1)),
      });
    return updateRun(tx, run.run_id, { judged_until });
  });
  for (const notice of readAllNotices(warehouse)) if (newsAt(notice) === now) onNotice?.(notice);
  return watched;
}

/**
 * Returns how late calls are listed: of 100 recent calls, 99 were in the first list that was read so long after their
 * start. A service that lists calls late is not silent. Undefined if too few calls tell.
 */
function readListingDelayMs({ sqlite }: Warehouse, seenMs: number): number | undefined {
  const lateness = sqlite
    .prepare<[string], number>(
      `WITH before AS (
  SELECT run_id, lag(unixepoch(started_at, 'subsec') + coalesce(clock_ahead_ms, 0) / 1000.0) OVER (ORDER BY run_id) AS seen
  FROM sync_runs WHERE verdict IN ('exact', 'verified', 'probable')
)
SELECT before.seen - unixepoch(f.call_started, 'subsec') AS seconds
FROM call_facts AS f JOIN calls AS c ON c.call_id = f.call_id JOIN before ON before.run_id = c.first_run_id
WHERE f.call_started >= ? AND before.seen IS NOT NULL ORDER BY seconds DESC`,
    )
    .pluck()
    .all(toIso(seenMs - 2 * WEEK_MS));
  const seconds = lateness[Math.floor(lateness.length / 100)];
  if (seconds === undefined || lateness.length < MIN_RECENT) return undefined;
  return Math.min(Math.max(seconds * 1000, MIN_DELAY_MS), MAX_DELAY_MS);
}

/** Returns the keys of campaigns on which money was spent in the last week, since others may have been paused. */
async function readSpentCampaigns(
  { sqlite }: Warehouse,
  session: RollupSession,
  { untilMs, timezone }: { untilMs: number; timezone: string },
): Promise<ReadonlySet<string>> {
  const startsAt = toIso(untilMs - WEEK_MS);
  const since = localDate(startsAt, timezone);
  if (sqlite.prepare("SELECT 1 FROM spend WHERE day >= ?").get(since) === undefined) return new Set();
  const spend = await session.loadSpend(timezone);
  return new Set(spend.campaigns({ startsAt }).map(toCampaign));
}

/** Reads the start and keys of live calls; a campaign without spend is not watched. */
function readWatchedCalls({ sqlite }: Warehouse, since: string, spent: ReadonlySet<string>): WatchedCall[] {
  const rows = sqlite.prepare<[string], StoredCall>(
    `SELECT call_started, tracking_number, source, campaign, campaign_id FROM call_facts
WHERE is_live AND call_started >= ? ORDER BY call_started`,
  );
  // SQLite returns each value as a text of its own: a million take 100 MB.
  const known = remember((text) => text);
  const shared = (text: string | null) => (text === null ? null : known(text));
  const calls: WatchedCall[] = [];
  for (const { call_started, tracking_number, source, ...ofCampaign } of rows.iterate(since)) {
    const campaign = spent.size === 0 ? "" : toCampaign(ofCampaign);
    calls.push({
      startedMs: Date.parse(call_started),
      tracking_number: shared(tracking_number),
      source: shared(source),
      campaign: spent.has(campaign) ? shared(campaign) : null,
    });
  }
  return calls;
}

interface StoredCall extends CampaignKey {
  call_started: string;
  tracking_number: string | null;
  source: string | null;
}

const toCampaign = ({ campaign, campaign_id }: CampaignKey) => JSON.stringify({ campaign, campaign_id });

/** Returns the key columns of a watched key, as JSON. */
function toKeyColumns({ dimension, key }: WatchedKey): string {
  if (dimension === "all") return "{}";
  return dimension === "campaign" ? key : JSON.stringify({ [dimension]: key });
}

/** Inverse of {@link toKeyColumns}. */
function fromKeyColumns(dimension: WatchedKey["dimension"], columns: Notice["key"]): string {
  return dimension === "campaign" ? JSON.stringify(columns) : (columns[dimension] ?? "");
}

const toIso = (ms: number) => new Date(ms).toISOString();
