import type { AttributionRules } from "../../attribution/attribution-rules.ts";
import { describeOrder } from "../../paging/order-key.ts";
import { countCalls, readNewestCall } from "../calls/call-table.ts";
import { readDrift } from "../calls/drift.ts";
import { readUnsettled } from "../calls/first-load.ts";
import { readUnlisted, readWithheld, type UnlistedCalls } from "../calls/gone.ts";
import { countOtherUnits } from "../calls/other-units.ts";
import { countAllRejected } from "../calls/rejected.ts";
import { followsRules, readRulesInForce } from "../calls/rules.ts";
import { type DescribedOrigin, describeOrigin, readOrigin } from "../origin.ts";
import { type AccountWarehouse, findSharedCalls, type SharedCalls } from "../shared-calls.ts";
import type { Reader } from "../warehouse.ts";
import { type CertificateMark, readCertificateMark } from "./certificate-table.ts";
import { readLastDoneRun, readLastVerifiedPass, type SyncRun } from "./runs.ts";

export interface Basis {
  run: (Pick<SyncRun, "run_id" | "finished_at" | "verdict_reason"> & { verdict: string | null }) | null;
  origin: DescribedOrigin;
  /** What the operator can do about the last run's verdict; null for nothing. */
  advice: string | null;
  /** Rows that could not be parsed and are in no figure, and all rows that the service lists; null if all could be. */
  rejected: { rows: number; listed: number } | null;
  /** Calls that went missing in one pass, over the missing-call threshold, and still count. */
  withheld_calls: number;
  /** Calls of another organization unit than the one asked for. */
  other_unit_calls: number;
  /** Calls older than any that the service lists, which still count; null if none. */
  unlisted: UnlistedCalls | null;
  /** A first load is running or was interrupted, so first calls are not settled yet. */
  first_load: boolean;
  /** What proves the last proven full pass; null if there is none. */
  certificate: CertificateMark | null;
  /** The facts follow other rules than those given to {@link readBasis}. */
  rules_changed: boolean;
  /** Another account has the same calls; null if none is known. */
  shared_calls: SharedCalls | null;
}

/** What a warehouse is compared with. */
export interface ComparedSettings {
  rules?: AttributionRules | undefined;
  /** The warehouses of all accounts. @default none */
  accounts?: readonly AccountWarehouse[] | undefined;
}

export function readBasis(reader: Reader, { rules, accounts = [] }: ComparedSettings = {}): Basis {
  const {
    run_id,
    finished_at = null,
    verdict = null,
    verdict_reason = null,
    advice = null,
  } = readLastDoneRun(reader) ?? {};
  const rejected = countAllRejected(reader);
  return {
    run: run_id === undefined ? null : { run_id, finished_at, verdict, verdict_reason },
    origin: describeOrigin(readOrigin(reader)),
    advice,
    rejected: rejected === 0 ? null : { rows: rejected, listed: countCalls(reader).live + rejected },
    withheld_calls: readWithheld(reader),
    other_unit_calls: countOtherUnits(reader),
    unlisted: readUnlisted(reader),
    first_load: readUnsettled(reader) > 0,
    certificate: readCertificateMark(reader) ?? null,
    rules_changed: rules !== undefined && !followsRules(readRulesInForce(reader), rules),
    shared_calls: findSharedCalls(reader, accounts) ?? null,
  };
}

export type Coverage = ReturnType<typeof readCoverage>;

export function readCoverage(reader: Reader) {
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
