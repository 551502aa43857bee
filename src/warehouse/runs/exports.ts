import { dirname, sep } from "node:path";
import { and, eq, inArray, isNotNull, max, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../described.ts";
import type { Reader, Warehouse } from "../warehouse.ts";

export const exports = sqliteTable("exports", {
  export_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the file."),
  exported_at: about(text(), "When it was written, ISO 8601 UTC; null before, or if its export was killed."),
  path: about(text().notNull(), "Absolute path."),
  sha256: about(text().notNull(), "SHA-256 of its bytes, hexadecimal."),
  rows: about(
    integer().notNull(),
    "Rows, of all sheets or tables, without header and totals; for a page, its calls.",
  ),
  filter: about(text().notNull(), "JSON object of the filter.", "key"),
  run_id: about(integer(), "The last finished run when the file was made; null if there was none."),
  manifest_sha256: about(
    text().notNull(),
    "SHA-256 of the bytes of the `manifest.json` that was written with it, hexadecimal.",
  ),
  caller_key: about(text(), "Fingerprint of the key of its `caller_hash`; null if it has none."),
});
export const EXPORTS = describeTable(
  exports,
  "Every file of figures, of calls or with a page that was written into a folder, by `export`, `report` or a named report, one row each time.",
);

export type ExportRecord = Omit<typeof exports.$inferInsert, "export_id" | "exported_at">;

/**
 * Records files before they are renamed into place, so that `forget` also searches those of a killed export. Returns
 * their ids.
 */
export function insertExports({ db }: Warehouse, records: ExportRecord[]): number[] {
  if (records.length === 0) return [];
  const rows = db.insert(exports).values(records).returning({ export_id: exports.export_id }).all();
  return rows.map(({ export_id }) => export_id);
}

export function settleExports({ db }: Warehouse, exportIds: readonly number[], exportedAt: string): void {
  db.update(exports)
    .set({ exported_at: exportedAt })
    .where(inArray(exports.export_id, [...exportIds]))
    .run();
}

export function deleteExports({ db }: Warehouse, exportIds: readonly number[]): void {
  db.delete(exports)
    .where(inArray(exports.export_id, [...exportIds]))
    .run();
}

/** Returns the last record of each file that exports have written into a folder (absolute path), and its sub-folders. */
export function readLastRecords({ db }: Reader, folder: string) {
  const last = sql`SELECT max(export_id) FROM exports WHERE exported_at IS NOT NULL AND ${isInside(folder)} GROUP BY path`;
  return db.select().from(exports).where(sql`${exports.export_id} IN (${last})`).all();
}

/** Returns the records of the last export that wrote this manifest, into any folder. */
export function readRecordsOf({ db }: Reader, manifestSha256: string) {
  const { exported_at, manifest_sha256 } = exports;
  const isWritten = eq(manifest_sha256, manifestSha256);
  const last = db
    .select({ at: max(exported_at) })
    .from(exports)
    .where(isWritten);
  return db
    .select()
    .from(exports)
    .where(and(isWritten, eq(exported_at, last)))
    .all();
}

/** Records that `forget` has changed a manifest. */
export function replaceManifest({ db }: Warehouse, was: string, now: string): void {
  db.update(exports).set({ manifest_sha256: now }).where(eq(exports.manifest_sha256, was)).run();
}

/** Returns when a file with this hash was last exported, ISO 8601 UTC; null if none was. */
export function readExportOf({ db }: Reader, sha256: string): string | null {
  const row = db
    .select({ last: max(exports.exported_at) })
    .from(exports)
    .where(eq(exports.sha256, sha256))
    .get();
  return row?.last ?? null;
}

/** The folder of the export; partitions are in sub-folders. */
export function folderOfExport(path: string): string {
  const folder = dirname(path);
  return /[/\\]calls[/\\]month=[^/\\]+$/.test(folder) ? dirname(dirname(folder)) : folder;
}

function isInside(folder: string): SQL {
  const prefix = folder + sep;
  return sql`substr(${exports.path}, 1, length(${prefix})) = ${prefix}`;
}

export function hasExported({ db }: Reader, path: string): boolean {
  return db.select().from(exports).where(eq(exports.path, path)).limit(1).get() !== undefined;
}

export function readExportPaths({ db }: Reader): string[] {
  const rows = db.selectDistinct({ path: exports.path }).from(exports).orderBy(exports.path).all();
  return rows.map(({ path }) => path);
}

/** Returns each file that was ever recorded, with the hash of each export. */
export function readExportHashes({ db }: Reader): { path: string; sha256: string }[] {
  const { path, sha256 } = exports;
  return db.selectDistinct({ path, sha256 }).from(exports).all();
}

/** Whether a file with pseudonyms of callers was ever written. */
export function hasExportedPseudonyms({ db }: Reader): boolean {
  return db.select().from(exports).where(isNotNull(exports.caller_key)).limit(1).get() !== undefined;
}
