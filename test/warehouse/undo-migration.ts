import Database from "better-sqlite3";
import { readMigrationFiles } from "drizzle-orm/migrator";

const UNDO: readonly [does: RegExp, undo: string][] = [
  [/^CREATE TABLE `(\w+)`/, "DROP TABLE $1"],
  [/^CREATE (?:UNIQUE )?INDEX `(\w+)`/, "DROP INDEX $1"],
  [/^ALTER TABLE `(\w+)` ADD `(\w+)`/, "ALTER TABLE $1 DROP COLUMN $2"],
];

/** Makes a warehouse one of the version before, with its rows: undoes what the last migration did. */
export function undoLastMigration(database: string): void {
  const migrations = readMigrationFiles({ migrationsFolder: "src/warehouse/migrations" });
  const sqlite = new Database(database);
  for (const statement of migrations.at(-1)?.sql.toReversed() ?? []) {
    const [does, undo] = UNDO.find(([does]) => does.test(statement.trim())) ?? [];
    if (does === undefined || undo === undefined) throw new Error(`Cannot undo ${statement}`);
    sqlite.exec(statement.trim().match(does)?.[0].replace(does, undo) ?? "");
  }
  sqlite.pragma(`user_version = ${migrations.length - 1}`);
  sqlite.close();
}
