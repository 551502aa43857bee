import { readFileSync, statSync } from "node:fs";
import { describeError, UsageError } from "../base/errors.ts";
import { reasonOf } from "../base/file-access.ts";

/** A token or an address; a larger file was named by a slip. */
const MOST_BYTES = 65_536;

/**
 * Reads a file that holds a secret, without the white space around it. Others must not be able to read it; its group may
 * where root owns it, so that a service can be given a file that it cannot change (PostgreSQL has it so with keys).
 *
 * @param place who names the file, such as `calltally.yaml:12:5: accounts.acme.token_file`
 * @throws UsageError that names the place, and says what to do
 */
export function readSecretFile(file: string, place: string): string {
  const problem = findExposure(file);
  if (problem !== undefined) throw new UsageError(`${place}: ${problem}`, { hint: `Run chmod 600 ${file}` });
  try {
    return readSecret(file);
  } catch (error) {
    throw new UsageError(`${place}: ${describeError(error)}`, {
      hint: "It must name a file that holds the secret, and that only its owner can read.",
    });
  }
}

/** @throws UsageError that names the place; `parse` says what is wrong with the text, without the text */
export function parseSecretFile<T>(file: string, place: string, parse: (text: string) => T): T {
  const text = readSecretFile(file, place);
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`${place}: the text in ${file} ${describeError(error)}`);
  }
}

/** @throws Error without the path: where there is no such file, somebody may have written the secret in its place */
export function readSecret(file: string): string {
  if ((statOf(file)?.size ?? 0) > MOST_BYTES)
    throw new Error(`is larger than ${MOST_BYTES} bytes: it holds something else than a secret`);
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new Error(`cannot be read: ${reasonOf(error)}`);
  }
}

/** Says that other users can read a file of a secret; undefined where they cannot, or there is none. */
export function findExposure(file: string): string | undefined {
  const stat = process.platform === "win32" ? undefined : statOf(file);
  if (stat === undefined) return undefined;
  const isRoots = stat.uid === 0 && process.getuid?.() !== 0;
  if ((stat.mode & (isRoots ? 0o007 : 0o077)) === 0) return undefined;
  return `other users can read ${file}, which holds a secret`;
}

function statOf(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
