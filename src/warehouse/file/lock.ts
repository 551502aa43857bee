import { accessSync, constants, existsSync, linkSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { Draft } from "../../base/draft.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { adviseOn, toFileError } from "../../base/file-access.ts";
import { makeFolder, realFile } from "../../base/folder.ts";
import type { Warehouse } from "../warehouse.ts";
import { isBusy } from "./holder.ts";
import { isDamage, nameFile } from "./sqlite-errors.ts";

/** Bounds the wait for processes that look whether it is free, which takes them microseconds. */
const LOOK_MS = 200;

/**
 * Returns undefined if another process or thread has the lock. The lock is an exclusive transaction on a small
 * database, so the operating system releases it however the process ends. Not for network file systems.
 */
export function tryAcquireLock(path: string): Lock | undefined {
  const database = realFile(path);
  const file = `${database}.lock`;
  makeFolder(dirname(file));
  // A lock file made by a user who may not write the warehouse would lock out its owner.
  if (existsSync(database)) accessSync(database, constants.W_OK);
  makeLockFile(file);
  const lock = new Database(file, { timeout: LOOK_MS });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    if (isDamage(error)) throw noLockError(file, "it is another file");
    throw nameFile(error, file);
  }
  return { [HELD]: true, [Symbol.dispose]: () => void lock.close() };
}

const HELD = Symbol("held");

/** Dispose of it to let others write. */
export interface Lock extends Disposable {
  readonly [HELD]: true;
}

export interface LockedWarehouse extends Warehouse {
  readonly [HELD]: true;
}

export function underLock(warehouse: Warehouse, lock: Lock): LockedWarehouse {
  return { ...warehouse, [HELD]: lock[HELD] };
}

function noLockError(file: string, state: string): CalltallyError {
  return new CalltallyError(EXIT.storage, `Cannot use ${file} as the lock: ${state}`, {
    hint: "Move it away, and run this again.",
  });
}

/**
 * Makes the file, readable only by its owner. Never opens an existing one: closing any handle of a file drops all
 * locks that its process has on it (POSIX), except when SQLite closes it, which tracks its locks across threads.
 */
function makeLockFile(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile()) {
    throw noLockError(file, "it is not a file");
  }
  accessSync(stat === undefined ? dirname(file) : file, constants.W_OK);
  if (stat !== undefined) return;
  using draft = new Draft(file);
  try {
    draft.write("", 0o600);
  } catch (error) {
    throw new CalltallyError(EXIT.storage, `Cannot make ${file}`, {
      cause: toFileError(error) ?? error,
      hint: adviseOn(error),
    });
  }
  try {
    linkSync(draft.path, file);
  } catch {
    // Another process was faster, or the file system has no links and SQLite makes the file.
  }
}
