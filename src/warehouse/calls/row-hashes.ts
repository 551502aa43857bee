import { setImmediate } from "node:timers/promises";
import { asc, eq, getTableColumns, gt, sql } from "drizzle-orm";
import { hashCall } from "../../call.ts";
import { calls, transcripts } from "../schema.ts";
import type { Warehouse } from "../warehouse.ts";

const BATCH_ROWS = 1000;
/** Below every identifier, which are safe integers. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER - 1;
const MOST_NAMED = 10;

export interface RowHashes {
  /** Calls whose hash was computed again. */
  checked: number;
  /** Calls whose stored content is not what was read from the service. */
  damaged: number;
  /** The first ten of them. */
  damagedIds: number[];
}

/**
 * Computes the hash of every stored call anew and compares it with the one that was stored when the call was read. This
 * finds damage that SQLite's own check does not, which looks at the structure alone.
 *
 * Reads in batches, since a long reader keeps the write-ahead log from shrinking.
 */
export async function checkRowHashes({ db }: Warehouse, signal?: AbortSignal): Promise<RowHashes> {
  // Only what is hashed: a backup of an older version may lack other columns.
  const { row_hash, served_hash, withheld, caller_digest, ...rest } = getTableColumns(calls);
  const {
    first_run_id,
    changed_run_id,
    missing_since,
    absent_since,
    absent_passes,
    unlisted_since,
    gone_at,
    ...columns
  } = rest;
  const { summary, transcription, transcription_details } = transcripts;
  const select = db
    .select({ row_hash, call: { ...columns, summary, transcription, transcription_details } })
    .from(calls)
    .leftJoin(transcripts, eq(transcripts.call_id, calls.call_id))
    .where(gt(calls.call_id, sql.placeholder("last")))
    .orderBy(asc(calls.call_id))
    .limit(BATCH_ROWS)
    .prepare();
  const result: RowHashes = { checked: 0, damaged: 0, damagedIds: [] };
  let last = BEFORE_ALL;
  for (;;) {
    const rows = select.all({ last });
    for (const { row_hash: stored, call } of rows) {
      last = call.call_id;
      result.checked++;
      if (hashCall(call) === stored) continue;
      result.damaged++;
      if (result.damagedIds.length < MOST_NAMED) result.damagedIds.push(call.call_id);
    }
    if (rows.length < BATCH_ROWS) return result;
    await setImmediate();
    signal?.throwIfAborted();
  }
}

/** Says which calls are not as they were read. */
export function describeDamaged({ damaged, damagedIds }: RowHashes): string {
  const calls = damaged === 1 ? "1 call is not as it was" : `${damaged} calls are not as they were`;
  return `${calls} read from the service: ${damagedIds.join(", ")}${damaged > damagedIds.length ? ", …" : ""}`;
}
