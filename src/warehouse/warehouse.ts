import type { Database } from "better-sqlite3";
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";

/** An open warehouse, for reading. */
export interface Reader extends Disposable {
  readonly path: string;
  readonly sqlite: Database;
  readonly db: Pick<BetterSQLite3Database, "select" | "selectDistinct" | "get">;
}

/** A warehouse that is open for writing. */
export interface Warehouse extends Reader {
  readonly db: BetterSQLite3Database;
  /** @throws CalltallyError (exit 7) if the open file was removed, moved or replaced */
  assertInPlace(): void;
}
