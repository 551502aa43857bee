import { and, count, desc, eq, isNotNull, max } from "drizzle-orm";
import { CALL_COLUMNS, type Call, foldUtm, hashCall, isSameRecording, TRANSCRIPT_COLUMNS } from "../call.ts";
import type { Warehouse } from "./open.ts";
import { calls, transcripts } from "./schema.ts";

export interface Upserted {
  /** Calls the warehouse did not have. */
  new: number;
  /** Calls it had with other content. */
  changed: number;
  /** Calls that came more than once, with different contents; the last one counts. */
  conflicting: number;
  /** The ids of those that were new or changed. */
  written: ReadonlySet<number>;
}

/**
 * Writes calls of one run; returns what was new in them. Call it inside a transaction; once one was rolled back, prepare
 * anew, since the utm values that it remembers as kept are not.
 *
 * @param hashes of the calls as they were served, where that is known: then calls are recognized by it later on
 */
export type UpsertCalls = (page: readonly Call[], hashes?: readonly (string | undefined)[]) => Upserted;

/** Values of utm members remembered as already folded; a bound on memory, not a rule. */
const REMEMBERED_VALUES = 20_000;

const ROW_COLUMNS = [...CALL_COLUMNS, "row_hash", "served_hash", "first_run_id", "changed_run_id"] as const;

/**
 * Prepares the statements that write calls. Only rows whose content differs are written: the page's hashes are read
 * first, which is much faster than an upsert that ends in nothing.
 */
export function prepareUpsertCalls(
  warehouse: Warehouse,
  runId: number,
  signature: ReadonlySet<string> = new Set(),
): UpsertCalls {
  // Of all statements these run most often: bound by position, without Drizzle in between, they take half the time.
  const { sqlite } = warehouse;
  const readHashes = sqlite
    .prepare<
      [ids: string],
      [
        call_id: number,
        row_hash: string,
        served_hash: string | null,
        changed_run_id: number,
        recording_url: string | null,
      ]
    >(
      `SELECT call_id, row_hash, served_hash, changed_run_id, recording_url FROM calls
        WHERE call_id IN (SELECT value FROM json_each(?))`,
    )
    .raw();
  const upsertCall = sqlite.prepare(upsertSql("calls", ROW_COLUMNS, ["call_id", "first_run_id"]));
  const upsertTranscript = sqlite.prepare(
    upsertSql("transcripts", ["call_id", ...TRANSCRIPT_COLUMNS], ["call_id"]),
  );
  const deleteTranscript = sqlite.prepare("DELETE FROM transcripts WHERE call_id = ?");
  const setServedHash = sqlite.prepare("UPDATE calls SET served_hash = ? WHERE call_id = ?");
  const refreshRecording = prepareRefreshRecording(warehouse);
  const insertUtmValue = sqlite.prepare(
    "INSERT INTO utm_values (raw, folded) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  const rememberedValues = new Set<string>();

  function keepUtmValue(raw: string | null): void {
    if (raw === null || rememberedValues.has(raw)) return;
    insertUtmValue.run(raw, foldUtm(raw));
    if (rememberedValues.size >= REMEMBERED_VALUES) rememberedValues.clear();
    rememberedValues.add(raw);
  }

  return (page, hashes = []) => {
    const written = new Set<number>();
    const counts = { new: 0, changed: 0, conflicting: 0 };
    const ids = JSON.stringify(page.map((call) => call.call_id));
    const known = new Map(
      readHashes
        .all(ids)
        .map(([id, hash, served, changed_run_id, link]) => [id, { hash, served, changed_run_id, link }]),
    );
    for (const { call, served } of inOrderOfId(page, hashes)) {
      const { call_id } = call;
      const stored = known.get(call_id);
      const hash = hashCall(call);
      // The hash leaves out the query of the recording's link.
      if (stored?.hash === hash && isSameRecording(stored.link, call.recording_url, signature)) {
        if (stored.link !== (call.recording_url?.toWellFormed() ?? null))
          refreshRecording(call_id, call.recording_url);
        if (served !== null && stored.served !== served) setServedHash.run(served, call_id);
        continue;
      }
      if (written.has(call_id)) counts.conflicting++;
      else if (stored === undefined) counts.new++;
      else if (stored.changed_run_id !== runId) counts.changed++;
      written.add(call_id);
      const values: unknown[] = [];
      for (const column of CALL_COLUMNS) values.push(call[column]);
      upsertCall.run(...values, hash, served, runId, runId);
      if (hasTranscript(call)) {
        upsertTranscript.run(call_id, call.summary, call.transcription, call.transcription_details);
      } else if (stored !== undefined) deleteTranscript.run(call_id);
      keepUtmValue(call.utm_source);
      keepUtmValue(call.utm_medium);
      keepUtmValue(call.utm_campaign);
      keepUtmValue(call.utm_content);
      keepUtmValue(call.utm_term);
      known.set(call_id, { hash, served, changed_run_id: runId, link: call.recording_url });
    }
    return { ...counts, written };
  };
}

/** Prepares to keep links to recordings that were signed anew. Call it in the transaction that writes the page. */
export function prepareRefreshRecording({ sqlite }: Warehouse): (callId: number, url: string | null) => void {
  const refresh = sqlite.prepare("UPDATE calls SET recording_url = ? WHERE call_id = ?");
  return (callId, url) => void refresh.run(url, callId);
}

/**
 * The calls by their ids, rising: SQLite fills its pages when rows come in the order of the key, and leaves half of each
 * free when they come against it, as from a service that lists the newest first.
 */
function inOrderOfId(page: readonly Call[], hashes: readonly (string | undefined)[]) {
  return page
    .map((call, index) => ({ call, served: hashes[index] ?? null }))
    .sort((a, b) => a.call.call_id - b.call.call_id);
}

/** Inserts a row by its key, the first column; or sets the columns of the one there is, but for some. */
function upsertSql(table: string, columns: readonly string[], kept: readonly string[]): string {
  const [key] = columns;
  const values = columns.map(() => "?").join(", ");
  const set = columns
    .filter((column) => !kept.includes(column))
    .map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${values})
    ON CONFLICT (${key}) DO UPDATE SET ${set.join(", ")}`;
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
