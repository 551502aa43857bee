import { setImmediate } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { attributeCall } from "../../attribution/attribute-call.ts";
import { toFactCaller } from "../calls/call-facts.ts";
import { isTopicKept } from "../calls/call-guard.ts";
import { openCallerDigests } from "../calls/caller-hash.ts";
import { calls, MEMBERS } from "../calls/calls.ts";
import { eachBatch } from "../calls/each-call.ts";
import { call_facts } from "../calls/facts.ts";
import { CALLERS_OF_FACTS, readUnsettled } from "../calls/first-load.ts";
import { readRulesInForce } from "../calls/rules.ts";
import { transcripts } from "../calls/transcripts.ts";
import type { Warehouse } from "../warehouse.ts";

/**
 * Derives the facts of all calls, and the callers, again.
 *
 * @returns ids of calls whose stored facts, or whose callers, are others
 */
export async function findOtherFacts(warehouse: Warehouse, signal?: AbortSignal): Promise<number[]> {
  const { db, sqlite } = warehouse;
  const { rules } = readRulesInForce(warehouse);
  const digests = openCallerDigests(warehouse);
  const { recording_url, extra, ...members } = MEMBERS;
  const { caller_digest, gone_at, withheld } = calls;
  const { transcription, transcription_details } = transcripts;
  const query = db
    .select({
      call_id: calls.call_id,
      call: { ...members, transcription, transcription_details, caller_digest, gone_at, withheld },
      stored: call_facts,
    })
    .from(calls)
    .leftJoin(call_facts, eq(call_facts.call_id, calls.call_id))
    .leftJoin(transcripts, eq(transcripts.call_id, calls.call_id))
    .$dynamic();
  // SQL takes any number but 0 for true, and Drizzle only 1.
  const others = sqlite
    .prepare<[], number>(
      `SELECT call_id FROM call_facts
        WHERE is_live NOT IN (0, 1) OR is_qualified NOT IN (0, 1) OR is_first_call NOT IN (0, 1)`,
    )
    .pluck()
    .all();
  for (const batch of eachBatch(calls.call_id, query)) {
    for (const { call_id, call, stored } of batch) {
      const facts = attributeCall(call, rules, stored && isTopicKept(call) ? stored.topic : undefined);
      const caller = toFactCaller(facts.caller, call.caller_digest, digests);
      const derived = { ...facts, caller, is_live: call.gone_at === null };
      const isSame =
        stored !== null &&
        Object.entries(derived).every(([name, value]) => Reflect.get(stored, name) === value);
      if (!isSame) others.push(call_id);
    }
    await setImmediate();
    signal?.throwIfAborted();
  }
  if (readUnsettled(warehouse) > 0) return others; // a first load is running or was interrupted
  const ofCallers = sqlite.prepare<[], number>(
    `SELECT first_call_id FROM (SELECT * FROM callers EXCEPT ${CALLERS_OF_FACTS})
      UNION SELECT call_id FROM (${CALLERS_OF_FACTS} EXCEPT SELECT * FROM callers)
      UNION SELECT call_id FROM call_facts
        WHERE is_first_call <> (call_id IN (SELECT first_call_id FROM callers))`,
  );
  return [...new Set([...others, ...ofCallers.pluck().all()])];
}
