import { createHmac, createSecretKey, hash, randomBytes, randomUUID } from "node:crypto";
import { closeSync, existsSync, linkSync, lstatSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { CalltallyError, EXIT } from "../errors.ts";
import { describeLack, toFileError } from "../file-access.ts";
import { fsyncPath, realFile, removeFile } from "../folder.ts";
import type { Warehouse } from "./open.ts";
import { readRules } from "./rules.ts";

const KEY_BYTES = 32;
const FINGERPRINT_DIGITS = 16;
/** Characters of base64url: 256 bits. */
const SEAL_LENGTH = 43;

/** Path of the key of `caller_hash`, which lies beside the warehouse. */
export function callerKeyOf(database: string): string {
  return `${realFile(database)}.caller-key`;
}

export interface CallerHash {
  /** Returns the pseudonym of a caller, by the digits and the plus sign of the number. */
  hash: (phoneDigits: string) => string;
  /** Returns a hash under the key: without that, nobody can try what it is of until one fits. 43 characters of base64url. */
  seal: (hash: string) => string;
  /** Tells keys apart: pseudonyms of one fingerprint can be compared. */
  fingerprint: string;
  /** Path of the key, where it was made just now. */
  newKey?: string;
}

/**
 * Returns how callers get their pseudonyms: the HMAC-SHA-256 of the digits and the plus sign of their number, in hex. Without the key,
 * which lies beside the warehouse and is made when it is first needed, nobody can try all numbers until one fits.
 *
 * @param database path of the warehouse
 * @throws CalltallyError (exit 7) if the key cannot be read, or is none
 */
export function openCallerHash(database: string): CallerHash {
  const file = callerKeyOf(database);
  // A link to a disk that is not there is a key that cannot be read, and no lack of one.
  const isNew = lstatSync(file, { throwIfNoEntry: false }) === undefined;
  if (isNew) makeKey(file);
  const key = readKey(file);
  const sealKey = createHmac("sha256", key).update("calltally seal").digest("hex");
  const secret = createSecretKey(key); // several times as fast as bytes, which each HMAC would make a key of anew
  return {
    hash: (phoneDigits) => createHmac("sha256", secret).update(phoneDigits).digest("hex"),
    // BLAKE2 needs no HMAC, and takes a third of its time: a key before the text will do.
    seal: (text) => hash("blake2b512", sealKey + text, "base64url").slice(0, SEAL_LENGTH),
    fingerprint: hash("sha256", key).slice(0, FINGERPRINT_DIGITS),
    ...(isNew && { newKey: file }),
  };
}

/**
 * Returns how callers get the digests by which a warehouse knows them; undefined where it knows them by their numbers.
 *
 * @throws CalltallyError (exit 7) where the key that they were made with is not there: with another one, all callers would
 * seem to be new
 */
export function openCallerDigests(warehouse: Pick<Warehouse, "db" | "path">): CallerHash | undefined {
  const made = readRules(warehouse)?.caller_key ?? null;
  if (made === null) return undefined;
  const file = callerKeyOf(warehouse.path);
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  const found = isThere ? openCallerHash(warehouse.path) : undefined;
  if (found?.fingerprint === made) return found;
  throw new CalltallyError(
    EXIT.storage,
    `Cannot tell the callers of ${warehouse.path} apart: the key of their digests, ${file}, is ${isThere ? "another one" : "not there"}`,
    {
      hint: "Put the key back from a backup. If it is lost for good, move the warehouse away and sync into a new one: with another key every caller would count as new.",
    },
  );
}

/** Pseudonyms of callers, in files. */
export interface Pseudonyms extends Pick<CallerHash, "fingerprint" | "newKey"> {
  /** Returns the pseudonym of a caller, by what the facts know it by. */
  toPseudonym: (caller: string) => string;
}

/**
 * Returns the pseudonyms of callers as the facts have them: where they know them by digests, those are the pseudonyms.
 *
 * @throws CalltallyError (exit 7) if the key cannot be read, or is none
 */
export function openPseudonyms(warehouse: Pick<Warehouse, "db" | "path">): Pseudonyms {
  const ofDigests = readRules(warehouse)?.caller_key ?? null;
  if (ofDigests !== null) return { toPseudonym: (digest) => digest, fingerprint: ofDigests };
  const { hash: toPseudonym, fingerprint, newKey } = openCallerHash(warehouse.path);
  return { toPseudonym, fingerprint, ...(newKey !== undefined && { newKey }) };
}

/** Returns what the facts know a caller by, given the digits and the plus sign of the number. The key is read when it is needed. */
export function prepareCallerName(
  warehouse: Pick<Warehouse, "db" | "path">,
): (phoneDigits: string) => string {
  let digests: CallerHash | undefined | null = null;
  return (phoneDigits) => {
    if (digests === null) digests = openCallerDigests(warehouse);
    return digests === undefined ? phoneDigits : digests.hash(phoneDigits);
  };
}

function readKey(file: string): Buffer {
  const key = Buffer.from(readKeyFile(file).trim(), "hex");
  if (key.length === KEY_BYTES) return key;
  throw new CalltallyError(EXIT.storage, `Cannot use ${file}: it is not a key of ${KEY_BYTES} bytes in hex`, {
    hint: "Restore it from a backup. With a different key the pseudonyms of callers would not match those in earlier files.",
  });
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch (error) {
    throw keyError("read", file, error);
  }
}

function keyError(verb: string, file: string, error: unknown): unknown {
  const cause = toFileError(error);
  if (cause === undefined) return error;
  return new CalltallyError(EXIT.storage, `Cannot ${verb} the key of caller_hash beside the warehouse`, {
    cause,
    hint: `${describeLack(file) ?? ""} Let the owner of the warehouse do it.`.trim(),
  });
}

/** Makes a key, whole from the first moment it is there; another process may be quicker, and its key then stays. */
function makeKey(file: string): void {
  const draft = `${file}.${randomUUID()}.tmp`;
  const handle = openDraft(draft, file);
  try {
    writeSync(handle, `${randomBytes(KEY_BYTES).toString("hex")}\n`);
    fsyncPath(draft);
    linkSync(draft, file);
    // A power cut must not take the key from files that were written with it.
    fsyncPath(dirname(file));
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    closeSync(handle);
    removeFile(draft);
  }
}

function openDraft(draft: string, file: string): number {
  try {
    return openSync(draft, "wx", 0o600);
  } catch (error) {
    throw keyError("make", file, error);
  }
}
