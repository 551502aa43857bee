import { SqliteError } from "better-sqlite3";
import { CalltallyError, EXIT, firstError } from "../../base/errors.ts";
import { AS_OWNER, describeLack } from "../../base/file-access.ts";
import { realFile } from "../../base/folder.ts";
import { adviseOnCode, DAMAGE } from "../../base/known-error.ts";
import { DamagedError, damagedErrorOf, noteDamage } from "./damage.ts";
import { describeHolder, isBusy } from "./holder.ts";

type SqliteFailure = InstanceType<typeof SqliteError>;

export function sqliteErrorOf(thrown: unknown): SqliteFailure | undefined {
  const error = firstError(thrown);
  if (error instanceof SqliteError) return error;
  return error instanceof Error && error.cause instanceof SqliteError ? error.cause : undefined;
}

/** Adds the warehouse's file to an SQLite error, and notes damage; returns any other error unchanged, without later failures. */
export function nameFile(error: unknown, file: string): unknown {
  if (isDamage(error)) return nameDamage(error, file);
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
  const lacks = isDenied ? files.map((path) => describeLack(path)) : [];
  const lack = lacks.find((each) => each !== undefined);
  return lack === undefined ? adviseOnCode(code) : `${lack} ${AS_OWNER}`;
}

/** Whether an error or one of its causes reports a damaged file. */
export function isDamage(thrown: unknown): boolean {
  return damagedErrorOf(thrown) !== undefined || damageOf(thrown) !== undefined;
}

/**
 * Names the file of an error that reports damage, and notes it for all later commands if it is the warehouse: the
 * only place that does so. Returns any other error unchanged.
 * @param warehouse that was in use
 */
export function nameDamage(error: unknown, warehouse: string): unknown {
  const known = damagedErrorOf(error);
  if (known !== undefined) {
    if (realFile(known.file) === realFile(warehouse)) noteDamage(warehouse, known.damage);
    return firstError(error);
  }
  const cause = damageOf(error);
  if (cause === undefined) return error;
  const damage = `${cause.message} (${cause.code})`;
  noteDamage(warehouse, damage);
  return new DamagedError(warehouse, damage, { cause });
}

function damageOf(thrown: unknown): SqliteFailure | undefined {
  const error = firstError(thrown);
  if (error instanceof SqliteError) return DAMAGE.test(error.code) ? error : undefined;
  return error instanceof Error ? damageOf(error.cause) : undefined;
}
