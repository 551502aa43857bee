import { setImmediate } from "node:timers/promises";
import { eq, getTableColumns } from "drizzle-orm";
import { hashCall } from "../../call.ts";
import { calls, transcripts } from "../schema.ts";
import type { Warehouse } from "../warehouse.ts";
import { eachBatch } from "./each-call.ts";

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
  const query = db
    .select({ row_hash, ...columns, summary, transcription, transcription_details })
    .from(calls)
    .leftJoin(transcripts, eq(transcripts.call_id, calls.call_id))
    .$dynamic();
  const result: RowHashes = { checked: 0, damaged: 0, damagedIds: [] };
  for (const batch of eachBatch(calls.call_id, query)) {
    for (const call of batch) {
      result.checked++;
      if (hashCall(call) === call.row_hash) continue;
      result.damaged++;
      if (result.damagedIds.length < MOST_NAMED) result.damagedIds.push(call.call_id);
    }
    await setImmediate();
    signal?.throwIfAborted();
  }
  return result;
}

/** Says which calls are not as they were read. */
export function describeDamaged({ damaged, damagedIds }: RowHashes): string {
  const calls = damaged === 1 ? "1 call is not as it was" : `${damaged} calls are not as they were`;
  return `${calls} read from the service: ${damagedIds.join(", ")}${damaged > damagedIds.length ? ", …" : ""}`;
}
