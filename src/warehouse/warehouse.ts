import type { Database } from "better-sqlite3";
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";

export interface Warehouse extends Disposable {
  readonly path: string;
  readonly sqlite: Database;
  readonly db: BetterSQLite3Database;
  /** @throws CalltallyError (exit 7) if the open file was removed, moved or replaced */
  assertInPlace(): void;
}
