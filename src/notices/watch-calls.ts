import { remember } from "../attribution/remember.ts";
import { localDate } from "../calendar/local-time.ts";
import { RollupSession } from "../rollup/session.ts";
import type { CampaignKey } from "../rollup/spend-campaigns.ts";
import { hasSpend } from "../spend/spend-table.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import type { LockedWarehouse } from "../warehouse/lock.ts";
import { openReader } from "../warehouse/open.ts";
import { readLastJudged, readLastTrustedRun, type SyncRun, updateRun } from "../warehouse/runs/runs.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { HORIZON_MS, judgeCalls, type WatchedCall, type WatchedKey, WEEK_MS } from "./judge-calls.ts";
import {
  endNotice,
  insertNotice,
  type Notice,
  readAllNotices,
  readLastNews,
  readNotices,
} from "./notice-table.ts";

const HOUR_MS = 3_600_000;
/** A call may be listed only after it has ended. */
const MIN_DELAY_MS = HOUR_MS / 4;
const MAX_DELAY_MS = 24 * HOUR_MS;
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

/**
 * After a sync that read everything new, looks for keys that went silent or far off, and for notices that are over; once
 * for each hour, so that frequent syncs do not find more by chance.
 */
export async function watchCalls(
  warehouse: LockedWarehouse,
  run: SyncRun,
  { timezone, nowMs, onNotice }: WatchOptions,
): Promise<SyncRun> {
  const { calls_read, calls_rejected, calls_withheld } = run;
  const isDoubtful = (calls_withheld ?? 0) > 0 || (calls_rejected ?? 0) > MAX_REJECTED * (calls_read ?? 0);
  if (isDoubtful || run.run_id !== readLastTrustedRun(warehouse)?.run_id) return run;
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
  const past = readNotices(reader, toIso(sinceMs)).map(toPast);
  // A campaign is watched while money is spent on it, and until its notice is over.
  const known = past.flatMap(({ dimension, key, endedMs }) =>
    dimension === "campaign" && endedMs === undefined ? key : [],
  );
  const calls = readWatchedCalls(reader, toIso(sinceMs), new Set([...spent.keys(), ...known]));
  const { started, ended } = judgeCalls(calls, { untilMs, zone: timezone, past, spentMs: spent });
  const [now, before] = [toIso(nowMs), readLastNews(warehouse)];
  const watched = writeTransaction(warehouse, (tx) => {
    for (const { notice, endedMs, reason } of ended)
      endNotice(tx, notice.notice_id, { ended_at: toIso(endedMs), end_reason: reason, end_noticed_at: now });
    for (const { dimension, key, kind, sinceMs, calls, expected } of started)
      insertNotice(tx, {
        dimension,
        key: toKeyColumns({ dimension, key }),
        kind,
        since: toIso(sinceMs),
        calls,
        expected: Number(expected.toFixed(1)),
        judged_until,
        noticed_at: now,
        run_id: run.run_id,
      });
    return updateRun(tx, run.run_id, { judged_until });
  });
  for (const notice of readAllNotices(warehouse)) if (notice.news > before) onNotice?.(notice);
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

/** Returns when the last day of spend of each campaign began, of those in the last week. */
async function readSpentCampaigns(
  warehouse: Warehouse,
  session: RollupSession,
  { untilMs, timezone }: { untilMs: number; timezone: string },
): Promise<Map<string, number>> {
  const startsAt = toIso(untilMs - WEEK_MS);
  const since = localDate(startsAt, timezone);
  if (!hasSpend(warehouse, since)) return new Map();
  const spend = await session.loadSpend(timezone);
  const campaigns = spend.campaigns({ startsAt });
  return new Map(campaigns.map(({ last, ...campaign }) => [toCampaign(campaign), Date.parse(last)]));
}

/** Reads the start and keys of live calls, with these campaigns alone. */
function readWatchedCalls(
  { sqlite }: Warehouse,
  since: string,
  campaigns: ReadonlySet<string>,
): WatchedCall[] {
  const rows = sqlite.prepare<[string], StoredCall>(
    `SELECT call_started, tracking_number, source, campaign, campaign_id FROM call_facts
WHERE is_live AND call_started >= ? ORDER BY call_started`,
  );
  // SQLite returns each value as a text of its own: a million take 100 MB.
  const known = remember((text) => text);
  const shared = (text: string | null) => (text === null ? null : known(text));
  const calls: WatchedCall[] = [];
  for (const { call_started, tracking_number, source, ...ofCampaign } of rows.iterate(since)) {
    const campaign = campaigns.size === 0 ? "" : toCampaign(ofCampaign);
    calls.push({
      startedMs: Date.parse(call_started),
      tracking_number: shared(tracking_number),
      source: shared(source),
      campaign: campaigns.has(campaign) ? shared(campaign) : null,
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

function toPast({ notice_id, dimension, kind, key, since, ended_at, end_reason }: Notice) {
  return {
    notice_id,
    dimension,
    kind,
    key: fromKeyColumns(dimension, key),
    sinceMs: Date.parse(since),
    endedMs: ended_at === null ? undefined : Date.parse(ended_at),
    reason: end_reason,
  };
}

const toIso = (ms: number) => new Date(ms).toISOString();
