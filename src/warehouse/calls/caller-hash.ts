import { createHmac, createSecretKey, hash } from "node:crypto";
import { isPseudonym } from "../../calls/privacy/pseudonym.ts";
import type { Reader } from "../warehouse.ts";
import { openCallerKey, openSameKey } from "./caller-key.ts";
import { type ForgottenCallers, openForgotten } from "./forgotten-callers.ts";
import { readRulesInForce } from "./rules.ts";

const FINGERPRINT_DIGITS = 16;
/** Base64url of 256 bits. */
const SEAL_LENGTH = 43;

export interface CallerHash {
  /** Returns the pseudonym of a caller, given `+` and the digits of the number. */
  hash: (phoneDigits: string) => string;
  /** Returns a keyed hash, 43 characters of base64url: without the key, nobody can find the input by trying. */
  seal: (hash: string) => string;
  /** Identifies the key: pseudonyms with the same fingerprint can be compared. */
  fingerprint: string;
  /** Path of the key, if it was created just now. */
  newKey?: string;
}

/**
 * Returns the HMAC-SHA-256 for pseudonyms, in hex, and creates the key if there is none.
 * @throws CalltallyError (exit 7) if the key cannot be read or is invalid
 */
export function openCallerHash(database: string): CallerHash {
  const { key, newFile } = openCallerKey(database);
  const sealKey = createHmac("sha256", key).update("calltally seal").digest("hex");
  const secret = createSecretKey(key); // several times as fast as bytes, from which each HMAC would make a new key
  return {
    hash: (phoneDigits) => createHmac("sha256", secret).update(phoneDigits).digest("hex"),
    // BLAKE2 needs no HMAC construction and takes a third of its time; the key goes before the text.
    seal: (text) => hash("blake2b512", sealKey + text, "base64url").slice(0, SEAL_LENGTH),
    fingerprint: hash("sha256", key).slice(0, FINGERPRINT_DIGITS),
    ...(newFile !== undefined && { newKey: newFile }),
  };
}

/**
 * Returns the digests that replace callers' numbers in the facts; undefined if the facts hold numbers.
 * @throws CalltallyError (exit 7) if the key is missing or not the same: every caller would count as new
 */
export function openCallerDigests(warehouse: Reader): CallerHash | undefined {
  const { path } = warehouse;
  const fingerprintInForce = readRulesInForce(warehouse).caller_key;
  if (fingerprintInForce === null) return undefined;
  return openSameKey(
    path,
    () => openCallerHash(path),
    ({ fingerprint }) => fingerprint === fingerprintInForce,
    {
      use: `identify the callers of ${path}: the key of their digests`,
      hint: "Put the key back from a backup. If it is lost for good, move the warehouse away and sync into a new one: with a new key every caller would count as new.",
    },
  );
}

/** Returns the pseudonyms for files; if the facts hold digests, those are the pseudonyms. */
export function openPseudonyms(warehouse: Reader) {
  const digests = openCallerDigests(warehouse);
  const { hash: toHash, fingerprint, newKey } = digests ?? openCallerHash(warehouse.path);
  const isHash = (caller: string) => digests !== undefined && !isPseudonym(caller);
  return {
    toPseudonym: (caller: string) => (isHash(caller) ? caller : toHash(caller)),
    fingerprint,
    newKey,
  };
}

/** Returns a function from a number (`+` and digits) to the caller's name in the facts. Reads the key when needed. */
export function prepareCallerName(warehouse: Reader): (phoneDigits: string) => string {
  let names: { forgotten?: ForgottenCallers | undefined; digests?: CallerHash | undefined } | undefined;
  return (phoneDigits) => {
    names ??= { forgotten: openForgotten(warehouse), digests: openCallerDigests(warehouse) };
    const { forgotten, digests } = names;
    return forgotten?.pseudonymOf(phoneDigits) ?? digests?.hash(phoneDigits) ?? phoneDigits;
  };
}
