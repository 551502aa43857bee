import { toCaller, toUnreadCaller } from "../../calls/attribution/call-text.ts";
import { keepingAll } from "../../warehouse/calls/call-guard.ts";
import { readCallerIds } from "../../warehouse/calls/call-table.ts";
import { openCallerDigests } from "../../warehouse/calls/caller-hash.ts";
import { openCallerKey } from "../../warehouse/calls/caller-key.ts";
import { withholdDrift } from "../../warehouse/calls/drift.ts";
import {
  CallerDigests,
  type CallerToForget,
  countForgottenCalls,
  type ForgottenCaller,
  type ForgottenCallers,
  insertForgotten,
  openForgotten,
  readForgotten,
} from "../../warehouse/calls/forgotten-callers.ts";
import { stripRejectedRows } from "../../warehouse/calls/rejected.ts";
import { renameCallers } from "../../warehouse/calls/rename-callers.ts";
import { overwriteDeleted } from "../../warehouse/erase.ts";
import type { LockedWarehouse } from "../../warehouse/file/lock.ts";
import { insertPrivacyAct } from "../../warehouse/privacy-act-table.ts";
import { type Tx, tentativeTransaction, writeTransaction } from "../../warehouse/transaction.ts";
import { clearScratch, maskTexts } from "./mask-texts.ts";
import { stripCalls } from "./strip-calls.ts";

/** A caller to forget, by the digits of the number or by the lower-case `caller_hash` of exported files. */
export type Forgettable = { caller: string } | { callerHash: string };

/** How much of each was changed; without personal data. */
export interface ForgetCounts {
  /** Callers who were not forgotten before. */
  callers: number;
  /** Their calls, and calls of others that named them. */
  calls: number;
  transcripts: number;
  rejected_rows: number;
  /** Other texts that contained their numbers. */
  texts: number;
}

export interface ForgottenCounts {
  counts: ForgetCounts;
  /** Indexes of callers without any data here. */
  unknown: number[];
  /** The known callers, by the digits of their numbers. */
  callers: string[];
  /** Their numbers as spelled in calls. */
  spellings: string[];
  pseudonyms: string[];
  newKey?: string | undefined;
}

interface ForgetCallersOptions {
  nowMs: number;
  /** Whether to accept callers without calls, and block them from now on. @default false */
  isUnknownAllowed?: boolean;
  /** Whether to change nothing, and only find out what would be. @default false */
  isTried?: boolean;
}

/**
 * Runs in one transaction, and keeps the callers from coming back. Changes nothing if one is unknown and that is not
 * allowed.
 */
export function forgetCallers(
  warehouse: LockedWarehouse,
  whom: readonly Forgettable[],
  { nowMs, isUnknownAllowed = false, isTried = false }: ForgetCallersOptions,
): ForgottenCounts {
  // Both throw if the key changed or is lost: it is not replaced.
  openForgotten(warehouse);
  openCallerDigests(warehouse);
  const { key, newFile } = openCallerKey(warehouse.path);
  const digests = new CallerDigests(key);
  overwriteDeleted(warehouse);
  const at = new Date(nowMs).toISOString();
  return tentativeTransaction(warehouse, (tx) => {
    const wanted = resolveCallers(tx, digests, whom);
    const wantedDigests = new Set(wanted.map(({ digest }) => digest));
    const known = new Set(readForgotten(tx).map(({ digest }) => digest));
    insertForgotten(
      tx,
      wanted.flatMap((one) => (known.has(one.digest) ? [] : [digests.toForgotten(one, at)])),
    );
    const { counts, spellings, met } = takeOut(tx);
    const result: ForgottenCounts = {
      counts: { callers: wantedDigests.difference(known).size, ...counts },
      unknown: [...wanted.entries()].flatMap(([index, { digest }]) =>
        known.has(digest) || met.has(digest) ? [] : [index],
      ),
      callers: wanted.flatMap(({ caller }) => caller ?? []),
      spellings,
      pseudonyms: readForgotten(tx).flatMap(({ digest, pseudonym }) =>
        wantedDigests.has(digest) ? [pseudonym] : [],
      ),
      newKey: newFile,
    };
    record(tx, result.counts, at);
    return { result, isKept: !isTried && (result.unknown.length === 0 || isUnknownAllowed) };
  });
}

function resolveCallers(tx: Tx, digests: CallerDigests, whom: readonly Forgettable[]): CallerToForget[] {
  const callers = new Map<string, string>();
  for (const callerId of whom.some((one) => "callerHash" in one) ? readCallerIds(tx) : []) {
    const caller = toCaller(callerId);
    if (caller === null) continue;
    callers.set(digests.of(caller), caller);
    // Files of an earlier version have the hash of all letters and digits.
    const unread = digests.of(toUnreadCaller(callerId ?? "") ?? caller);
    if (!callers.has(unread)) callers.set(unread, caller);
  }
  return whom.map((one) => {
    if ("caller" in one) return { digest: digests.of(one.caller), caller: one.caller };
    const digest = digests.ofText(one.callerHash);
    const caller = callers.get(digest);
    return { digest: caller === undefined ? digest : digests.of(caller), caller };
  });
}

export function forgetAgain(
  warehouse: LockedWarehouse,
  callers: readonly ForgottenCaller[],
  nowMs: number,
): boolean {
  overwriteDeleted(warehouse);
  return writeTransaction(warehouse, (tx) => {
    const known = new Set(readForgotten(tx).map(({ digest }) => digest));
    const fresh = callers.filter(({ digest }) => !known.has(digest));
    if (fresh.length === 0) return false;
    insertForgotten(tx, fresh);
    const { counts } = takeOut(tx);
    record(tx, { callers: fresh.length, ...counts }, new Date(nowMs).toISOString());
    return true;
  });
}

function takeOut(tx: Tx) {
  const forgotten = openForgotten(tx);
  if (forgotten === undefined) throw new Error("There is nobody to forget");
  // Before the calls are stripped, so that only names change in their facts.
  renameForgotten(tx, forgotten);
  const keeping = keepingAll(tx);
  const { counts, spellings } = stripCalls(tx, forgotten, keeping);
  const rejected_rows = stripRejectedRows(tx, forgotten, keeping);
  withholdDrift(tx, keeping);
  const texts = maskTexts(tx, forgotten);
  clearScratch(tx);
  countForgottenCalls(tx);
  return { counts: { ...counts, rejected_rows, texts }, spellings, met: forgotten.met };
}

function record(tx: Tx, counts: ForgetCounts, at: string): void {
  if (Object.values(counts).every((count) => count === 0)) return;
  insertPrivacyAct(tx, { at, act: "forget", counts: { ...counts } });
}

function renameForgotten(tx: Tx, forgotten: ForgottenCallers): void {
  const digests = openCallerDigests(tx);
  const byName = new Map<string, string>();
  const others = new Set<string>();
  for (const callerId of readCallerIds(tx)) {
    const [caller, pseudonym] = [toCaller(callerId), forgotten.pseudonymOfId(callerId)];
    if (caller === null) continue;
    const name = digests?.hash(caller) ?? caller;
    if (pseudonym === undefined) others.add(name);
    else byName.set(name, pseudonym);
  }
  // A national number may have the digits of another caller's whole number: only its calls get another name.
  for (const name of others) byName.delete(name);
  const pseudonymOf = (name: string) =>
    digests === undefined ? forgotten.pseudonymOfId(name) : forgotten.pseudonymOfHash(name);
  renameCallers(tx, (name) => byName.get(name) ?? pseudonymOf(name) ?? name);
}
