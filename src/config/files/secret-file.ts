import { readFileSync, statSync } from "node:fs";
import { attempt, describeError, splitAdvice, UsageError } from "../../base/errors.ts";
import { reasonOf } from "../../base/file-access.ts";

/** A secret is short; a larger file was named by mistake. */
const MAX_BYTES = 65_536;

const SECRET_HINT = "Name a file that holds the secret and nothing else, readable only by its owner.";

/**
 * Reads a file with a secret, without surrounding white space. Others must not be able to read it; its group may if
 * root owns it, so that a service can be given a file that it cannot change (PostgreSQL does this for keys).
 * @param place who names the file, such as `calltally.yaml:12:5: accounts.austin.token_file`
 * @throws UsageError that names the place, and says what to do
 */
export function readSecretFile(file: string, place: string): string {
  const problem = findExposure(file);
  if (problem !== undefined) throw new UsageError(`${place}: ${problem}`, { hint: `Run chmod 600 ${file}` });
  try {
    return readSecret(file);
  } catch (error) {
    throw withAdvice(place, error);
  }
}

/** @throws UsageError that names the place; `parse` says what is wrong, without the text */
export function parseSecretFile<T>(file: string, place: string, parse: (text: string) => T): T {
  const text = readSecretFile(file, place);
  try {
    return parse(text);
  } catch (error) {
    throw withAdvice(`${place}: the text in ${nameSecretFile(file)}`, error, " ");
  }
}

function withAdvice(place: string, error: unknown, separator = ": "): UsageError {
  const { state, advice } = splitAdvice(describeError(error));
  return new UsageError(`${place}${separator}${state}`, { hint: advice ?? SECRET_HINT });
}

/** @throws Error without the path: if the file does not exist, the secret itself may be in its place */
export function readSecret(file: string): string {
  if ((statOf(file)?.size ?? 0) > MAX_BYTES)
    throw new Error(`is larger than ${MAX_BYTES} bytes: it is not a secret`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)).trim();
    if (!/^.?\0/.test(text)) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw new Error(`cannot be read: ${reasonOf(error)}`);
  }
  // PowerShell 5 writes UTF-16 by default.
  throw new Error("its file is not UTF-8 text; save it as UTF-8");
}

/** Returns how errors name a secret's file: under systemd, the one that the operator can edit, since a unit gets a copy. */
export function nameSecretFile(file: string): string {
  const [, name] = /^\/run\/credentials\/[^/]+\/([^/]+)$/.exec(file) ?? [];
  if (name === undefined) return file;
  return `the file of LoadCredential=${name} in the unit, /etc/calltally/${name} unless it was changed`;
}

/** Says that other users can read a secret's file; undefined if they cannot, or it does not exist. */
export function findExposure(file: string): string | undefined {
  const stat = process.platform === "win32" ? undefined : statOf(file);
  if (stat === undefined) return undefined;
  const isRoots = stat.uid === 0 && process.getuid?.() !== 0;
  if ((stat.mode & (isRoots ? 0o007 : 0o077)) === 0) return undefined;
  return `other users can read ${file}, which contains a secret`;
}

/** Undefined for a path that does not exist or cannot be read. */
export function statOf(path: string) {
  return attempt(() => statSync(path, { throwIfNoEntry: false }));
}
