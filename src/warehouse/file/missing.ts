import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt, CalltallyError, EXIT } from "../../base/errors.ts";
import { realFile } from "../../base/folder.ts";
import { callerKeyOf } from "../calls/caller-key.ts";

/** @throws CalltallyError (exit 7) if there is no warehouse: only {@link assertMayBegin} allows a new one */
export function assertThere(database: string): void {
  const file = realFile(database);
  if (!existsSync(file)) throw missingError(file);
}

/**
 * A new warehouse would lack the callers forgotten and the uploads of a lost one.
 * @throws CalltallyError (exit 7) if there is no warehouse, but its key, or one that `restore` has replaced
 */
export function assertMayBegin(database: string): void {
  const file = realFile(database);
  if (existsSync(file)) return;
  const remains = findRemains(file);
  if (remains !== undefined) throw lostError(file, remains);
}

/** Says that there is no warehouse, what shows that there was one, and what to do. */
export function missingError(file: string): CalltallyError {
  const remains = findRemains(file);
  if (remains !== undefined) return lostError(file, remains);
  const lock = findLock(file);
  if (lock !== undefined) {
    return new CalltallyError(
      EXIT.storage,
      `There is no warehouse at ${file}, but its ${basename(lock)} is there`,
      {
        hint: ({ sync }) =>
          `Mount its disk, put the warehouse back, or \`calltally restore\` a backup. ${sync} by hand begins a new one.`,
      },
    );
  }
  return new CalltallyError(EXIT.storage, `There is no warehouse at ${file}`, {
    hint: ({ sync, database }) =>
      `Run ${sync} by hand, which begins one, or set ${database}. If there was one, its disk may not be mounted.`,
  });
}

function lostError(file: string, remains: string): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `There is no warehouse at ${file}, but its ${basename(remains)} is there`,
    {
      hint: ({ sync }) =>
        `Put the warehouse back, or \`calltally restore\` a backup. To start over, without the record of forgotten callers, uploads and imports: move that file away, too, and run ${sync} by hand.`,
    },
  );
}

/** Returns what only a warehouse with more than calls leaves. */
function findRemains(file: string): string | undefined {
  return [callerKeyOf(file), ...findReplaced(file)].find((path) => existsSync(path));
}

/** Returns the lock that a warehouse leaves, or a first sync that failed or was killed before it made one. */
export function findLock(file: string): string | undefined {
  const lock = `${realFile(file)}.lock`;
  return existsSync(lock) ? lock : undefined;
}

export function findReplaced(file: string): string[] {
  return filesBeside(file, (name) => name.startsWith(`${basename(file)}.replaced-`));
}

export function filesBeside(file: string, isOne: (name: string) => boolean): string[] {
  const folder = dirname(file);
  const names = attempt(() => readdirSync(folder)) ?? [];
  return names.filter(isOne).map((name) => join(folder, name));
}
