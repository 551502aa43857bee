import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { asc } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { attempt, CalltallyError, EXIT } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { callerKeyOf } from "./calls/caller-key.ts";
import { about, describeTable } from "./described.ts";
import { openCurrentWarehouse } from "./open.ts";
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

/**
 * A sync would make a new warehouse, without the callers forgotten and the uploads of a lost one.
 * @throws CalltallyError (exit 7) if there is no warehouse, but its key, or one that `restore` has replaced
 */
export function assertNotLost(database: string): void {
  const file = realFile(database);
  if (existsSync(file)) return;
  const [remains] = [callerKeyOf(file), ...findReplaced(file)].filter((path) => existsSync(path));
  if (remains === undefined) return;
  throw new CalltallyError(
    EXIT.storage,
    `There is no warehouse at ${file}, but ${basename(remains)} of one`,
    {
      hint: "Put the warehouse back, or `calltally restore` a backup. To begin without whom you had forgotten, what was uploaded and imported: move that file away, too.",
    },
  );
}

function findReplaced(file: string): string[] {
  return filesBeside(file, (name) => name.startsWith(`${basename(file)}.replaced-`));
}

function filesBeside(file: string, isOne: (name: string) => boolean): string[] {
  const folder = dirname(file);
  const names = attempt(() => readdirSync(folder)) ?? [];
  return names.filter(isOne).map((name) => join(folder, name));
}
