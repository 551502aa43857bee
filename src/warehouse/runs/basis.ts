import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { describeOrder } from "../../service/paging/order-key.ts";
import { countCalls, readNewestCall } from "../calls/call-table.ts";
import { readDrift } from "../calls/drift.ts";
import { readUnsettled } from "../calls/first-load.ts";
import { countUnread, readMissing, readUnlisted, readWithheld } from "../calls/gone.ts";
import { countOtherUnits } from "../calls/other-units.ts";
import { countAllRejected } from "../calls/rejected.ts";
import { followsRules, readRulesInForce } from "../calls/rules.ts";
import { describeOrigin, readOrigin } from "../origin.ts";
import { type AccountWarehouse, findSharedCalls } from "../shared-calls.ts";
import type { Reader } from "../warehouse.ts";
import type { Basis, Coverage, Difference } from "./basis-schema.ts";
import { readCertificateMark } from "./certificate-table.ts";
import { readLastDoneRun, readLastVerifiedPass } from "./runs.ts";

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
    missing: readMissing(reader),
    unlisted: readUnlisted(reader),
    first_load: readUnsettled(reader) > 0,
    certificate: readCertificateMark(reader) ?? null,
    rules_changed: rules !== undefined && !followsRules(readRulesInForce(reader), rules),
    shared_calls: findSharedCalls(reader, accounts) ?? null,
  };
}

export function readCoverage(reader: Reader): Coverage {
  const run = readLastDoneRun(reader);
  const verified = readLastVerifiedPass(reader);
  const { live } = countCalls(reader);
  return {
    calls: live,
    total: run?.last_total ?? null,
    difference: readDifference(reader, live, run?.last_total ?? live),
    order: run === undefined ? null : describeOrder(run),
    verified: verified === undefined ? null : { run_id: verified.run_id, finished_at: verified.finished_at },
    newest_call: readNewestCall(reader),
    rejected: countAllRejected(reader),
    drift: [...new Set(readDrift(reader).map(({ path }) => path))],
  };
}

function readDifference(reader: Reader, calls: number, total: number): Difference | null {
  if (calls === total) return null;
  const missing = readMissing(reader)?.calls ?? 0;
  const unlisted = readUnlisted(reader)?.calls ?? 0;
  const withheld = readWithheld(reader);
  const rejected = countUnread(reader, readLastVerifiedPass(reader)?.run_id ?? 0);
  const others = calls - total - missing - unlisted - withheld + rejected;
  return { missing, unlisted, withheld, rejected, others };
}
