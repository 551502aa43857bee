import { keepingAll } from "../warehouse/calls/call-guard.ts";
import { openCallerDigests } from "../warehouse/calls/caller-hash.ts";
import { openCallerKey } from "../warehouse/calls/caller-key.ts";
import { withholdDrift } from "../warehouse/calls/drift.ts";
import {
  CallerDigests,
  countForgottenCalls,
  type ForgottenCaller,
  insertForgotten,
  openForgotten,
  readForgotten,
} from "../warehouse/calls/forgotten-callers.ts";
import { stripRejectedRows } from "../warehouse/calls/rejected.ts";
import { overwriteDeleted } from "../warehouse/erase.ts";
import type { LockedWarehouse } from "../warehouse/lock.ts";
import { insertPrivacyAct } from "../warehouse/privacy-act-table.ts";
import { type Tx, writeTransaction } from "../warehouse/transaction.ts";
import { clearScratch, maskTexts } from "./mask-texts.ts";
import { renameForgotten } from "./rename-forgotten.ts";
import { type Forgettable, resolveCallers, toTombstones } from "./resolve-callers.ts";
import { stripCalls } from "./strip-calls.ts";

/** How many of each were changed; holds no personal data. */
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

const NOTHING_DONE = {
  counts: { calls: 0, transcripts: 0, rejected_rows: 0, texts: 0 },
  spellings: [],
  met: new Set<string>(),
};

export interface Forgotten {
  counts: ForgetCounts;
  /** Indexes of callers of whom nothing is known here. */
  unknown: number[];
  /** The callers who are known, by their numbers' digits. */
  callers: string[];
  /** Their numbers as spelled in calls. */
  spellings: string[];
  /** Pseudonyms of the callers to forget. */
  pseudonyms: string[];
  newKey?: string | undefined;
}

export interface ForgetOptions {
  nowMs: number;
  /** Whether to accept callers without calls, and keep them out from now on. @default false */
  isUnknownAllowed?: boolean;
}

/**
 * Removes personal data of callers from every table, in one transaction, and keeps it from coming back. Calls and figures stay.
 * Changes nothing if a caller is unknown and that is not allowed.
 */
export function forgetCallers(
  warehouse: LockedWarehouse,
  whom: readonly Forgettable[],
  { nowMs, isUnknownAllowed = false }: ForgetOptions,
): Forgotten {
  // Both throw if the key differs from before or is lost: no new one is made in its place.
  openForgotten(warehouse);
  openCallerDigests(warehouse);
  const { key, newFile } = openCallerKey(warehouse.path);
  const digests = new CallerDigests(key);
  const outcome: Forgotten = {
    counts: { callers: 0, ...NOTHING_DONE.counts },
    unknown: [],
    callers: [],
    spellings: [],
    pseudonyms: [],
    newKey: newFile,
  };
  overwriteDeleted(warehouse);
  const at = new Date(nowMs).toISOString();
  try {
    writeTransaction(warehouse, (tx) => {
      const wanted = resolveCallers(warehouse, digests, whom);
      const known = new Set(readForgotten(warehouse).map(({ digest }) => digest));
      const fresh = wanted.filter(({ digest }) => !known.has(digest));
      insertForgotten(warehouse, toTombstones(digests, fresh, at));
      const { counts, spellings, met } = takeOut(tx);
      const callers = new Set(fresh.map(({ digest }) => digest)).size;
      outcome.counts = { callers, ...counts };
      outcome.spellings = spellings;
      outcome.callers = wanted.flatMap(({ caller }) => caller ?? []);
      const asked = new Set(wanted.map(({ digest }) => digest));
      outcome.pseudonyms = readForgotten(warehouse).flatMap(({ digest, pseudonym }) =>
        asked.has(digest) ? [pseudonym] : [],
      );
      outcome.unknown = [...wanted.entries()].flatMap(([index, { digest }]) =>
        known.has(digest) || met.has(digest) ? [] : [index],
      );
      if (outcome.unknown.length > 0 && !isUnknownAllowed) throw new UnknownCallers();
      record(tx, outcome.counts, at);
    });
  } catch (error) {
    if (!(error instanceof UnknownCallers)) throw error;
  }
  return outcome;
}

/** Forgets callers in an older copy of the warehouse; returns whether there were any. */
export function forgetAgain(
  warehouse: LockedWarehouse,
  callers: readonly ForgottenCaller[],
  nowMs: number,
): boolean {
  overwriteDeleted(warehouse);
  return writeTransaction(warehouse, (tx) => {
    const known = new Set(readForgotten(warehouse).map(({ digest }) => digest));
    const fresh = callers.filter(({ digest }) => !known.has(digest));
    if (fresh.length === 0) return false;
    insertForgotten(warehouse, fresh);
    const { counts } = takeOut(tx);
    record(tx, { callers: fresh.length, ...counts }, new Date(nowMs).toISOString());
    return true;
  });
}

function takeOut(tx: Tx) {
  const forgotten = openForgotten(tx);
  if (forgotten === undefined) return NOTHING_DONE;
  // Before the calls are stripped, so that nothing but names changes in their facts.
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

/** Rolls the transaction back. */
class UnknownCallers extends Error {}
