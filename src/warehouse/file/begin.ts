import { existsSync } from "node:fs";
import { realFile } from "../../base/folder.ts";
import { acquireLock } from "./acquire-lock.ts";
import { assertMayBegin } from "./missing.ts";
import { openWarehouse } from "./open.ts";

/** Makes an empty warehouse if there is none. @throws CalltallyError (exit 7) if there was one before */
export function beginWarehouse(database: string): void {
  if (existsSync(realFile(database))) return;
  assertMayBegin(database);
  using _lock = acquireLock(database);
  openWarehouse(database, { isLocked: true })[Symbol.dispose]();
}
