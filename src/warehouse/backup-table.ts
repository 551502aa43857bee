import { existsSync } from "node:fs";
import { basename } from "node:path";
import { asc } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "./described.ts";
import { filesBeside, findReplaced } from "./file/missing.ts";
import { openCurrentWarehouse } from "./file/open.ts";
import type { Reader } from "./warehouse.ts";

export const backups = sqliteTable("backups", {
  path: about(text().primaryKey(), "Absolute path."),
  backed_up_at: about(text().notNull(), "When it was last begun, ISO 8601 UTC."),
});
export const BACKUPS = describeTable(backups, "Backups written, which still contain what is forgotten here.");

/** How long to wait before a backup can be recorded; a sync writes only briefly. */
const BUSY_MS = 10_000;

/** Records the path of a backup about to be written, unless the warehouse is read-only or has an older schema. */
export function recordBackup(database: string, path: string): void {
  using warehouse = openCurrentWarehouse(database, BUSY_MS);
  if (warehouse === undefined) return;
  const backed_up_at = new Date().toISOString();
  warehouse.db
    .insert(backups)
    .values({ path, backed_up_at })
    .onConflictDoUpdate({ target: backups.path, set: { backed_up_at } })
    .run();
}

/** Returns the known copies that still exist: backups, warehouses replaced by `restore`, and drafts of killed processes. */
export function findCopies({ db, path }: Reader): string[] {
  const recorded = db.select({ path: backups.path }).from(backups).orderBy(asc(backups.path)).all();
  const files = recorded.map((row) => row.path);
  const drafts = [path, ...files].flatMap((file) => {
    const isDraft = (name: string) =>
      name.startsWith(`.${basename(file)}.`) && /\.tmp(-wal|-journal)?$/.test(name);
    return filesBeside(file, isDraft);
  });
  return [...new Set([...files.filter((file) => existsSync(file)), ...findReplaced(path), ...drafts])];
}
