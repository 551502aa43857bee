import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database, { SqliteError } from "better-sqlite3";
import { makeFolder, realFile } from "../folder.ts";
import { nameFile } from "./sqlite-errors.ts";

/**
 * Tries to acquire the lock that lets one process at a time write calls into a warehouse. Returns undefined when another
 * process holds it.
 *
 * It is an exclusive transaction on a small database beside the warehouse: the operating system frees it however the
 * process ends. Not for network file systems.
 *
 * @param path path of the warehouse
 */
export function tryAcquireLock(path: string): Disposable | undefined {
  const file = `${realFile(path)}.lock`;
  makeFolder(dirname(file));
  // A lock made by somebody who may not write the warehouse would keep out its owner.
  if (existsSync(realFile(path))) accessSync(realFile(path), constants.W_OK);
  closeSync(openSync(file, "a", 0o600));
  const lock = new Database(file, { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY")) return undefined;
    throw nameFile(error, file);
  }
  return { [Symbol.dispose]: () => void lock.close() };
}
