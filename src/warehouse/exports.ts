import type { Warehouse } from "./open.ts";
import { exports } from "./schema.ts";

export type ExportRecord = typeof exports.$inferInsert;

/** Records a file that was written. */
export function insertExports({ db }: Warehouse, records: ExportRecord[]): void {
  if (records.length > 0) db.insert(exports).values(records).run();
}
