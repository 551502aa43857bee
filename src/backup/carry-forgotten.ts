import { existsSync } from "node:fs";
import { forgetAgain } from "../forget/forget-callers.ts";
import { type ForgottenCaller, readForgotten } from "../warehouse/calls/forgotten-callers.ts";
import { eraseFreed } from "../warehouse/erase.ts";
import { readHeader } from "../warehouse/file-header.ts";
import type { LockedWarehouse } from "../warehouse/lock.ts";
import { openReader } from "../warehouse/open.ts";
import { isDamage } from "../warehouse/sqlite-errors.ts";

/**
 * Forgets in an older backup's copy the callers whom the replaced warehouse has forgotten; returns whether there were
 * any. An unreadable warehouse has forgotten nobody.
 * @throws CalltallyError (exit 7) without the key of the digests that identify the forgotten callers
 */
export function carryForgotten(target: string, copy: LockedWarehouse, nowMs: number): boolean {
  const callers = existsSync(target) ? readThose(target) : [];
  // With the key next to the warehouse that it becomes.
  const isChanged = callers.length > 0 && forgetAgain({ ...copy, path: target }, callers, nowMs);
  if (isChanged) eraseFreed(copy, nowMs);
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
