import { SqliteError } from "better-sqlite3";
import { CalltallyError, EXIT, firstError } from "../base/errors.ts";
import { describeLack } from "../base/file-access.ts";
import { describeHolder, isBusy } from "./holder.ts";

type SqliteFailure = InstanceType<typeof SqliteError>;

export function sqliteErrorOf(thrown: unknown): SqliteFailure | undefined {
  const error = firstError(thrown);
  if (error instanceof SqliteError) return error;
  return error instanceof Error && error.cause instanceof SqliteError ? error.cause : undefined;
}

/** Adds the warehouse's file to an SQLite error; returns any other error unchanged, without later failures. */
export function nameFile(error: unknown, file: string): unknown {
  const cause = sqliteErrorOf(error);
  if (cause === undefined) return firstError(error);
  if (isBusy(cause)) {
    return new CalltallyError(EXIT.locked, `Cannot use ${file}: ${describeHolder(file)}`, {
      cause,
      hint: "Run it again when that has ended; a program that shows databases may have to be closed.",
    });
  }
  const isDenied = /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(cause.code);
  const lacks = isDenied ? ["-wal", "-shm", ""].map((suffix) => describeLack(file + suffix)) : [];
  const hint =
    cause.code === "SQLITE_FULL"
      ? "Make room on its disk, and run it again: what was read so far is kept."
      : lacks.find((lack) => lack !== undefined);
  return new CalltallyError(EXIT.storage, `Cannot use ${file} (${cause.code})`, { cause, hint });
}

export class DamagedError extends CalltallyError {
  override name = "DamagedError";

  constructor(file: string, found: string, hint: string) {
    super(EXIT.storage, `Cannot use ${file}: the file is damaged: ${found}`, { hint });
  }
}

/** Whether an error or one of its causes reports a damaged file. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedError) return true;
  if (error instanceof SqliteError) return /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
  return error instanceof Error && isDamage(error.cause);
}
