import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { CalltallyError, describeError, EXIT } from "./errors.ts";

const VERBS: Readonly<Record<string, string>> = {
  access: "write to",
  fsync: "write",
  link: "name",
  lstat: "look at",
  mkdir: "make the folder",
  mkdtemp: "make a folder at",
  opendir: "list",
  read: "read",
  rmdir: "remove",
  scandir: "list",
  stat: "look at",
  statfs: "look at",
  unlink: "remove",
  write: "write",
};

/** Error codes without a path, since the file is already open. No network error has them. */
const OF_OPEN_FILES = new Set(["EDQUOT", "EFBIG", "EIO", "EISDIR", "ENOSPC", "EROFS"]);

/** System calls, Node's module loader and its workers report used-up file descriptors in different words. */
const NO_DESCRIPTORS = /\bE[MN]FILE\b|too many open files/i;

export function toDescriptorError(says: string): CalltallyError | undefined {
  if (!NO_DESCRIPTORS.test(says)) return undefined;
  return new CalltallyError(EXIT.storage, "Cannot open another file or connection: too many open files", {
    hint: "Raise the limit of open files, for example with `ulimit -n 1024`.",
  });
}

/** Turns an error of the file system into one that a person can act on; undefined for any other error. */
export function toFileError(error: unknown): CalltallyError | undefined {
  const noDescriptor = toDescriptorError(describeError(error));
  if (noDescriptor !== undefined || !isFileError(error)) return noDescriptor;
  const { syscall, path } = error;
  return new CalltallyError(
    EXIT.storage,
    `Cannot ${VERBS[syscall] ?? syscall} ${path ?? "a file"}: ${reasonOf(error)}`,
    { cause: error, isCauseInMessage: true, hint: adviseOn(error) },
  );
}

const ADVICE: Readonly<Record<string, string>> = {
  EDQUOT: "Make room within the quota of this user, and run it again.",
  EFBIG: "Use a file system without this limit, or raise it with `ulimit -f`.",
  EISDIR: "Name a file instead.",
  ENAMETOOLONG: "Use a shorter name.",
  ENOSPC: "Make room on its disk, and run it again.",
  EROFS: "Use a folder on a disk that can be written.",
};
export const AS_OWNER = "Run this as its owner, or change its permissions.";
const CHECK_PATH =
  "Check the path; a relative one starts in the working folder, or in that of calltally.yaml if it stands there.";
const CHECK_DISK = "Check its disk, or use another folder.";

/** Says what to do about an error of the file system. */
export function adviseOn(error: unknown): string {
  if (!isFileError(error)) return CHECK_DISK;
  const { code, path } = error;
  const lack = path !== undefined && ["EACCES", "EPERM"].includes(code) ? describeLack(path) : undefined;
  if (lack !== undefined) return `${lack} ${AS_OWNER}`;
  return ADVICE[code] ?? (["ENOENT", "ENOTDIR", "ELOOP"].includes(code) ? CHECK_PATH : CHECK_DISK);
}

export function reasonOf(error: unknown): string {
  if (!isFileError(error)) return describeError(error);
  if (error.code === "EISDIR") return "it is a folder";
  // EACCES: permission denied, open '/srv/calltally.db'
  return /: *([^,]+)/.exec(error.message)?.[1] ?? error.code;
}

interface FileError extends Error {
  code: string;
  syscall: string;
  path?: string;
}

function isFileError(error: unknown): error is FileError {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return false;
  return "path" in error ? /^E[A-Z]+$/.test(String(error.code)) : OF_OPEN_FILES.has(String(error.code));
}

/** Names the first permission, from the root down, that this user lacks to read or create a file; undefined if none. */
export function describeLack(path: string, use: "read" | "write" = "write"): string | undefined {
  const who = process.getuid === undefined ? "This user" : `This user (uid ${process.getuid()})`;
  const closed = foldersAbove(path).find((folder) => isDenied(folder, constants.X_OK));
  if (closed !== undefined) return `${who} may not enter the folder ${closed}.`;
  if (use === "read") return isDenied(path, constants.R_OK) ? `${who} may not read ${path}.` : undefined;
  if (!may(path, constants.F_OK)) {
    const folder = dirname(path);
    return isDenied(folder, constants.W_OK) ? `${who} may not make files in ${folder}.` : undefined;
  }
  if (!may(path, constants.R_OK)) return `${who} may not read ${path}.`;
  return may(path, constants.W_OK) ? undefined : `${who} may not write to ${path}.`;
}

export function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Whether the path exists and the permission is what is missing. */
function isDenied(path: string, mode: number): boolean {
  return may(path, constants.F_OK) && !may(path, mode);
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [...foldersAbove(folder), folder];
}
