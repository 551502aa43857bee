import { describeOrder } from "../../paging/order-key.ts";
import { countCalls, readNewestCall } from "../calls/call-table.ts";
import { readDrift } from "../calls/drift.ts";
import { readUnsettled } from "../calls/first-load.ts";
import { readUnlisted, readWithheld, type Unlisted } from "../calls/gone.ts";
import { countAllRejected } from "../calls/rejected.ts";
import { type DescribedOrigin, describeOrigin, readOrigin } from "../origin.ts";
import type { Warehouse } from "../warehouse.ts";
import { type CertificateMark, readCertificateMark } from "./certificate-table.ts";
import { readLastDoneRun, readLastVerifiedPass, type SyncRun } from "./runs.ts";

export interface Basis {
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
  /** What proves the last proven full pass; null if there is none. */
  certificate: CertificateMark | null;
}

export function readBasis(reader: Warehouse): Basis {
  const { run_id, finished_at = null, verdict = null, verdict_reason = null } = readLastDoneRun(reader) ?? {};
  return {
    run: run_id === undefined ? null : { run_id, finished_at, verdict, verdict_reason },
    origin: describeOrigin(readOrigin(reader)),
    withheld_calls: readWithheld(reader),
    unlisted: readUnlisted(reader),
    first_load: readUnsettled(reader) > 0,
    certificate: readCertificateMark(reader) ?? null,
  };
}

export type Coverage = ReturnType<typeof readCoverage>;

export function readCoverage(reader: Warehouse) {
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
