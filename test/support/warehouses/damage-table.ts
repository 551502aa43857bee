import { closeSync, openSync, writeSync } from "node:fs";
import Database from "better-sqlite3";

/** Overwrites the first page of a table or an index, as a failing disk does. The warehouse must not be open. */
export function damageTable(database: string, name: string): void {
  const sqlite = new Database(database);
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
  const page = sqlite.prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck();
  const [root = 0, size] = [page.get(name), Number(sqlite.pragma("page_size", { simple: true }))];
  sqlite.close();
  const file = openSync(database, "r+");
  writeSync(file, Buffer.alloc(size, 0x5a), 0, size, (root - 1) * size);
  closeSync(file);
}
