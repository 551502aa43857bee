import { CalltallyError, EXIT, firstError } from "./errors.ts";
import { toFileError } from "./file-access.ts";

export function toCalltallyError(thrown: unknown): CalltallyError {
  const error = firstError(thrown);
  if (error instanceof CalltallyError) return error;
  if (error instanceof Error && isSqliteError(error.cause)) return toCalltallyError(error.cause);
  if (isSqliteError(error)) {
    return new CalltallyError(EXIT.storage, `Cannot use the warehouse: ${error.message} (${error.code})`, {
      hint: adviseOnCode(error.code),
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

/** Says what to do about an error of SQLite. */
export function adviseOnCode(code: string): string {
  // Without room, SQLite cannot enlarge the memory that its processes share.
  if (/^SQLITE_FULL/.test(code)) {
    const { SQLITE_TMPDIR, TMPDIR, TEMP } = process.env;
    const temporary = SQLITE_TMPDIR || TMPDIR || TEMP || "/var/tmp";
    return `Make room on its disk, and on that of ${temporary}, where temporary files go (TMPDIR names another folder); then run it again.`;
  }
  if (/^SQLITE_IOERR_SHMSIZE/.test(code)) return "Make room on its disk, and run it again.";
  if (DAMAGE.test(code)) return ADVICE_ON_DAMAGE;
  return "`calltally doctor` shows what is wrong with it.";
}

/** Codes of SQLite for a damaged file. */
export const DAMAGE = /\bSQLITE_(CORRUPT|NOTADB)/;
const ADVICE_ON_DAMAGE =
  "The file is damaged: `calltally doctor --deep` shows how far, and `calltally restore` replaces it with a backup.";

/** Checks the code rather than the class, so that `--help` need not load better-sqlite3. */
function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_");
}
