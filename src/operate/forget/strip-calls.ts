import { eq } from "drizzle-orm";
import { TRANSCRIPT_COLUMNS } from "../../calls/columns.ts";
import { isPseudonym } from "../../calls/privacy/pseudonym.ts";
import { CallFactsTable } from "../../warehouse/calls/call-facts.ts";
import type { Keeping } from "../../warehouse/calls/call-guard.ts";
import { prepareReplaceCall } from "../../warehouse/calls/call-table.ts";
import { openCallerDigests } from "../../warehouse/calls/caller-hash.ts";
import { calls } from "../../warehouse/calls/calls.ts";
import { eachBatch } from "../../warehouse/calls/each-call.ts";
import { withoutFactLog } from "../../warehouse/calls/fact-log.ts";
import { call_facts } from "../../warehouse/calls/facts.ts";
import { readUnsettled } from "../../warehouse/calls/first-load.ts";
import type { ForgottenCallers } from "../../warehouse/calls/forgotten-callers.ts";
import { readRulesInForce } from "../../warehouse/calls/rules.ts";
import { transcripts, WHOLE_CALL } from "../../warehouse/calls/transcripts.ts";
import type { Tx } from "../../warehouse/transaction.ts";

/**
 * Strips the stored calls, and removes all undocumented members. Row hashes cover what is left, as when a call is
 * served again.
 */
export function stripCalls(warehouse: Tx, forgotten: ForgottenCallers, keeping: Keeping) {
  const { rules } = readRulesInForce(warehouse);
  const facts = new CallFactsTable(warehouse, rules, {
    isFirstLoad: readUnsettled(warehouse) > 0,
    digests: openCallerDigests(warehouse),
  });
  const replaceCall = prepareReplaceCall(warehouse);
  const counts = { calls: 0, transcripts: 0 };
  const spellings = new Set<string>();
  const { served_hash, withheld, caller_digest } = calls;
  const query = warehouse.db
    .select({ ...WHOLE_CALL, served_hash, withheld, caller_digest, topic: call_facts.topic })
    .from(calls)
    .leftJoin(call_facts, eq(call_facts.call_id, calls.call_id))
    .leftJoin(transcripts, eq(transcripts.call_id, calls.call_id))
    .$dynamic();
  for (const batch of eachBatch(calls.call_id, query)) {
    const changed = batch.flatMap((call) => {
      const named = forgotten.strip(call, call.caller_digest);
      const isNamed = named !== call;
      // The hash of the whole row would reveal the removed data to guessing.
      const served_hash = isNamed ? null : call.served_hash;
      const { call: stored, removed } = keeping.toStored({ ...named, served_hash }, ["extra"]);
      if (!isNamed && removed.length === 0) return [];
      // Nothing is left to withhold in a forgotten caller's own call.
      const isOwn = isPseudonym(stored.caller_id) && !isPseudonym(call.caller_id);
      return { call, isNamed, stripped: isOwn ? { ...stored, withheld: null, caller_digest: null } : stored };
    });
    for (const { call, isNamed, stripped } of changed) {
      if (call.caller_id !== null && call.caller_id !== stripped.caller_id) spellings.add(call.caller_id);
      replaceCall(stripped);
      if (isNamed && TRANSCRIPT_COLUMNS.some((column) => call[column] !== stripped[column]))
        counts.transcripts++;
    }
    const ofNamed = changed.filter(({ isNamed }) => isNamed);
    counts.calls += ofNamed.length;
    withoutFactLog(warehouse, () =>
      facts.write(
        warehouse,
        ofNamed.map(({ stripped }) => ({ call: stripped, topic: stripped.topic, isNew: false })),
      ),
    );
  }
  return { counts, spellings: [...spellings] };
}
