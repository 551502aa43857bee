import { join } from "node:path";
import { expect, test } from "vitest";
import { tryAcquireLock } from "../../src/warehouse/lock.ts";
import { openExistingWarehouse, openWarehouse } from "../../src/warehouse/open.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/** Makes a warehouse that counts as one of the version before. */
function makeOlder(path: string): void {
  using warehouse = openWarehouse(path);
  const version = Number(warehouse.sqlite.pragma("user_version", { simple: true }));
  warehouse.sqlite.pragma(`user_version = ${version - 1}`);
}

test("migrate leaves an older warehouse alone while another process syncs it", () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "calls.db");
  makeOlder(path);
  using lock = tryAcquireLock(path);
  expect(lock).toBeDefined();
  expect(() => openExistingWarehouse(path)).toThrow(
    expect.objectContaining({
      exitCode: 6,
      message: `Cannot migrate ${path}: another process is syncing or migrating it`,
    }),
  );
});
