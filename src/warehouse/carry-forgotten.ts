import { existsSync } from "node:fs";
import { eraseFreed } from "./erase.ts";
import { readHeader } from "./file-header.ts";
import { forgetAgain } from "./forget.ts";
import { type ForgottenCaller, readForgotten } from "./forgotten.ts";
import { openExistingWarehouse, openReader } from "./open.ts";
import { isDamage } from "./sqlite-errors.ts";

/**
 * Forgets in a copy of a backup whom the warehouse that it replaces has forgotten, since the backup may be from before.
 * Returns whether there was anybody. A warehouse that cannot be read any more has nobody.
 *
 * @param target the warehouse that is to be replaced
 * @param draft the copy, before it gets its name
 * @throws CalltallyError (exit 7) without the key that tells them
 */
export function carryForgotten(target: string, draft: string, nowMs: number): boolean {
  const callers = existsSync(target) ? readThose(target) : [];
  if (callers.length === 0) return false;
  using warehouse = openExistingWarehouse(draft, { isLocked: true });
  // By the key beside the warehouse that it becomes.
  const isChanged = forgetAgain({ ...warehouse, path: target }, callers, nowMs);
  if (isChanged) eraseFreed(warehouse, nowMs);
  warehouse.sqlite.pragma("journal_mode = DELETE");
  return isChanged;
}

function readThose(target: string): ForgottenCaller[] {
  if (!readHeader(target).isOurs) return [];
  try {
    using warehouse = openReader({ path: target });
    return readForgotten(warehouse);
  } catch (error) {
    if (isDamage(error)) return [];
    throw error;
  }
}
