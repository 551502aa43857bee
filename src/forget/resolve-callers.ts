import { randomBytes } from "node:crypto";
import { toCaller } from "../attribution/call-text.ts";
import { toNational } from "../attribution/phone-mentions.ts";
import { toPseudonym } from "../privacy/pseudonym.ts";
import { readCallerIds } from "../warehouse/calls/call-table.ts";
import type { CallerDigests, ForgottenCaller } from "../warehouse/calls/forgotten-callers.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

const PSEUDONYM_BYTES = 8;

/** A caller to forget, by the digits of the number or by the `caller_hash` of exported files, in lower case. */
export type Forgettable = { caller: string } | { callerHash: string };

export interface Wanted {
  digest: string;
  /** Digits of the number; undefined for a hash that no stored number has, such as of a caller already forgotten. */
  caller: string | undefined;
}

/** Returns the callers to forget, in the order given, with their numbers where the warehouse has them. */
export function resolveCallers(
  warehouse: Warehouse,
  digests: CallerDigests,
  whom: readonly Forgettable[],
): Wanted[] {
  const callers = whom.some((one) => "callerHash" in one)
    ? readCallersByDigest(warehouse, digests)
    : new Map();
  return whom.map((one) => {
    if ("caller" in one) return { digest: digests.of(one.caller), caller: one.caller };
    const digest = digests.ofText(one.callerHash);
    return { digest, caller: callers.get(digest) };
  });
}

function readCallersByDigest(warehouse: Warehouse, digests: CallerDigests): Map<string, string> {
  return new Map(
    readCallerIds(warehouse).flatMap((callerId) => {
      const caller = toCaller(callerId);
      return caller === null ? [] : [[digests.of(caller), caller]];
    }),
  );
}

/** Returns the records of callers to forget, each with a new pseudonym. */
export function toTombstones(
  digests: CallerDigests,
  fresh: readonly Wanted[],
  forgotten_at: string,
): ForgottenCaller[] {
  return fresh.map(({ digest, caller }) => {
    const national = caller === undefined ? null : toNational(caller);
    const pseudonym = toPseudonym(randomBytes(PSEUDONYM_BYTES));
    const national_digest = national && digests.of(national);
    return { digest, national_digest, pseudonym, key_mark: digests.mark, forgotten_at, calls: 0 };
  });
}
