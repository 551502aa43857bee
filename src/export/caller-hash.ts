import { createHmac, createSecretKey, hash, randomBytes, randomUUID } from "node:crypto";
import { closeSync, existsSync, linkSync, lstatSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { CalltallyError, EXIT } from "../errors.ts";
import { describeLack, toFileError } from "../file-access.ts";
import { fsyncPath, removeFile } from "../folder.ts";
import { callerKeyOf } from "../warehouse/caller-key.ts";

const KEY_BYTES = 32;
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
  const file = callerKeyOf(database);
  // A link to a disk that is not there is a key that cannot be read, and no lack of one.
  const isNew = lstatSync(file, { throwIfNoEntry: false }) === undefined;
  if (isNew) makeKey(file);
  const key = readKey(file);
  const secret = createSecretKey(key); // several times as fast as bytes, which each HMAC would make a key of anew
  return {
    hash: (phoneDigits) => createHmac("sha256", secret).update(phoneDigits).digest("hex"),
    fingerprint: hash("sha256", key).slice(0, FINGERPRINT_DIGITS),
    ...(isNew && { newKey: file }),
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
    hint: `${describeLack(file) ?? ""} Let the owner of the warehouse export the calls.`.trim(),
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
