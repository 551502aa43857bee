import { SqliteError } from "better-sqlite3";
import { CalltallyError, EXIT, firstError } from "../base/errors.ts";
import { AS_OWNER, describeLack } from "../base/file-access.ts";
import { adviseOnCode, DAMAGE } from "../base/known-error.ts";
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
  return new CalltallyError(EXIT.storage, `Cannot use ${file} (${cause.code})`, {
    cause,
    hint: adviseOnSqlite(cause, [file, `${file}-wal`, `${file}-shm`]),
  });
}

/** Says what to do about an error of SQLite with these files. */
export function adviseOnSqlite({ code }: SqliteFailure, files: readonly string[]): string {
  const isDenied = /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code);
  const lacks = isDenied ? files.map(describeLack) : [];
  const lack = lacks.find((each) => each !== undefined);
  return lack === undefined ? adviseOnCode(code) : `${lack} ${AS_OWNER}`;
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
  if (error instanceof SqliteError) return DAMAGE.test(error.code);
  return error instanceof Error && isDamage(error.cause);
}
