import { existsSync, statSync } from "node:fs";
import { isFile, realFile } from "../../base/folder.ts";
import { readHeader } from "./file-header.ts";

/** What SQLite and calltally keep next to a warehouse, after its name. */
export const NEIGHBOR =
  /(?:-wal|-shm|-journal|(?:\.publish)?\.lock(?:-journal|-wal|-shm)?|\.caller-key|\.damaged|\.replaced-.*)$/;

/** How often each file is open in this thread; copies in memory do not count. */
export const openFiles = new Map<string, number>();

/** Returns the warehouse that a path names or belongs to; undefined for another file, and for a backup. */
export function warehouseOf(path: string): string | undefined {
  const file = realFile(path);
  return [file, file.replace(NEIGHBOR, "")].find(isWarehouse);
}

/** A backup has neither a log nor a lock. */
function isWarehouse(file: string): boolean {
  if (openFiles.get(file)) return true;
  // SQLite takes a file shorter than its header for an empty database.
  if (!isFile(file) || statSync(file).size === 0) return false;
  const { isOurs, isWal } = readHeader(file);
  return isOurs && (isWal || existsSync(`${file}.lock`));
}
