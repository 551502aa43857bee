import { setImmediate } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { hashCall } from "../../call.ts";
import type { Warehouse } from "../warehouse.ts";
import { calls } from "./calls.ts";
import { eachBatch } from "./each-call.ts";
import { transcripts, WHOLE_CALL } from "./transcripts.ts";

const MAX_NAMED = 10;

export interface RowHashes {
  checked: number;
  /** Calls whose stored content is not what was read from the service. */
  damaged: number;
  damagedIds: number[];
}

/** Recomputes each call's hash: SQLite's own check only looks at the structure. */
export async function checkRowHashes({ db }: Warehouse, signal?: AbortSignal): Promise<RowHashes> {
  const query = db
    .select({ row_hash: calls.row_hash, ...WHOLE_CALL })
    .from(calls)
    .leftJoin(transcripts, eq(transcripts.call_id, calls.call_id))
    .$dynamic();
  const result: RowHashes = { checked: 0, damaged: 0, damagedIds: [] };
  for (const batch of eachBatch(calls.call_id, query)) {
    for (const call of batch) {
      result.checked++;
      if (hashCall(call) === call.row_hash) continue;
      result.damaged++;
      if (result.damagedIds.length < MAX_NAMED) result.damagedIds.push(call.call_id);
    }
    await setImmediate();
    signal?.throwIfAborted();
  }
  return result;
}

export function describeDamaged({ damaged, damagedIds }: RowHashes): string {
  const calls = damaged === 1 ? "1 call differs from what was" : `${damaged} calls differ from what was`;
  return `${calls} read from the service: ${damagedIds.join(", ")}${damaged > damagedIds.length ? ", …" : ""}`;
}
