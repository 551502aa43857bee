import { createHmac, createSecretKey, hash } from "node:crypto";
import { openCallerKey } from "../warehouse/caller-key.ts";

const FINGERPRINT_DIGITS = 16;

export interface CallerHash {
  /** Returns the pseudonym of a caller, by the digits and the plus sign of the number. */
  hash: (phoneDigits: string) => string;
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
  const { key, newFile } = openCallerKey(database);
  const secret = createSecretKey(key); // several times as fast as bytes, which each HMAC would make a key of anew
  return {
    hash: (phoneDigits) => createHmac("sha256", secret).update(phoneDigits).digest("hex"),
    fingerprint: hash("sha256", key).slice(0, FINGERPRINT_DIGITS),
    ...(newFile !== undefined && { newKey: newFile }),
  };
}
