import { CalltallyError, EXIT, firstError } from "./errors.ts";
import { toFileError } from "./file-access.ts";

export function toCalltallyError(thrown: unknown): CalltallyError {
  const error = firstError(thrown);
  if (error instanceof CalltallyError) return error;
  if (error instanceof Error && isSqliteError(error.cause)) return toCalltallyError(error.cause);
  if (isSqliteError(error)) {
    const hint =
      error.code === "SQLITE_FULL"
        ? "Make room on its disk, and run it again."
        : "`calltally doctor` shows what is wrong with it.";
    return new CalltallyError(EXIT.storage, `Cannot use the warehouse: ${error.message} (${error.code})`, {
      hint,
    });
  }
  return (
    toFileError(error) ??
    new CalltallyError(EXIT.failed, "This should not have happened", {
      cause: error,
      hint: "Report it to the maintainers, with the command, this text and the output of `calltally --version`.",
    })
  );
}

/** Checks the code rather than the class, so that `--help` need not load better-sqlite3. */
function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_");
}
