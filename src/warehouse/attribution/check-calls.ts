import { setImmediate } from "node:timers/promises";
import { lte } from "drizzle-orm";
import { recordOf } from "../../base/records.ts";
import { attributeCall } from "../../calls/attribution/attribute-call.ts";
import { hashCall } from "../../calls/call.ts";
import { type Call, TRANSCRIPT_COLUMNS } from "../../calls/columns.ts";
import { DERIVED_FACTS } from "../../calls/facts.ts";
import { withhold } from "../../calls/privacy/withhold.ts";
import { toFactCaller } from "../calls/call-facts.ts";
import { isTopicKept, toKinds } from "../calls/call-guard.ts";
import { openCallerDigests } from "../calls/caller-hash.ts";
import { calls } from "../calls/calls.ts";
import { BATCH_ROWS, inBatches } from "../calls/each-call.ts";
import { STORED_FACTS, toStored } from "../calls/facts.ts";
import { CALLERS_OF_FACTS, readUnsettled } from "../calls/first-load.ts";
import { readRulesInForce } from "../calls/rules.ts";
import { findOtherNames } from "../campaign-table.ts";
import { readLastDoneRun } from "../runs/runs.ts";
import type { Reader } from "../warehouse.ts";

/** A call with its facts, as SQLite has them: 0 and 1 for false and true. */
type StoredCall = Call &
  Record<"caller_digest" | "gone_at" | "withheld" | "fact topic", string | null> & {
    row_hash: string;
    [fact: `fact ${string}`]: unknown;
  };

/** Facts that follow from the call alone. */
const DERIVED = STORED_FACTS.filter((name) => name !== "is_first_call")
  .map((name) => (name === "caller_id" ? "caller" : name))
  .map((name) => [name, `fact ${name}`] as const);

/** Returns the ids of calls whose content is not what was read from the service. SQLite's own check looks at the structure alone. */
export async function findDamagedCalls(warehouse: Reader, signal?: AbortSignal): Promise<number[]> {
  const damaged: number[] = [];
  await eachStoredCall(warehouse, signal, (call) => {
    if (hashCall(call) !== call.row_hash) damaged.push(call.call_id);
  });
  return damaged;
}

export interface CheckedCalls {
  checked: number;
  /** Ids of calls whose content is not what was read from the service. */
  damaged: number[];
  /** Ids of calls with contents that `withheld` says are not kept. */
  overkept: number[];
  /** Ids of calls whose facts, callers or names of campaigns are not what the rules in force give. */
  others: number[];
  /** Ids of facts without a call. */
  orphans: number[];
  /** Whether callers count as not settled, though a sync has ended since the first load. */
  isUnsettled: boolean;
}

/** Hashes each call again, and derives its facts and the callers again. */
export async function checkCalls(warehouse: Reader, signal?: AbortSignal): Promise<CheckedCalls> {
  const { rules } = readRulesInForce(warehouse);
  const digests = openCallerDigests(warehouse);
  const [damaged, overkept, others]: [number[], number[], number[]] = [[], [], []];
  let checked = 0;
  await eachStoredCall(warehouse, signal, (call) => {
    const { call_id } = call;
    checked++;
    if (hashCall(call) !== call.row_hash) damaged.push(call_id);
    const isKept = isTopicKept(call);
    if (isOverkept(call, isKept)) overkept.push(call_id);
    const facts = attributeCall(call, rules, isKept ? call["fact topic"] : undefined);
    const derived = {
      ...recordOf(DERIVED_FACTS, (name) => toStored(facts[name])),
      caller: toFactCaller(facts.caller, call.caller_digest, digests),
      is_live: Number(call.gone_at === null),
    };
    const isOther = DERIVED.some(([name, fact]) => derived[name] !== call[fact]);
    // Which calls of a caller are marked, `findOtherCallers` checks.
    const marks: unknown[] = derived.is_live && derived.caller !== null ? [0, 1] : [0];
    if (isOther || !marks.includes(call["fact is_first_call"])) others.push(call_id);
  });
  // Callers are settled when a first load ends.
  const isLoading = isInFirstLoad(warehouse);
  if (!isLoading) others.push(...findOtherCallers(warehouse));
  others.push(...findOtherNames(warehouse));
  return {
    ...{ checked, damaged, overkept },
    others: [...new Set(others)],
    orphans: findOrphans(warehouse),
    isUnsettled: !isLoading && readUnsettled(warehouse) > 0,
  };
}

/** Whether something is kept that is recorded as withheld; a topic is derived from a transcript that is there. */
function isOverkept(call: StoredCall, isTopicKept: boolean): boolean {
  if (isTopicKept && (call.transcription ?? call.transcription_details) !== null) return true;
  return call.withheld !== null && withhold(call, toKinds(call.withheld)).withheld.length > 0;
}

/** Whether a first load was interrupted: no sync that has ended knows any call. */
function isInFirstLoad(warehouse: Reader): boolean {
  if (readUnsettled(warehouse) === 0) return false;
  const lastRun = readLastDoneRun(warehouse)?.run_id ?? 0;
  const known = warehouse.db
    .select({ id: calls.call_id })
    .from(calls)
    .where(lte(calls.first_run_id, lastRun));
  return known.limit(1).get() === undefined;
}

/** In the order of both tables: by an index of the facts, each call would have to be looked up. */
function findOrphans({ sqlite }: Reader): number[] {
  const read = sqlite.prepare<[], number>(
    "SELECT call_id FROM call_facts NOT INDEXED WHERE call_id NOT IN (SELECT call_id FROM calls)",
  );
  return read.pluck().all();
}

function findOtherCallers({ sqlite }: Reader): number[] {
  const read = sqlite.prepare<[], number>(
    `SELECT coalesce(call_id, first_call_id) FROM (${CALLERS_OF_FACTS}) AS derived FULL JOIN callers USING (caller_id)
        WHERE call_id IS NOT first_call_id OR call_started IS NOT first_call_started
          OR NOT is_first_call OR marked <> 1`,
  );
  return read.pluck().all();
}

/** Reads all calls by id, in batches, so that the write-ahead log may shrink meanwhile. */
async function eachStoredCall(
  { sqlite }: Reader,
  signal: AbortSignal | undefined,
  visit: (call: StoredCall) => void,
): Promise<void> {
  const facts = [
    ...STORED_FACTS.map((name) => `call_facts.${name} AS "fact ${name}"`),
    `caller AS "fact caller"`,
  ];
  // Without Drizzle, whose rows take longer to make than all checks of them.
  const read = sqlite.prepare<[number], StoredCall>(
    `SELECT calls.*, ${[...TRANSCRIPT_COLUMNS, ...facts]} FROM calls
      LEFT JOIN transcripts USING (call_id) LEFT JOIN call_facts USING (call_id)
      LEFT JOIN callers ON callers.caller_id = call_facts.caller_id
      WHERE calls.call_id > ? ORDER BY calls.call_id LIMIT ${BATCH_ROWS}`,
  );
  for (const batch of inBatches((last) => read.all(last))) {
    for (const call of batch) visit(call);
    await setImmediate();
    signal?.throwIfAborted();
  }
}
