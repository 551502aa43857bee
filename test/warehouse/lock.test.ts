import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tryAcquireLock } from "../../src/warehouse/lock.ts";
import { makeTempFolder } from "../temp-folder.ts";

test("tryAcquireLock knows a warehouse behind a link, and lets go when it is disposed of", () => {
  using folder = makeTempFolder();
  const [file, link] = [join(folder.path, "calls.db"), join(folder.path, "link.db")];
  writeFileSync(file, "");
  symlinkSync(file, link);
  {
    using lock = tryAcquireLock(file);
    expect(lock).toBeDefined();
    expect(tryAcquireLock(link)).toBeUndefined();
  }
  using again = tryAcquireLock(link);
  expect(again).toBeDefined();
});
