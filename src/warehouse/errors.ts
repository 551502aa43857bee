import { SqliteError } from "better-sqlite3";
import { CalltallyError, EXIT } from "../errors.ts";

/** Returns an error of SQLite's as one that names the warehouse's file; any other error as it is. */
export function nameFile(error: unknown, file: string): unknown {
  if (!(error instanceof SqliteError)) return error;
  return new CalltallyError(EXIT.storage, `Cannot use ${file} (${error.code})`, { cause: error });
}
