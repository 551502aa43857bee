import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder that its owner alone can enter, and the folders above it; leaves existing ones as they are.
 * (Node's own `recursive` never returns below /proc.)
 *
 * @param folder absolute path
 * @returns the folders that it made, the topmost first
 */
export function makeFolder(folder: string): string[] {
  if (isFolder(folder)) return [];
  const made = makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
    return [...made, folder];
  } catch (error) {
    if (!isFolder(folder)) throw error; // another process may have been faster
    return made;
  }
}

/** Returns the absolute path of a file behind links, so that it has one name and one lock; it need not be there yet. */
export function realFile(path: string): string {
  const file = resolve(path);
  try {
    return realpathSync(file);
  } catch {
    return file; // not there, or not to be entered: opening it says so
  }
}

/** Waits until a file's content, or the names in a folder, are on the disk. */
export function fsyncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // a file stands where a folder should: making it will say so
  }
}
