import { eq, notInArray, sql } from "drizzle-orm";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { ATTRIBUTION_VERSION } from "../../calls/attribution/derive-facts.ts";
import { isPseudonym } from "../../calls/privacy/pseudonym.ts";
import { dateAllCalls } from "../call-moments.ts";
import { CallFactsTable } from "../calls/call-facts.ts";
import { isTopicKept } from "../calls/call-guard.ts";
import type { CallerHash } from "../calls/caller-hash.ts";
import { calls, MEMBERS } from "../calls/calls.ts";
import { eachBatch } from "../calls/each-call.ts";
import { setRulesBeingApplied } from "../calls/fact-log.ts";
import { call_facts } from "../calls/facts.ts";
import { readUnsettled, settleCallers } from "../calls/first-load.ts";
import { renameCallers } from "../calls/rename-callers.ts";
import { insertRules, readRulesInForce } from "../calls/rules.ts";
import { transcripts } from "../calls/transcripts.ts";
import { updateViews } from "../calls/views.ts";
import { settleCampaigns } from "../campaign-table.ts";
import { countRows, setCount } from "../counts.ts";
import type { Tx } from "../transaction.ts";
import { updateRuledFacts } from "./update-ruled-facts.ts";

export interface AttributionProgress {
  read: number;
  total: number;
}

/** Replaces callers' numbers in the facts by digests, unless that was done before. */
export function replaceNumbers(tx: Tx, digests: CallerHash): void {
  if (readRulesInForce(tx).caller_key !== null) return;
  renameCallers(tx, (caller) => (isPseudonym(caller) ? caller : digests.hash(caller)));
}

/** Yields the progress, and returns it at the end. @param digests replace callers' numbers in the facts. @default numbers */
export function* attributeAll(
  tx: Tx,
  rules: AttributionRules,
  nowMs: number,
  digests?: CallerHash,
): Generator<AttributionProgress, AttributionProgress, void> {
  const { db } = tx;
  const total = countRows({ db }, calls);
  const before = readRulesInForce(tx);
  if (digests !== undefined) replaceNumbers(tx, digests);
  const since = new Date(nowMs).toISOString();
  const rulesId = insertRules(tx, rules, {
    since,
    calls: total,
    callerKey: digests?.fingerprint ?? null,
  });
  setRulesBeingApplied(tx, rulesId);
  // Facts of stored calls are overwritten instead of deleted, so that the log shows only changes.
  db.delete(call_facts)
    .where(notInArray(call_facts.call_id, db.select({ id: calls.call_id }).from(calls)))
    .run();
  const followsBefore =
    before.version === ATTRIBUTION_VERSION &&
    readUnsettled(tx) === 0 &&
    countRows({ db }, call_facts) === total;
  const steps = followsBefore ? updateRuledFacts(tx, before.rules, rules) : writeFacts(tx, rules, digests);
  let read = 0;
  for (const attributed of steps) {
    read += attributed;
    if (read < total) yield { read, total };
  }
  if (!followsBefore) settleCallers(tx);
  settleCampaigns(tx);
  // Columns that are no facts may depend on the program or the unit.
  const isOfOtherProgram = before.version !== ATTRIBUTION_VERSION;
  if (isOfOtherProgram || before.rules.duration_unit !== rules.duration_unit) dateAllCalls(tx);
  setCount(tx, "calls", read);
  setRulesBeingApplied(tx, null);
  updateViews(tx, rules);
  return { read, total };
}

/** Writes the facts of all calls; their callers must be settled then. Yields the number of calls of each batch. */
function* writeFacts(
  tx: Tx,
  rules: AttributionRules,
  digests: CallerHash | undefined,
): Generator<number, void, void> {
  const { recording_url, ...members } = MEMBERS;
  const { caller_digest, gone_at, withheld } = calls;
  const { topic } = call_facts;
  const { transcription, transcription_details } = transcripts;
  // SQLite leaves out a join whose columns are not selected.
  const nothing = sql<string | null>`NULL`;
  const speech =
    rules.topics.length > 0
      ? { transcription, transcription_details }
      : { transcription: nothing, transcription_details: nothing };
  const query = tx.db
    .select({ ...members, ...speech, caller_digest, gone_at, withheld, topic })
    .from(calls)
    .leftJoin(call_facts, eq(call_facts.call_id, calls.call_id))
    .leftJoin(transcripts, eq(transcripts.call_id, calls.call_id))
    .$dynamic();
  const facts = new CallFactsTable(tx, rules, { isFirstLoad: true, digests });
  for (const batch of eachBatch(calls.call_id, query)) {
    facts.write(
      tx,
      batch.map((call) => ({
        call,
        topic: isTopicKept(call) ? call.topic : undefined,
        isNew: true,
        isLive: call.gone_at === null,
      })),
    );
    yield batch.length;
  }
}
