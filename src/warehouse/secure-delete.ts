import type { Warehouse } from "./warehouse.ts";

/** Has SQLite write zeros over what this connection deletes from now on. */
export function overwriteDeleted({ sqlite }: Pick<Warehouse, "sqlite">): void {
  sqlite.pragma("secure_delete = ON");
}
