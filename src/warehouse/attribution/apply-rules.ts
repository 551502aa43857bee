import { setImmediate } from "node:timers/promises";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { openCallerDigests, openCallerHash } from "../calls/caller-hash.ts";
import { readUnsettled, settleCallers } from "../calls/first-load.ts";
import { followsRules, insertRules, readRulesInForce } from "../calls/rules.ts";
import { areViewsCurrent, updateViews } from "../calls/views.ts";
import { overwriteDeleted } from "../erase.ts";
import { type LockedWarehouse, tryAcquireLock, underLock } from "../file/lock.ts";
import type { PermittedWarehouse } from "../file/open.ts";
import { nameFile } from "../file/sqlite-errors.ts";
import { longTransaction, writeTransaction } from "../transaction.ts";
import type { Reader, Warehouse } from "../warehouse.ts";
import { type AttributionProgress, attributeAll, replaceNumbers } from "./attribute-all.ts";

export interface AttributionOptions {
  nowMs: number;
  signal?: AbortSignal | undefined;
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
}

export function needsAttribution(warehouse: Reader, rules: AttributionRules): boolean {
  return !followsRules(readRulesInForce(warehouse), rules);
}

/** Recomputes the facts of all calls if they follow other rules, and uses digests if these do. @throws the signal's reason */
export async function applyRules(
  warehouse: LockedWarehouse,
  rules: AttributionRules,
  options: AttributionOptions,
): Promise<void> {
  if (needsAttribution(warehouse, rules)) return await attributeAgain(warehouse, rules, options);
  if (rules.caller_digests) adoptDigests(warehouse, rules, options);
  refreshViews(warehouse, rules);
}

/** Identifies callers by digests from now on; the other facts stay as they are. */
function adoptDigests(warehouse: LockedWarehouse, rules: AttributionRules, { nowMs }: AttributionOptions) {
  if (readRulesInForce(warehouse).caller_key !== null) return;
  // The replaced facts contain numbers that must not be kept.
  overwriteDeleted(warehouse);
  writeTransaction(warehouse, (tx) => {
    const digests = openCallerHash(tx.path);
    replaceNumbers(tx, digests);
    const since = new Date(nowMs).toISOString();
    insertRules(tx, rules, { since, calls: 0, callerKey: digests.fingerprint });
  });
}

/** Recreates outdated views, if the facts follow these rules. */
export function refreshViews(warehouse: Warehouse, rules: AttributionRules): void {
  const { sqlite } = warehouse;
  // Acquiring the write lock without need would wait for another process's long write.
  if (areViewsCurrent(sqlite, rules)) return;
  writeTransaction(warehouse, (tx) => {
    if (!needsAttribution(warehouse, rules)) updateViews(tx, rules);
  });
}

/**
 * Applies rules under the lock, and settles the callers of an interrupted first load.
 * @throws CalltallyError if the facts follow other rules, and a sync is running (exit 6) or the warehouse is
 * read-only (exit 7)
 */
export async function applyRulesAlone(
  opened: PermittedWarehouse,
  rules: AttributionRules,
  options: AttributionOptions,
): Promise<void> {
  const { path, writer } = opened;
  try {
    if (writer === undefined) {
      if (needsAttribution(opened, rules)) throw unappliedError(path);
      return;
    }
    if (!needsAttribution(writer, rules) && readUnsettled(writer) === 0) {
      refreshViews(writer, rules);
      return;
    }
    using lock = tryAcquireLock(path);
    if (lock !== undefined) {
      // Only of an interrupted first load; a running one settles them itself.
      if (readUnsettled(writer) > 0) writeTransaction(writer, settleCallers);
      await applyRules(underLock(writer, lock), rules, options);
    } else if (needsAttribution(writer, rules)) {
      throw otherRulesError(path);
    }
  } catch (error) {
    throw nameFile(error, path);
  }
}

function unappliedError(database: string): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `Cannot apply the attribution settings to ${database}: it is read-only for this user, and its figures follow other settings`,
    {
      hint: ({ sync }) =>
        `Use its own settings, in the last row of its table rules; or let its owner run ${sync} with these.`,
    },
  );
}

export function otherRulesError(database: string): CalltallyError {
  return new CalltallyError(
    EXIT.locked,
    `Cannot apply the attribution settings to ${database}: another process is syncing it, or applying its own`,
    { hint: "Wait for it to end, and run this again, with the same settings for both." },
  );
}

/** Recomputes the facts of all calls in one transaction, which blocks other writers. */
export async function attributeAgain(
  warehouse: LockedWarehouse,
  rules: AttributionRules,
  { nowMs, signal, onAttributed }: AttributionOptions,
): Promise<void> {
  // The old facts may contain numbers that must not be kept.
  if (rules.caller_digests) overwriteDeleted(warehouse);
  const done = await longTransaction(warehouse, async (tx) => {
    // Callers that became digests stay so.
    const digests = openCallerDigests(tx) ?? (rules.caller_digests ? openCallerHash(tx.path) : undefined);
    const steps = attributeAll(tx, rules, nowMs, digests);
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      onAttributed?.(step.value);
      await setImmediate();
      signal?.throwIfAborted();
    }
    return step.value;
  });
  // Only after the commit: the disk may be full.
  onAttributed?.(done);
}
