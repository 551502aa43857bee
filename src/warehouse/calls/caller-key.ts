import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { Draft } from "../../base/draft.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { describeLack, toFileError } from "../../base/file-access.ts";
import { realFile } from "../../base/folder.ts";

const KEY_BYTES = 32;

export function callerKeyOf(database: string): string {
  return `${realFile(database)}.caller-key`;
}

/** Creates a key next to the warehouse if there is none. @throws CalltallyError (exit 7) if it cannot be read or is invalid */
export function openCallerKey(database: string): { key: Buffer; newFile?: string } {
  const file = callerKeyOf(database);
  const isNew = !hasCallerKey(database);
  if (isNew) makeKey(file);
  return { key: readKey(file), ...(isNew && { newFile: file }) };
}

/**
 * Opens the key that existing data was made with.
 * @param use names the purpose and follows `Cannot` in the message
 * @throws CalltallyError (exit 7) if the key is missing or not the same
 */
export function openSameKey<Opened>(
  database: string,
  open: () => Opened,
  isSame: (opened: Opened) => boolean,
  { use, hint }: { use: string; hint: string },
): Opened {
  const opened = hasCallerKey(database) ? open() : undefined;
  if (opened !== undefined && isSame(opened)) return opened;
  const state = opened === undefined ? "missing" : "not the same";
  throw new CalltallyError(EXIT.storage, `Cannot ${use}, ${callerKeyOf(database)}, is ${state}`, { hint });
}

/** A link to a disk that is not mounted counts as a key that cannot be read, not as no key. */
export function hasCallerKey(database: string): boolean {
  return lstatSync(callerKeyOf(database), { throwIfNoEntry: false }) !== undefined;
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

function keyError(verb: string, file: string, error: unknown): CalltallyError {
  return new CalltallyError(EXIT.storage, `Cannot ${verb} the key of caller_hash next to the warehouse`, {
    cause: toFileError(error) ?? error,
    hint: `${describeLack(file) ?? ""} Let the owner of the warehouse do it.`.trim(),
  });
}

/** Creates a complete key atomically; if another process is faster, its key stays. */
export function makeKey(file: string): void {
  using draft = new Draft(file);
  try {
    draft.write(`${randomBytes(KEY_BYTES).toString("hex")}\n`, 0o600);
    draft.add();
  } catch (error) {
    if (!existsSync(file)) throw keyError("make", file, error);
  }
}
