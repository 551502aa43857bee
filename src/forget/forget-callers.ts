import { randomBytes } from "node:crypto";
import { count, eq, getTableColumns, getTableName, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { presentNumber, toCaller } from "../attribution/call-text.ts";
import { toNational } from "../attribution/phone-mentions.ts";
import { type Call, TRANSCRIPT_COLUMNS } from "../call.ts";
import { isPseudonym, toPseudonym } from "../privacy/pseudonym.ts";
import { CallFactsTable } from "../warehouse/calls/call-facts.ts";
import { type Keeping, keepingAll, type Withheld } from "../warehouse/calls/call-guard.ts";
import { openCallerDigests } from "../warehouse/calls/caller-hash.ts";
import { openCallerKey } from "../warehouse/calls/caller-key.ts";
import { renameCallers } from "../warehouse/calls/caller-names.ts";
import { withholdDrift } from "../warehouse/calls/drift.ts";
import { eachBatch } from "../warehouse/calls/each-call.ts";
import { withoutFactLog } from "../warehouse/calls/fact-log.ts";
import { readUnsettled } from "../warehouse/calls/first-load.ts";
import {
  CallerDigests,
  type ForgottenCaller,
  type ForgottenCallers,
  insertForgotten,
  openForgotten,
  readForgotten,
} from "../warehouse/calls/forgotten-callers.ts";
import { readRejected } from "../warehouse/calls/rejected.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import type { LockedWarehouse } from "../warehouse/lock.ts";
import { insertPrivacyAct } from "../warehouse/privacy-act-table.ts";
import {
  call_facts,
  calls,
  deliveries,
  exported_rollups,
  exported_rows,
  exports,
  fact_changes,
  forgotten_callers,
  insight_changes,
  insights,
  jobs,
  publications,
  rejected_calls,
  report_runs,
  restatements,
  spend,
  sync_pages,
  sync_runs,
  transcripts,
  webhook_changes,
} from "../warehouse/schema.ts";
import { type Tx, writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** Bytes that are drawn for a pseudonym. */
const PSEUDONYM_BYTES = 8;

/** Columns beside those of calls whose texts may hold what somebody wrote or said. */
export const FREE_TEXTS = [
  { table: sync_runs, columns: ["plan_reason", "verdict_reason", "advice", "error"] },
  { table: exports, columns: ["filter"], hasCalledNumbers: true },
  { table: jobs, columns: ["error"] },
  { table: publications, columns: ["error"] },
  { table: report_runs, columns: ["error"] },
  { table: deliveries, columns: ["last_error"] },
  {
    table: fact_changes,
    columns: [
      "source",
      "medium",
      "campaign",
      "campaign_id",
      "gclid",
      "gclsrc",
      "referring_host",
      "utm_source_folded",
      "utm_medium_folded",
      "utm_campaign_folded",
      "utm_content_folded",
      "utm_term_folded",
      "insight_name",
      "org_unit_name",
      "disposition",
    ],
  },
  { table: exported_rollups, columns: ["question"], hasCalledNumbers: true },
  { table: exported_rows, columns: ["key"], hasCalledNumbers: true },
  { table: restatements, columns: ["key"], hasCalledNumbers: true },
  { table: spend, columns: ["source", "medium", "campaign", "campaign_id", "file"] },
  {
    table: insights,
    columns: [
      "insight_name",
      "insight_help",
      "llm_config",
      "keyword_config",
      "draft_details",
      "hit_keywords",
      "miss_keywords",
      "insight_guideline",
      "insight_description",
      "insight_example",
      "extra",
    ],
  },
  { table: insight_changes, columns: ["before", "after"] },
  { table: webhook_changes, columns: ["body", "answer"] },
] satisfies FreeTexts[];

interface FreeTexts {
  table: SQLiteTable;
  columns: string[];
  /** Whether they are JSON in which numbers that were called stand, as they go on to do in `calls`: those of the company, whoever calls from them. */
  hasCalledNumbers?: boolean;
}

/** Who is to be forgotten: a caller by the digits of the number, or by the `caller_hash` of exported files, in lower case. */
export type Forgettable = { caller: string } | { callerHash: string };

/** How many of what were touched; nothing personal. */
export interface ForgetCounts {
  /** Those who were not forgotten before. */
  callers: number;
  /** Calls of theirs, and of others that named them. */
  calls: number;
  transcripts: number;
  rejected_rows: number;
  /** Other texts that had a number of theirs in them. */
  texts: number;
}

const NOTHING_DONE = {
  counts: { calls: 0, transcripts: 0, rejected_rows: 0, texts: 0 },
  spellings: [],
  met: new Set<string>(),
};

export interface Forgotten {
  counts: ForgetCounts;
  /** Those that nothing here was known of, by their index: nothing was done. */
  unknown: number[];
  /** The callers who are known, by their numbers' digits. */
  callers: string[];
  /** Their numbers as they were written in calls. */
  spellings: string[];
  /** What those are called who were to be forgotten. */
  pseudonyms: string[];
  /** Path of the key, where it was made just now. */
  newKey?: string | undefined;
}

export interface ForgetOptions {
  nowMs: number;
  /** Whether callers of whom nothing is known are kept out from now on. @default false */
  isUnknownAllowed?: boolean;
}

/**
 * Removes what is personal of callers from every table, and keeps it from coming back; calls stay, and all figures with
 * them. All of it in one transaction, and nothing of it where a caller is unknown.
 */
export function forgetCallers(
  warehouse: LockedWarehouse,
  whom: readonly Forgettable[],
  { nowMs, isUnknownAllowed = false }: ForgetOptions,
): Forgotten {
  // Not with another key than before, and none is made in the place of one that is lost.
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
  // What is freed is overwritten, and not only given back.
  warehouse.sqlite.pragma("secure_delete = ON");
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

/**
 * Forgets callers in a copy of the warehouse that was made before they were forgotten; returns whether there were any.
 */
export function forgetAgain(
  warehouse: LockedWarehouse,
  callers: readonly ForgottenCaller[],
  nowMs: number,
): boolean {
  warehouse.sqlite.pragma("secure_delete = ON");
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

/** Takes what is of forgotten callers out of every table. */
function takeOut(warehouse: Tx) {
  const forgotten = openForgotten(warehouse);
  if (forgotten === undefined) return NOTHING_DONE;
  // Before the calls, so that of their facts nothing else changes than names.
  const toName = prepareRename(warehouse, forgotten);
  renameCallers(warehouse, (caller) => toName(caller) ?? caller);
  const keeping = keepingAll(warehouse);
  const { counts, spellings } = stripCalls(warehouse, forgotten, keeping);
  const rejected_rows = stripRejectedRows(warehouse, forgotten, keeping);
  withholdDrift(warehouse, keeping);
  const texts = maskTexts(warehouse, forgotten);
  // By hashes of rows numbers could be found, by trying all of them.
  warehouse.db.update(publications).set({ totals: null }).run();
  // Names of insights: a pass that was cut short begins again.
  warehouse.db.update(sync_pages).set({ order_members: null }).run();
  countCalls(warehouse);
  return { counts: { ...counts, rejected_rows, texts }, spellings, met: forgotten.met };
}

/** Returns what the facts are to know a caller by who was forgotten, by what they know the caller by; undefined of any other. */
function prepareRename(
  warehouse: Warehouse,
  forgotten: ForgottenCallers,
): (caller: string) => string | undefined {
  const digests = openCallerDigests(warehouse);
  const byName = new Map<string, string>();
  for (const callerId of readCallerIds(warehouse)) {
    const [caller, pseudonym] = [toCaller(callerId), forgotten.pseudonymOfId(callerId)];
    if (caller !== null && pseudonym !== undefined) byName.set(digests?.hash(caller) ?? caller, pseudonym);
  }
  const isDigest = digests !== undefined;
  return (caller) =>
    byName.get(caller) ?? (isDigest ? forgotten.pseudonymOfHash(caller) : forgotten.pseudonymOfId(caller));
}

function readCallerIds({ db }: Warehouse): (string | null)[] {
  const rows = db.selectDistinct({ caller_id: calls.caller_id }).from(calls).all();
  return rows.map(({ caller_id }) => caller_id);
}

function record(warehouse: Tx, counts: ForgetCounts, at: string): void {
  if (Object.values(counts).every((count) => count === 0)) return;
  insertPrivacyAct(warehouse, { at, act: "forget", counts: { ...counts } });
}

/** Ends the transaction with nothing done. */
class UnknownCallers extends Error {}

interface Wanted {
  digest: string;
  /** Unknown of one who was given by a hash and is forgotten already. */
  caller: string | undefined;
}

function resolveCallers(
  warehouse: Warehouse,
  digests: CallerDigests,
  whom: readonly Forgettable[],
): Wanted[] {
  const callers = whom.some((one) => "callerHash" in one)
    ? readCallersByDigest(warehouse, digests)
    : new Map();
  return whom.map((one) => {
    if ("caller" in one) return { digest: digests.of(one.caller), caller: one.caller };
    const digest = digests.ofHash(one.callerHash);
    return { digest, caller: callers.get(digest) };
  });
}

/** Of those whose numbers are kept. */
function readCallersByDigest(warehouse: Warehouse, digests: CallerDigests): Map<string, string> {
  return new Map(
    readCallerIds(warehouse).flatMap((callerId) => {
      const caller = toCaller(callerId);
      return caller === null ? [] : [[digests.of(caller), caller]];
    }),
  );
}

function toTombstones(
  digests: CallerDigests,
  fresh: readonly Wanted[],
  forgotten_at: string,
): ForgottenCaller[] {
  return fresh.map(({ digest, caller }) => {
    const national = caller === undefined ? null : toNational(caller);
    const pseudonym = toPseudonym(randomBytes(PSEUDONYM_BYTES));
    const national_digest = national && digests.of(national);
    return { digest, national_digest, pseudonym, key_mark: digests.mark, forgotten_at, calls: 0 };
  });
}

/** Strips the stored calls, and all undocumented members; their hashes are of what is left, and that is what is made of them when they are served again. */
function stripCalls(warehouse: Tx, forgotten: ForgottenCallers, keeping: Keeping) {
  const { db } = warehouse;
  const { rules } = readRulesInForce(warehouse);
  const facts = new CallFactsTable(warehouse, rules, {
    isFirstLoad: readUnsettled(warehouse) > 0,
    digests: openCallerDigests(warehouse),
  });
  const counts = { calls: 0, transcripts: 0 };
  const spellings = new Set<string>();
  for (const batch of readCalls(warehouse)) {
    const changed = batch.flatMap((call) => {
      const named = forgotten.strip(call, call.caller_digest);
      const isNamed = named !== call;
      // By the hash of a whole row what was taken out of it could be found.
      const served_hash = isNamed ? null : call.served_hash;
      const { call: kept, removed } = keeping.toStored({ ...named, served_hash }, ["extra"]);
      if (!isNamed && removed.length === 0) return [];
      // Of a forgotten caller's call nothing is left that could be withheld.
      const isOwn = isPseudonym(kept.caller_id) && !isPseudonym(call.caller_id);
      return { call, isNamed, stripped: isOwn ? { ...kept, withheld: null, caller_digest: null } : kept };
    });
    for (const { call, isNamed, stripped } of changed) {
      if (call.caller_id !== null && call.caller_id !== stripped.caller_id) spellings.add(call.caller_id);
      db.update(calls).set(pickColumns(stripped)).where(eq(calls.call_id, stripped.call_id)).run();
      if (writeTranscript(warehouse, call, stripped) && isNamed) counts.transcripts++;
    }
    const ofNamed = changed.filter(({ isNamed }) => isNamed);
    counts.calls += ofNamed.length;
    withoutFactLog(warehouse, () =>
      facts.write(
        warehouse,
        ofNamed.map(({ stripped }) => ({ call: stripped, isNew: false })),
      ),
    );
  }
  return { counts, spellings: [...spellings] };
}

function pickColumns({ summary, transcription, transcription_details, ...columns }: StoredCall & Withheld) {
  return columns;
}

type StoredCall = Call & Omit<Withheld, "row_hash">;

function readCalls({ db }: Warehouse): Generator<StoredCall[]> {
  const {
    row_hash,
    first_run_id,
    changed_run_id,
    missing_since,
    gone_at,
    absent_since,
    absent_passes,
    unlisted_since,
    ...columns
  } = getTableColumns(calls);
  const { summary, transcription, transcription_details } = transcripts;
  const query = db
    .select({ ...columns, summary, transcription, transcription_details })
    .from(calls)
    .leftJoin(transcripts, eq(transcripts.call_id, calls.call_id))
    .$dynamic();
  return eachBatch(calls.call_id, query);
}

/** Returns whether there is another transcript now, or none any more. */
function writeTranscript({ db }: Warehouse, before: Call, { call_id, ...after }: Call): boolean {
  if (TRANSCRIPT_COLUMNS.every((column) => before[column] === after[column])) return false;
  const isOf = eq(transcripts.call_id, call_id);
  const { summary, transcription, transcription_details } = after;
  if (TRANSCRIPT_COLUMNS.every((column) => after[column] === null)) db.delete(transcripts).where(isOf).run();
  else db.update(transcripts).set({ summary, transcription, transcription_details }).where(isOf).run();
  return true;
}

function stripRejectedRows(warehouse: Warehouse, forgotten: ForgottenCallers, keeping: Keeping): number {
  let stripped = 0;
  for (const row of readRejected(warehouse)) {
    const left = forgotten.stripRejected(row);
    const json = keeping.toStoredRow(left.json, row.first_run_id);
    if (left === row && json === row.json) continue;
    warehouse.db
      .update(rejected_calls)
      .set({ ...left, json })
      .where(eq(rejected_calls.row_key, row.row_key))
      .run();
    if (left !== row) stripped++;
  }
  return stripped;
}

/** Prepares to mask the numbers of forgotten callers in JSON of what was exported, but for those that are called. */
export function prepareMaskJson(
  warehouse: Warehouse,
  forgotten = openForgotten(warehouse),
): (json: string) => string {
  if (forgotten === undefined) return (json) => json;
  const isCalled = prepareIsCalled(warehouse);
  return (json) => json.replace(JSON_TEXT, (text) => (isCalled(text) ? text : forgotten.mask(text)));
}

/** Masks the numbers in whatever other texts there are; of two rows that are the same then, one is left. */
function maskTexts(warehouse: Warehouse, forgotten: ForgottenCallers): number {
  const { sqlite } = warehouse;
  const maskJson = prepareMaskJson(warehouse, forgotten);
  let masked = 0;
  sqlite.function("mask_numbers", { directOnly: true }, (text, isSpared) => {
    const left = isSpared === 1 ? maskJson(String(text)) : forgotten.mask(String(text));
    if (left !== text) masked++;
    return left;
  });
  const texts: readonly FreeTexts[] = FREE_TEXTS;
  for (const { table, columns, hasCalledNumbers = false } of texts) {
    for (const column of columns) {
      const name = getTableName(table);
      sqlite.exec(`UPDATE OR REPLACE ${name} SET "${column}" = mask_numbers("${column}", ${hasCalledNumbers})
        WHERE typeof("${column}") = 'text' AND "${column}" GLOB '${MAY_HAVE_DIGITS}'`);
    }
  }
  return masked;
}

/** Of digits or any character beyond ASCII, such as digits of other scripts. */
const MAY_HAVE_DIGITS = "*[^ -/:-~]*";

/** A text in JSON, or what stands between two. */
const JSON_TEXT = /"(?:[^"\\]|\\.)*"|[^"]+/g;

/** Prepares to tell whether a text in JSON is a number that was called. */
function prepareIsCalled({ db }: Warehouse): (text: string) => boolean {
  const rows = db.selectDistinct({ number: call_facts.tracking_number }).from(call_facts).all();
  const called = new Set(rows.map(({ number }) => number));
  return (text) => text.startsWith('"') && called.has(presentNumber(String(JSON.parse(text))));
}

/** How many calls each forgotten caller has. */
function countCalls({ db }: Warehouse): void {
  const ofCaller = db
    .select({ calls: count() })
    .from(call_facts)
    .where(eq(call_facts.caller, forgotten_callers.pseudonym));
  db.update(forgotten_callers)
    .set({ calls: sql`${ofCaller}` })
    .run();
}
