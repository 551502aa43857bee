import { describeOrder } from "../../paging/order-key.ts";
import { countCalls, readNewestCall } from "../calls/call-table.ts";
import { readDrift } from "../calls/drift.ts";
import { countAllRejected } from "../calls/rejected.ts";
import type { Warehouse } from "../warehouse.ts";
import { readLastDoneRun, readLastVerifiedPass } from "./runs.ts";

export type Basis = ReturnType<typeof readBasis>;

export function readBasis(reader: Warehouse) {
  const run = readLastDoneRun(reader);
  const verified = readLastVerifiedPass(reader);
  return {
    /** Calls that count here, and the service's count at the last finished sync. */
    calls: countCalls(reader).live,
    total: run?.last_total ?? null,
    /** The order of the list, in words; null before the first sync. */
    order: run === undefined ? null : describeOrder(run),
    verified: verified === undefined ? null : { run_id: verified.run_id, finished_at: verified.finished_at },
    newest_call: readNewestCall(reader),
    /** Rows that could not be parsed, and are in no figure. */
    rejected: countAllRejected(reader),
    drift: [...new Set(readDrift(reader).map(({ path }) => path))],
  };
}
