import { and, desc, eq, gte, inArray, isNotNull, like, lt, max, sql } from "drizzle-orm";
import { recordOf } from "../../base/records.ts";
import { deriveTopic } from "../../calls/attribution/derive-facts.ts";
import { CALL_COLUMNS, type Call } from "../../calls/columns.ts";
import { addToCount, countRows, readCount } from "../counts.ts";
import type { Tx } from "../transaction.ts";
import { prepareUpsert } from "../upsert.ts";
import type { Reader, Warehouse } from "../warehouse.ts";
import { CallFactsTable, type CallToAttribute } from "./call-facts.ts";
import { type Keeping, keepingAll, type WithheldContent } from "./call-guard.ts";
import { callers } from "./callers.ts";
import { calls } from "./calls.ts";
import { decide, type StoredHead } from "./decide-call.ts";
import { call_facts } from "./facts.ts";
import { readRulesInForce } from "./rules.ts";
import { hasTranscript, prepareWriteTranscript, transcripts } from "./transcripts.ts";

export interface UpsertResult {
  newIds: ReadonlySet<number>;
  changed: number;
  /** Calls that occurred more than once with different contents; the last one counts. */
  conflicting: number;
  written: ReadonlySet<number>;
}

/** Returns what was new. Data of forgotten callers is not written. */
export type UpsertCalls = (tx: Tx, page: readonly Call[]) => UpsertResult;

export interface UpsertOptions {
  /** More query members that sign a recording link. @default none */
  signature?: ReadonlySet<string>;
  /** Whether callers are settled after all calls are written; see `settleCallers`. @default false */
  isFirstLoad?: boolean;
  /** @default everything */
  keeping?: Keeping;
}

const STORED_COLUMNS = [...CALL_COLUMNS, "row_hash", "served_hash", "withheld", "caller_digest"] as const;
const ROW_COLUMNS = [...STORED_COLUMNS, "first_run_id", "changed_run_id"] as const;

export function prepareReplaceCall(warehouse: Warehouse): (call: Call & WithheldContent) => void {
  const update = prepareUpdate(warehouse, ...STORED_COLUMNS);
  const writeTranscript = prepareWriteTranscript(warehouse);
  return (call) => {
    update.run(call);
    writeTranscript(call);
  };
}

function prepareUpdate({ db }: Warehouse, ...columns: (typeof STORED_COLUMNS)[number][]) {
  return db
    .update(calls)
    .set(recordOf(columns, (column) => sql`${sql.placeholder(column)}`))
    .where(eq(calls.call_id, sql.placeholder("call_id")))
    .prepare();
}

/** Prepares to write the calls of a run. Reading the hashes of a page first is much faster than upserts that change nothing. */
export function prepareUpsertCalls(
  warehouse: Warehouse,
  runId: number,
  { signature = new Set(), isFirstLoad = false, keeping = keepingAll(warehouse) }: UpsertOptions = {},
): UpsertCalls {
  const { sqlite } = warehouse;
  const readHeads = sqlite.prepare<[string], StoredHead>(
    `SELECT call_id, row_hash, served_hash, withheld, caller_digest, first_run_id, changed_run_id, recording_url
      FROM calls WHERE call_id IN (SELECT value FROM json_each(?))`,
  );
  const updated = ROW_COLUMNS.filter((column) => column !== "call_id" && column !== "first_run_id");
  const upsertCall = prepareUpsert(warehouse, calls, ROW_COLUMNS, updated);
  const setServedHash = prepareUpdate(warehouse, "served_hash");
  const refreshRecording = prepareUpdate(warehouse, "recording_url");
  const writeTranscript = prepareWriteTranscript(warehouse);
  const { rules } = readRulesInForce(warehouse);
  const facts = new CallFactsTable(warehouse, rules, { isFirstLoad, digests: keeping.digests });

  return (tx, page) => {
    const written = new Set<number>();
    const attributed = new Map<number, CallToAttribute>();
    const newIds = new Set<number>();
    const counts = { changed: 0, conflicting: 0 };
    const ids = JSON.stringify(page.map((call) => call.call_id));
    const known = new Map(readHeads.all(ids).map((head) => [head.call_id, head]));
    // SQLite fills its pages if rows arrive in key order, and leaves half of each free if they arrive in reverse.
    for (const served of page.toSorted((a, b) => a.call_id - b.call_id)) {
      const { call_id } = served;
      const stored = known.get(call_id);
      const decision = decide(served, stored, { keeping, signature, runId });
      if (decision.kind !== "write" && decision.link) refreshRecording.run({ ...decision.link, call_id });
      if (decision.kind === "keep") continue;
      const { row } = decision;
      // Also if only what is withheld changed: it may decide the topic.
      const isNew = attributed.get(call_id)?.isNew ?? stored === undefined;
      attributed.set(call_id, { call: row, topic: deriveTopic(served, rules), isNew });
      if (decision.kind === "refresh") {
        const { servedHash } = decision;
        if (servedHash !== null) setServedHash.run({ served_hash: servedHash, call_id });
        continue;
      }
      if (!decision.isSame) {
        if (written.has(call_id)) counts.conflicting++;
        else if (stored === undefined) newIds.add(call_id);
        else if (stored.changed_run_id !== runId) counts.changed++;
        written.add(call_id);
      }
      upsertCall(row);
      if (stored !== undefined || hasTranscript(row)) writeTranscript(row);
      known.set(call_id, row);
    }
    facts.write(tx, [...attributed.values()]);
    if (newIds.size > 0) addToCount(tx, "calls", newIds.size);
    return { ...counts, newIds, written };
  };
}

/** Counts the calls that count and those marked as gone. */
export function countCalls(warehouse: Reader): { live: number; gone: number } {
  const isGone = and(isNotNull(calls.missing_since), isNotNull(calls.gone_at));
  const gone = countRows(warehouse, calls, isGone);
  return { live: readCallCount(warehouse) - gone, gone };
}

/** Counts the calls whose topic stays, since their transcript was removed. */
export function countKeptTopics(warehouse: Reader): number {
  const lost = and(isNotNull(calls.withheld), like(calls.withheld, "%transcripts%"));
  const ids = warehouse.db
    .select({ caller_id: callers.caller_id })
    .from(callers)
    .where(and(gte(callers.caller, "forgotten"), lt(callers.caller, "forgotteo")));
  const forgotten = inArray(call_facts.caller_id, ids);
  return countRows(warehouse, calls, lost) + countRows(warehouse, call_facts, forgotten);
}

export function readCallCount(warehouse: Reader): number {
  return readCount(warehouse, "calls") ?? 0;
}

export function readCallerIds({ db }: Reader): (string | null)[] {
  const rows = db.selectDistinct({ caller_id: calls.caller_id }).from(calls).all();
  return rows.map(({ caller_id }) => caller_id);
}

/** Whether every call has facts and is counted. Reads the keys of both tables. */
export function hasAllFacts(warehouse: Reader): boolean {
  const stored = readCallCount(warehouse);
  return countRows(warehouse, calls) === stored && countRows(warehouse, call_facts) === stored;
}

export function hasCall({ db }: Reader, callId: number): boolean {
  return (
    db.select({ call_id: calls.call_id }).from(calls).where(eq(calls.call_id, callId)).get() !== undefined
  );
}

/** Returns the stored starts by id, for the ids that exist. */
export function readStarts({ sqlite }: Reader, ids: readonly number[]): Map<number, string | null> {
  const read = sqlite.prepare<[string], [id: number, started: string | null]>(
    "SELECT call_id, call_started FROM calls WHERE call_id IN (SELECT value FROM json_each(?))",
  );
  return new Map(read.raw().all(JSON.stringify(ids)));
}

export function readNewestCall({ db }: Reader): string | null {
  const newest = db
    .select({ started: max(call_facts.call_started) })
    .from(call_facts)
    .get();
  return newest?.started ?? null;
}

/** Returns durations and transcripts of calls that have both, highest ids first. */
export function readLatestTranscripts(
  { db }: Reader,
  limit: number,
): Pick<Call, "duration" | "transcription_details">[] {
  return db
    .select({ duration: calls.duration, transcription_details: transcripts.transcription_details })
    .from(transcripts)
    .innerJoin(calls, eq(calls.call_id, transcripts.call_id))
    .where(and(isNotNull(calls.duration), isNotNull(transcripts.transcription_details)))
    .orderBy(desc(transcripts.call_id))
    .limit(limit)
    .all();
}
