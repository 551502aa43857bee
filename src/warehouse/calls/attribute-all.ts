import { setImmediate } from "node:timers/promises";
import { notInArray } from "drizzle-orm";
import type { AttributionRules } from "../../attribution/attribution-rules.ts";
import { isPseudonym } from "../../privacy/pseudonym.ts";
import { countRows } from "../count-rows.ts";
import { setCount } from "../counts.ts";
import type { LockedWarehouse } from "../lock.ts";
import { overwriteDeleted } from "../secure-delete.ts";
import { longTransaction, type Tx, writeTransaction } from "../transaction.ts";
import type { Warehouse } from "../warehouse.ts";
import { CallFactsTable } from "./call-facts.ts";
import { readCallCount } from "./call-table.ts";
import { type CallerHash, openCallerDigests, openCallerHash } from "./caller-hash.ts";
import { renameCallers } from "./caller-names.ts";
import { calls, MEMBERS } from "./calls.ts";
import { eachBatch } from "./each-call.ts";
import { setRulesBeingApplied } from "./fact-log.ts";
import { call_facts } from "./facts.ts";
import { settleCallers } from "./first-load.ts";
import { insertRules, isInForce, readRulesInForce } from "./rules.ts";
import { areViewsCurrent, updateViews } from "./views.ts";

export interface AttributionOptions {
  nowMs: number;
  signal?: AbortSignal | undefined;
  /** Receives the progress. */
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
}

/** Progress of recomputing the facts, in calls. */
export interface AttributionProgress {
  read: number;
  total: number;
}

/** Whether the facts of a warehouse differ from those that the given rules would give. */
export function needsAttribution(warehouse: Warehouse, rules: AttributionRules): boolean {
  return !isInForce(readRulesInForce(warehouse), rules);
}

/**
 * Recomputes the facts of all calls if they follow other rules than these.
 *
 * @throws the reason of the signal
 */
export async function applyRules(
  warehouse: LockedWarehouse,
  rules: AttributionRules,
  options: AttributionOptions,
): Promise<void> {
  if (needsAttribution(warehouse, rules)) await attributeAnew(warehouse, rules, options);
  else refreshViews(warehouse, rules);
}

/** Recreates the views that are not those of this version of the program, if the facts follow these rules. */
export function refreshViews(warehouse: Warehouse, rules: AttributionRules): void {
  const { sqlite } = warehouse;
  // Acquiring the write lock for nothing would wait for a long write of another process.
  if (areViewsCurrent(sqlite, rules)) return;
  writeTransaction(warehouse, (tx) => {
    if (!needsAttribution(warehouse, rules)) updateViews(tx, rules);
  });
}

/** Recomputes the facts of all calls in one transaction, which keeps out other writers. */
export async function attributeAnew(
  warehouse: LockedWarehouse,
  rules: AttributionRules,
  { nowMs, signal, onAttributed }: AttributionOptions,
): Promise<void> {
  // What is overwritten may be numbers that are not to be kept.
  if (rules.caller_digests) overwriteDeleted(warehouse);
  const done = await longTransaction(warehouse, async (tx) => {
    const steps = attributeAll(tx, rules, nowMs, openDigests(tx, rules));
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      onAttributed?.(step.value);
      await setImmediate();
      signal?.throwIfAborted();
    }
    return step.value;
  });
  // Not before the commit: the disk may be full.
  onAttributed?.(done);
}

/** Callers that have become digests stay so. */
function openDigests(warehouse: Warehouse, rules: AttributionRules): CallerHash | undefined {
  const digests = openCallerDigests(warehouse);
  return digests ?? (rules.caller_digests ? openCallerHash(warehouse.path) : undefined);
}

/** Whether every call has facts and is counted. Reads the keys of both tables. */
export function hasAllFacts({ db }: Warehouse): boolean {
  const stored = readCallCount({ db });
  return countRows({ db }, calls) === stored && countRows({ db }, call_facts) === stored;
}

/**
 * Recomputes the facts of all calls in batches; yields the progress, and returns it at the end.
 *
 * @param digests makes the digests by which callers are to be known. @default they are known by their numbers
 */
export function* attributeAll(
  tx: Tx,
  rules: AttributionRules,
  nowMs: number,
  digests?: CallerHash,
): Generator<AttributionProgress, AttributionProgress, void> {
  const { db } = tx;
  const { recording_url, extra, ...members } = MEMBERS;
  const { caller_digest, gone_at } = calls;
  const query = db
    .select({ ...members, caller_digest, gone_at })
    .from(calls)
    .$dynamic();
  const total = countRows({ db }, calls);
  if (digests !== undefined && readRulesInForce(tx).caller_key === null) {
    renameCallers(tx, (caller) => (isPseudonym(caller) ? caller : digests.hash(caller)));
  }
  const since = new Date(nowMs).toISOString();
  const rulesId = insertRules(tx, rules, {
    since,
    calls: total,
    callerKey: digests?.fingerprint ?? null,
  });
  setRulesBeingApplied(tx, rulesId);
  // What is there is overwritten, so that what does not change is known to be the same.
  db.delete(call_facts)
    .where(notInArray(call_facts.call_id, db.select({ id: calls.call_id }).from(calls)))
    .run();
  const facts = new CallFactsTable(tx, rules, { isFirstLoad: true, digests });
  let read = 0;
  for (const batch of eachBatch(calls.call_id, query)) {
    facts.write(
      tx,
      batch.map((call) => ({ call, isNew: true, isLive: call.gone_at === null })),
    );
    read += batch.length;
    if (read < total) yield { read, total };
  }
  settleCallers(tx);
  setCount(tx, "calls", read);
  setRulesBeingApplied(tx, null);
  updateViews(tx, rules);
  return { read, total };
}
