import { randomBytes } from "node:crypto";
import { count, eq, sql } from "drizzle-orm";
import { presentNumber, toCaller } from "../attribution/call-text.ts";
import { toNational } from "../attribution/phone-mentions.ts";
import { type Call, TRANSCRIPT_COLUMNS } from "../call.ts";
import { isPseudonym, toPseudonym } from "../privacy/pseudonym.ts";
import { TABLES } from "../schema/schema.ts";
import { CallFactsTable } from "../warehouse/calls/call-facts.ts";
import { type Keeping, keepingAll, type Withheld } from "../warehouse/calls/call-guard.ts";
import { openCallerDigests } from "../warehouse/calls/caller-hash.ts";
import { openCallerKey } from "../warehouse/calls/caller-key.ts";
import { renameCallers } from "../warehouse/calls/caller-names.ts";
import { CALLS, calls } from "../warehouse/calls/calls.ts";
import { withholdDrift } from "../warehouse/calls/drift.ts";
import { eachBatch } from "../warehouse/calls/each-call.ts";
import { withoutFactLog } from "../warehouse/calls/fact-log.ts";
import { CALL_FACTS, call_facts } from "../warehouse/calls/facts.ts";
import { readUnsettled } from "../warehouse/calls/first-load.ts";
import {
  CallerDigests,
  type ForgottenCaller,
  type ForgottenCallers,
  forgotten_callers,
  insertForgotten,
  openForgotten,
  readForgotten,
} from "../warehouse/calls/forgotten-callers.ts";
import { REJECTED_CALLS, readRejected, rejected_calls } from "../warehouse/calls/rejected.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import { prepareWriteTranscript, transcripts, WHOLE_CALL } from "../warehouse/calls/transcripts.ts";
import { type DescribedTable, type PersonalKind, personalColumns } from "../warehouse/described.ts";
import type { LockedWarehouse } from "../warehouse/lock.ts";
import { insertPrivacyAct } from "../warehouse/privacy-act-table.ts";
import type { Tx } from "../warehouse/transaction.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** Bytes that are drawn for a pseudonym. */
const PSEUDONYM_BYTES = 8;

/** Tables whose rows are stripped as a whole, so that their hashes, and the facts of calls, follow. */
const STRIPPED: readonly DescribedTable[] = [CALLS, CALL_FACTS, REJECTED_CALLS];

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
  // Hashes of rows, by which numbers could be found by trying all; names of insights: a pass that was cut short begins again.
  for (const { table, column } of columnsOf("scratch"))
    warehouse.sqlite.exec(`UPDATE ${table} SET ${column} = NULL`);
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
  const writeTranscript = prepareWriteTranscript(warehouse);
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
      if (TRANSCRIPT_COLUMNS.every((column) => call[column] === stripped[column])) continue;
      writeTranscript(stripped);
      if (isNamed) counts.transcripts++;
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
  const { served_hash, withheld, caller_digest } = calls;
  const query = db
    .select({ ...WHOLE_CALL, served_hash, withheld, caller_digest })
    .from(calls)
    .leftJoin(transcripts, eq(transcripts.call_id, calls.call_id))
    .$dynamic();
  return eachBatch(calls.call_id, query);
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
  for (const { table, column, personal } of columnsOf("text", "key")) {
    sqlite.exec(`UPDATE OR REPLACE ${table} SET "${column}" = mask_numbers("${column}", ${personal === "key"})
      WHERE typeof("${column}") = 'text' AND "${column}" GLOB '${MAY_HAVE_DIGITS}'`);
  }
  return masked;
}

/** Returns the columns of some kinds, of all tables that are not stripped as a whole. */
function columnsOf(...kinds: PersonalKind[]) {
  return TABLES.filter((table) => !STRIPPED.includes(table)).flatMap((table) =>
    personalColumns(table, kinds).map(({ name, personal }) => ({
      table: table.name,
      column: name,
      personal,
    })),
  );
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
