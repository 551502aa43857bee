import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Draft, removeLeftDrafts } from "../base/draft.ts";
import { CalltallyError, EXIT, UsageError } from "../base/errors.ts";
import { makeFolder, realFile } from "../base/folder.ts";
import { recordBackup } from "../warehouse/backup-table.ts";
import { readHeader } from "../warehouse/file-header.ts";
import { assertOurs } from "../warehouse/open.ts";
import { copyWarehouse } from "./copy.ts";

/** Files that SQLite and calltally keep next to a warehouse. */
const SUFFIXES = ["", "-wal", "-shm", "-journal", ".lock", ".caller-key", ".damaged"];

/**
 * Renames the copy only after it was checked: a bad one never replaces an earlier backup.
 * @throws UsageError for a name that the warehouse itself uses
 * @throws CalltallyError (exit 7) if another kind of file has that name, or no good copy can be made
 */
export async function backupWarehouse(database: string, file: string, signal?: AbortSignal) {
  const source = realFile(database);
  const target = realFile(file);
  assertOurs(source);
  assertReplaceable(target, source);
  makeFolder(dirname(target));
  recordBackup(source, target);
  removeLeftDrafts(target);
  using draft = new Draft(target);
  const copied = await copyWarehouse(source, draft.path, signal);
  draft.replace();
  return { file: target, ...copied };
}

function assertReplaceable(target: string, source: string): void {
  if (SUFFIXES.some((suffix) => target === source + suffix) || isSameFile(target, source)) {
    throw new UsageError(`Cannot back up into ${target}: the warehouse uses this file`, {
      hint: "Name another file, best on another disk.",
    });
  }
  if (!existsSync(target)) return;
  const state = stateOf(target);
  if (state === undefined) return;
  throw new CalltallyError(EXIT.storage, `Cannot back up into ${target}: it ${state}`, {
    hint: "It was not changed. Move it away, or choose another name.",
  });
}

/** Says why a file must not be replaced. A backup has no log next to it; a warehouse in use has. */
function stateOf(file: string): string | undefined {
  if (!statSync(file).isFile()) return "is not a file";
  const { isSqlite, isOurs, isWal } = readHeader(file);
  if (!isSqlite || !isOurs) return "is not a calltally backup";
  return isWal ? "is a warehouse in use, not a backup" : undefined;
}

/** Whether two names, of which the second exists, are the same file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}
