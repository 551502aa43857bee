import { existsSync } from "node:fs";
import { forgetAgain } from "../forget/forget-callers.ts";
import { type ForgottenCaller, readForgotten } from "../warehouse/calls/forgotten-callers.ts";
import { eraseFreed } from "../warehouse/erase.ts";
import { readHeader } from "../warehouse/file-header.ts";
import { type Lock, underLock } from "../warehouse/lock.ts";
import { openExistingWarehouse, openReader } from "../warehouse/open.ts";
import { isDamage } from "../warehouse/sqlite-errors.ts";

/**
 * Forgets in a copy of a backup whom the warehouse that it replaces has forgotten, since the backup may be from before.
 * Returns whether there was anybody. A warehouse that cannot be read any more has nobody.
 *
 * @param target the warehouse that is to be replaced
 * @param draft the copy, before it gets its name
 * @param lock that of the target
 * @throws CalltallyError (exit 7) without the key that tells them
 */
export function carryForgotten(target: string, draft: string, lock: Lock, nowMs: number): boolean {
  const callers = existsSync(target) ? readThose(target) : [];
  if (callers.length === 0) return false;
  using opened = openExistingWarehouse(draft, { isLocked: true });
  const warehouse = underLock(opened, lock);
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
