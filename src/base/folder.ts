import { hash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statfsSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { attempt, CalltallyError, codeOf, EXIT } from "./errors.ts";
import { adviseOn } from "./file-access.ts";

/** Who may use new files: only the owner, or anybody the umask and the folder's group allow. */
export type Audience = "owner" | "shared";

/** Permissions of new files and folders, before the umask. */
export const MODES = {
  owner: { file: 0o600, folder: 0o700 },
  shared: { file: 0o666, folder: 0o777 },
} as const;

/** Returns the folders that it made, topmost first. (Node's own `recursive` never returns below /proc.) */
export function makeFolder(folder: string, audience: Audience = "owner"): string[] {
  if (isFolder(folder)) return [];
  const parents = makeFolder(dirname(folder), audience);
  try {
    mkdirSync(folder, { mode: MODES[audience].folder });
    return [...parents, folder];
  } catch (error) {
    if (isFolder(folder)) return parents; // another process may have been faster
    if (codeOf(error) === "EEXIST") {
      throw new CalltallyError(EXIT.storage, `Cannot make the folder ${folder}: a file of that name exists`, {
        hint: "Move the file away, or name another folder.",
      });
    }
    throw error;
  }
}

const MAX_LINKS = 40;

/** Follows links to an absolute path, which need not exist yet. @throws CalltallyError (exit 7) for circular links */
export function realFile(path: string, links = MAX_LINKS): string {
  const file = resolve(path);
  const target = attempt(() => realpathSync(file));
  if (target !== undefined) return target;
  // It does not exist: either a link to a file that is still to be made, or a new file in a folder behind links.
  const next = attempt(() => resolve(dirname(file), readlinkSync(file)));
  if (next !== undefined && links === 0) {
    throw new CalltallyError(EXIT.storage, `Cannot use ${file}: its links are circular`, {
      hint: "Name a file itself, not a link.",
    });
  }
  if (next !== undefined) return realFile(next, links - 1);
  const folder = attempt(() => realpathSync(dirname(file)));
  return folder === undefined ? file : join(folder, basename(file)); // opening it reports what is wrong
}

/** Waits until a file's content, or a folder's entries, are on disk. @throws CalltallyError (exit 7) */
export function fsyncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } catch (cause) {
    throw new CalltallyError(EXIT.storage, `Cannot write ${path}`, { cause, hint: adviseOn(cause) }); // Node's own error names no file
  } finally {
    closeSync(handle);
  }
}

/** Removes a file if it exists. (Node 24's `rmSync` loses most error codes.) */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

function isFolder(path: string): boolean {
  // A file may stand where a folder should: making it will say so.
  return attempt(() => statSync(path, { throwIfNoEntry: false }))?.isDirectory() ?? false;
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

const HEAD_BYTES = 1024;

/** Returns the first bytes of a file, as UTF-8. */
export function readHead(path: string): string {
  const handle = openSync(path, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.toString("utf8", 0, readSync(handle, head));
  } finally {
    closeSync(handle);
  }
}

/** Whether two names are the same file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

/** Returns the SHA-256 of a file, hexadecimal; undefined for anything else. */
export function hashFile(path: string): string | undefined {
  return isFile(path) ? hash("sha256", readFileSync(path)) : undefined;
}

/** Free space below which a sync is expected to fail. */
export const SYNC_NEEDS_BYTES = 50_000_000;

/** Returns the free space, for this user, of the disk that has a file or would have it. */
export function freeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(nearestFolder(dirname(file)));
  return bavail * bsize;
}

/** Returns the folder, or the nearest one above it that exists. */
export function nearestFolder(path: string): string {
  return isFolder(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}
