import { CalltallyError, EXIT } from "../errors.ts";

/** Errors of the file system that the operator can mend. */
const DISK_ERRORS = new Set([
  "EACCES",
  "EEXIST",
  "EDQUOT",
  "EIO",
  "EISDIR",
  "EMFILE",
  "ENOENT",
  "ENOSPC",
  "ENOTDIR",
  "EPERM",
  "EROFS",
]);

/** Returns anything that was thrown as an error with an exit code. */
export function toCalltallyError(error: unknown): CalltallyError {
  if (error instanceof CalltallyError) return error;
  if (error instanceof Error && isSqliteError(error.cause)) return toCalltallyError(error.cause);
  if (isSqliteError(error)) {
    return new CalltallyError(EXIT.storage, `Cannot use the warehouse: ${error.message} (${error.code})`);
  }
  if (error instanceof Error && "code" in error && DISK_ERRORS.has(String(error.code))) {
    return new CalltallyError(EXIT.storage, error.message);
  }
  return new CalltallyError(EXIT.failed, "This should not have happened", { cause: error });
}

/** Identified by its code, so that `--help` does not have to load better-sqlite3. */
function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_");
}
