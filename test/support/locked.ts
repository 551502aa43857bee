import { type LockedWarehouse, tryAcquireLock, underLock } from "../../src/warehouse/lock.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";

/** Returns a warehouse as one that is locked; nothing else uses it in a test, so that the lock is not kept. */
export function locked(warehouse: Warehouse): LockedWarehouse {
  using lock = tryAcquireLock(warehouse.path);
  if (lock === undefined) throw new Error(`${warehouse.path} is locked already`);
  return underLock(warehouse, lock);
}
