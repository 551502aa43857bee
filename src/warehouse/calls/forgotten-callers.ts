import { createHmac, createSecretKey, hash, type KeyObject, randomBytes } from "node:crypto";
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { toCaller, toUnreadCaller } from "../../calls/attribution/call-text.ts";
import { maskNumbers, toNational } from "../../calls/attribution/mask-numbers.ts";
import { toReferringHost } from "../../calls/attribution/referring-host.ts";
import type { Call } from "../../calls/columns.ts";
import { isNorthAmerican, toPhoneNumber } from "../../calls/phone-numbers.ts";
import { keepClick } from "../../calls/privacy/keep-click.ts";
import { isPseudonym, toPseudonym } from "../../calls/privacy/pseudonym.ts";
import { about, describeTable, type PersonalKind, personalColumns } from "../described.ts";
import type { Tx } from "../transaction.ts";
import type { Reader, Warehouse } from "../warehouse.ts";
import { openCallerKey, openSameKey } from "./caller-key.ts";
import { CALLS } from "./calls.ts";
import { TRANSCRIPTS } from "./transcripts.ts";

const columns = {
  digest: about(text().primaryKey(), "Keyed digest of the number, different from `caller_hash`.", "digest"),
  national_digest: about(text(), "The same of the national number, as in texts; null for none.", "digest"),
  pseudonym: about(
    text().notNull(),
    "The caller's new name, `forgotten` and random digits, in `calls.caller_id` and everywhere else.",
  ),
  key_mark: about(text().notNull(), "Fingerprint of the key; digests of another key are not recognized."),
  forgotten_at: about(text().notNull(), "When the caller was forgotten, ISO 8601 UTC."),
  calls: about(integer().notNull(), "The caller's number of calls at that time."),
};

export const forgotten_callers = sqliteTable("forgotten_callers", columns, (table) => [
  uniqueIndex("forgotten_callers_pseudonym").on(table.pseudonym),
]);
export const FORGOTTEN_CALLERS = describeTable(
  forgotten_callers,
  "Callers who must not come back, recognizable only with the key next to the warehouse.",
);

const MARK_DIGITS = 16;
const PSEUDONYM_BYTES = 8;

const REMOVED = namesOfKinds("recording_urls", "visitor", "summaries", "transcripts", "extra");
/** Columns that may contain a number in anybody's calls; `tracking_number` is the number that was called. */
const TEXTS = new Set([...REMOVED, ...namesOfKinds("text")]);

/** What remains of a row that could not be parsed and that belongs to or names a forgotten caller. */
const NOTHING = "{}";

interface RejectedRow {
  call_id: number | null;
  json: string;
  path: string;
  reason: string;
}

export type ForgottenCaller = typeof forgotten_callers.$inferSelect;

/** The number is undefined for a hash that matches no stored number. */
export interface CallerToForget {
  digest: string;
  caller: string | undefined;
}

export class CallerDigests {
  readonly mark: string;
  readonly #callerKey: KeyObject;
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.mark = hash("sha256", `forgotten callers ${key.toString("hex")}`).slice(0, MARK_DIGITS);
    this.#callerKey = createSecretKey(key);
    this.#key = createSecretKey(createHmac("sha256", key).update("forgotten callers").digest());
  }

  /** Of a caller, or of a number in national form. */
  of(caller: string): string {
    return this.ofText(createHmac("sha256", this.#callerKey).update(caller).digest("hex"));
  }

  /** Of the `caller_hash` in exported files, or any other text. */
  ofText(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }

  /** Returns the pseudonym of a caller whose number text contains a forgotten number; always the same one. */
  pseudonymOf(caller: string): string {
    return toPseudonym(createHmac("sha256", this.#key).update(`named ${caller}`).digest());
  }

  toForgotten({ digest, caller }: CallerToForget, forgotten_at: string): ForgottenCaller {
    const national = caller === undefined ? null : toNational(caller);
    const pseudonym = toPseudonym(randomBytes(PSEUDONYM_BYTES));
    const national_digest = national && this.of(national);
    return { digest, national_digest, pseudonym, key_mark: this.mark, forgotten_at, calls: 0 };
  }
}

/** Removes data of forgotten callers from calls and texts. */
export class ForgottenCallers {
  readonly met = new Set<string>();
  readonly #digests: CallerDigests;
  readonly #byDigest: ReadonlyMap<string, ForgottenCaller>;
  readonly #byNational: ReadonlyMap<string, ForgottenCaller>;

  constructor(digests: CallerDigests, callers: readonly ForgottenCaller[]) {
    this.#digests = digests;
    this.#byDigest = new Map(callers.map((caller) => [caller.digest, caller]));
    this.#byNational = new Map(
      callers.flatMap((caller) => (caller.national_digest ? [[caller.national_digest, caller]] : [])),
    );
  }

  /** Returns the same object if nothing in it is personal. @param callerDigest of a stored call whose number is not kept */
  strip<C extends Call>(call: C, callerDigest: string | null = null): C {
    const pseudonym =
      callerDigest === null ? this.pseudonymOfId(call.caller_id) : this.pseudonymOfHash(callerDigest);
    const stripped = pseudonym === undefined ? { ...call } : stripCall(call, pseudonym);
    let isSame = pseudonym === undefined;
    for (const [name, text] of Object.entries(stripped)) {
      if (typeof text !== "string" || !TEXTS.has(name)) continue;
      const masked = this.mask(text);
      if (masked === text) continue;
      Object.assign(stripped, { [name]: masked });
      isSame = false;
    }
    return isSame ? call : stripped;
  }

  /** Returns a row that could not be parsed without its content if that belongs to or names a forgotten caller. */
  stripRejected<T extends RejectedRow>(row: T): T & { row_key?: string } {
    const isNamed =
      this.pseudonymOfId(callerIdOf(row.json)) !== undefined || this.mask(row.json) !== row.json;
    if (!isNamed) return row;
    const row_key = row.call_id === null ? { row_key: `hmac:${this.#digests.ofText(row.json)}` } : {};
    return { ...row, json: NOTHING, path: this.mask(row.path), reason: this.mask(row.reason), ...row_key };
  }

  /**
   * Returns the pseudonym for a served `caller_id` that is or contains a forgotten number. One that contains it among others,
   * or is its national number, stays another caller, as before.
   */
  pseudonymOfId(callerId: string | null): string | undefined {
    const caller = toCaller(callerId);
    if (callerId === null || caller === null || isPseudonym(caller)) return undefined;
    // A `caller_hash` in a file of an earlier version is of all letters and digits.
    const unread = toUnreadCaller(callerId) ?? caller;
    const forgotten = this.#find(caller) ?? (unread === caller ? undefined : this.#find(unread));
    if (forgotten !== undefined) return forgotten.pseudonym;
    const isNamed = this.#isNational(callerId) || this.#isAmong(callerId);
    return isNamed ? this.#digests.pseudonymOf(caller) : undefined;
  }

  /** Whether it can only be the national number of a forgotten caller. */
  #isNational(callerId: string): boolean {
    const phone = toPhoneNumber(callerId);
    if (phone === undefined) return false;
    if (isNorthAmerican(phone)) return this.#find(`+1${phone.number.slice(1)}`) !== undefined;
    return phone.number.startsWith("+0") && this.#find(phone.number.slice(2)) !== undefined;
  }

  #isAmong(callerId: string): boolean {
    if (toPhoneNumber(callerId) !== undefined) return false;
    const isForgotten = (number: string) => number.startsWith("+") && this.#find(number) !== undefined;
    return maskNumbers(callerId, isForgotten) !== callerId;
  }

  pseudonymOf(caller: string): string | undefined {
    return this.#byDigest.get(this.#digests.of(caller))?.pseudonym;
  }

  pseudonymOfHash(callerHash: string): string | undefined {
    const forgotten = this.#byDigest.get(this.#digests.ofText(callerHash));
    if (forgotten !== undefined) this.met.add(forgotten.digest);
    return forgotten?.pseudonym;
  }

  mask(text: string): string {
    return maskNumbers(text, (number) => this.#find(number) !== undefined);
  }

  #find(caller: string): ForgottenCaller | undefined {
    const digest = this.#digests.of(caller);
    const forgotten = this.#byDigest.get(digest) ?? this.#byNational.get(digest);
    if (forgotten !== undefined) this.met.add(forgotten.digest);
    return forgotten;
  }
}

/** Returns undefined if nobody was forgotten. @throws CalltallyError (exit 7) without their key: they would come back */
export function openForgotten(warehouse: Reader): ForgottenCallers | undefined {
  const { path } = warehouse;
  const callers = readForgotten(warehouse);
  if (callers.length === 0) return undefined;
  const digests = openSameKey(
    path,
    () => new CallerDigests(openCallerKey(path).key),
    ({ mark }) => callers.every(({ key_mark }) => key_mark === mark),
    {
      use: `write calls into ${path}: the key that recognizes forgotten callers`,
      hint: "Without it they would come back. Restore the key from a backup's folder.",
    },
  );
  return new ForgottenCallers(digests, callers);
}

export function readForgotten({ db }: Reader): ForgottenCaller[] {
  return db.select().from(forgotten_callers).all();
}

/** Adds forgotten callers; existing ones stay unchanged. */
export function insertForgotten({ db }: Warehouse, callers: readonly ForgottenCaller[]): void {
  for (const caller of callers) db.insert(forgotten_callers).values(caller).onConflictDoNothing().run();
}

export function countForgottenCalls({ sqlite }: Tx): void {
  sqlite.exec(
    `UPDATE forgotten_callers SET calls = (
      SELECT count(*) FROM callers JOIN call_facts USING (caller_id) WHERE caller = pseudonym)`,
  );
}

function stripCall<C extends Call>(call: C, pseudonym: string): C {
  const removed = Object.fromEntries(REMOVED.map((name) => [name, null]));
  const left = { ...call, ...removed, caller_id: pseudonym, referring_url: toSite(call.referring_url) };
  return keepClick(call, left);
}

function namesOfKinds(...kinds: PersonalKind[]): string[] {
  return [CALLS, TRANSCRIPTS].flatMap((table) => personalColumns(table, kinds).map(({ name }) => name));
}

/** Returns the scheme and host of an address, so that its host counts as before; null if it has none. */
function toSite(address: string | null): string | null {
  const host = toReferringHost(address);
  if (address === null || host === null) return null;
  const { protocol = "", host: whole = "" } = URL.parse(address.trim()) ?? {};
  const candidates = [`${protocol}//${whole}/`, `https://${host}/`, host];
  return candidates.find((candidate) => toReferringHost(candidate) === host) ?? null;
}

/** The `caller_id` of a row that could not be parsed, if it can be read, also inside a list. */
function callerIdOf(json: string): string | null {
  const row: unknown = JSON.parse(json);
  return typeof row === "object" && row !== null && "caller_id" in row ? String(row.caller_id) : null;
}
