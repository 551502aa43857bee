import { sep } from "node:path";
import { max, sql } from "drizzle-orm";
import type { Warehouse } from "./open.ts";
import { exports } from "./schema.ts";

export type ExportRecord = typeof exports.$inferInsert;

/** Records a file that was written. */
export function insertExports({ db }: Warehouse, records: ExportRecord[]): void {
  if (records.length > 0) db.insert(exports).values(records).run();
}

/** Returns when a file was last written into a folder, given by its absolute path; null for never. */
export function readLastExport({ db }: Warehouse, folder: string): string | null {
  const prefix = folder + sep;
  const row = db
    .select({ last: max(exports.exported_at) })
    .from(exports)
    .where(sql`substr(${exports.path}, 1, length(${prefix})) = ${prefix}`)
    .get();
  return row?.last ?? null;
}

/** Returns the absolute paths of all files that were ever written, each once. */
export function readExportPaths({ db }: Pick<Warehouse, "db">): string[] {
  const rows = db.selectDistinct({ path: exports.path }).from(exports).orderBy(exports.path).all();
  return rows.map(({ path }) => path);
}

/** Whether a list of calls was ever written, with pseudonyms of callers; or a workbook, which may have one. */
export function hasExportedCalls({ sqlite }: Warehouse): boolean {
  const paths = sqlite.prepare<[], string>("SELECT DISTINCT path FROM exports").pluck().all();
  return paths.some((path) => /[/\\](calltally\.xlsx|calls(\.[a-z]+|[/\\]month=.*))$/.test(path));
}
