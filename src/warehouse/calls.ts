import { and, count, desc, eq, isNotNull, max, type Placeholder, type SQL, sql } from "drizzle-orm";
import { CALL_COLUMNS, type Call, foldUtm, hashCall, TRANSCRIPT_COLUMNS } from "../call.ts";
import type { Warehouse } from "./open.ts";
import { calls, transcripts, utm_values } from "./schema.ts";

export interface Upserted {
  /** Calls the warehouse did not have. */
  new: number;
  /** Calls it had with other content. */
  changed: number;
  /** The ids of both. */
  written: ReadonlySet<number>;
}

/**
 * Writes calls of one run; returns what was new in them. Call it inside a transaction; once one was rolled back, prepare
 * anew, since the utm values that it remembers as kept are not.
 */
export type UpsertCalls = (page: readonly Call[]) => Upserted;

/** Values of utm members remembered as already folded; a bound on memory, not a rule. */
const REMEMBERED_VALUES = 20_000;

/**
 * Prepares the statements that write calls. Only rows whose content differs are written: the page's hashes are read
 * first, which is much faster than an upsert that ends in nothing.
 */
export function prepareUpsertCalls({ db }: Warehouse, runId: number): UpsertCalls {
  const readHashes = db
    .select({ call_id: calls.call_id, row_hash: calls.row_hash, changed_run_id: calls.changed_run_id })
    .from(calls)
    .where(sql`${calls.call_id} IN (SELECT value FROM json_each(${sql.placeholder("ids")}))`)
    .prepare();
  const upsertCall = db
    .insert(calls)
    .values(placeholders([...CALL_COLUMNS, "row_hash", "first_run_id", "changed_run_id"]))
    .onConflictDoUpdate({
      target: calls.call_id,
      set: excluded([...CALL_COLUMNS, "row_hash", "changed_run_id"]),
    })
    .prepare();
  const upsertTranscript = db
    .insert(transcripts)
    .values(placeholders(["call_id", ...TRANSCRIPT_COLUMNS]))
    .onConflictDoUpdate({ target: transcripts.call_id, set: excluded(TRANSCRIPT_COLUMNS) })
    .prepare();
  const deleteTranscript = db
    .delete(transcripts)
    .where(sql`${transcripts.call_id} = ${sql.placeholder("call_id")}`)
    .prepare();
  const insertUtmValue = db
    .insert(utm_values)
    .values(placeholders(["raw", "folded"]))
    .onConflictDoNothing()
    .prepare();
  const rememberedValues = new Set<string>();

  function keepUtmValues(call: Call): void {
    for (const raw of [
      call.utm_source,
      call.utm_medium,
      call.utm_campaign,
      call.utm_content,
      call.utm_term,
    ]) {
      if (raw === null || rememberedValues.has(raw)) continue;
      insertUtmValue.run({ raw, folded: foldUtm(raw) });
      if (rememberedValues.size >= REMEMBERED_VALUES) rememberedValues.clear();
      rememberedValues.add(raw);
    }
  }

  return (page) => {
    const written = new Set<number>();
    const counts = { new: 0, changed: 0 };
    const known = new Map(
      readHashes
        .all({ ids: JSON.stringify(page.map((call) => call.call_id)) })
        .map((row) => [row.call_id, row]),
    );
    for (const call of page) {
      const row_hash = hashCall(call);
      const stored = known.get(call.call_id);
      if (stored?.row_hash === row_hash) continue;
      if (stored === undefined) counts.new++;
      else if (stored.changed_run_id !== runId) counts.changed++;
      written.add(call.call_id);
      upsertCall.run({ ...call, row_hash, first_run_id: runId, changed_run_id: runId });
      if (hasTranscript(call)) upsertTranscript.run(call);
      else if (stored !== undefined) deleteTranscript.run({ call_id: call.call_id });
      keepUtmValues(call);
      known.set(call.call_id, { call_id: call.call_id, row_hash, changed_run_id: runId });
    }
    return { ...counts, written };
  };
}

/** Counts the calls that a run was the first to read, and those it read with other content. */
export function countWritten({ db }: Warehouse, runId: number): { new: number; changed: number } {
  const isNew = eq(calls.first_run_id, runId);
  const all =
    db.select({ rows: count() }).from(calls).where(eq(calls.changed_run_id, runId)).get()?.rows ?? 0;
  const fresh = db.select({ rows: count() }).from(calls).where(isNew).get()?.rows ?? 0;
  return { new: fresh, changed: all - fresh };
}

/** Counts the calls: those the service still shows, and those marked as gone from it. */
export function countCalls({ db }: Warehouse): { live: number; gone: number } {
  const row = db
    .select({ all: count(), gone: count(calls.gone_at) })
    .from(calls)
    .get() ?? { all: 0, gone: 0 };
  return { live: row.all - row.gone, gone: row.gone };
}

/** Returns when the newest call started, ISO 8601 UTC; null where there is none. */
export function readNewestCall({ db }: Warehouse): string | null {
  return (
    db
      .select({ newest: max(calls.call_started) })
      .from(calls)
      .get()?.newest ?? null
  );
}

/** Returns the durations and transcripts of calls that have both, those with the highest identifiers first. */
export function readLatestTranscripts(
  { db }: Warehouse,
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

function hasTranscript(call: Call): boolean {
  return call.summary !== null || call.transcription !== null || call.transcription_details !== null;
}

/** A placeholder for each column, under its name. */
function placeholders<K extends string>(columns: readonly K[]): Record<K, Placeholder>;
function placeholders(columns: readonly string[]): Record<string, Placeholder> {
  return Object.fromEntries(columns.map((column) => [column, sql.placeholder(column)]));
}

/** The value that the insert would have set, for each column. */
function excluded(columns: readonly string[]): Record<string, SQL> {
  return Object.fromEntries(columns.map((column) => [column, sql.raw(`excluded.${column}`)]));
}
