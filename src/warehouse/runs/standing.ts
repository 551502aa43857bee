import { readUnsettled } from "../calls/first-load.ts";
import { readUnlisted, readWithheld, type Unlisted } from "../calls/gone.ts";
import { type DescribedOrigin, describeOrigin, readOrigin } from "../origin.ts";
import type { Warehouse } from "../warehouse.ts";
import { readLastDoneRun, type SyncRun } from "./runs.ts";

export interface Standing {
  run: (Pick<SyncRun, "run_id" | "finished_at" | "verdict_reason"> & { verdict: string | null }) | null;
  origin: DescribedOrigin;
  /**
   * Calls that went missing at once, over the missing-call threshold, and still count. Null for a number too small to
   * share.
   */
  withheld_calls: number | null;
  /** Calls older than any that the service lists, which still count; null if none. */
  unlisted: Unlisted | null;
  /** A first load is running or was interrupted, so first calls are not settled yet. */
  first_load: boolean;
}

export function readStanding(reader: Warehouse): Standing {
  const { run_id, finished_at = null, verdict = null, verdict_reason = null } = readLastDoneRun(reader) ?? {};
  return {
    run: run_id === undefined ? null : { run_id, finished_at, verdict, verdict_reason },
    origin: describeOrigin(readOrigin(reader)),
    withheld_calls: readWithheld(reader),
    unlisted: readUnlisted(reader),
    first_load: readUnsettled(reader) > 0,
  };
}
