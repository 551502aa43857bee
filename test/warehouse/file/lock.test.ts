import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { tryAcquireLock } from "../../../src/warehouse/file/lock.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { openIn } from "../../support/warehouses/small-warehouse.ts";

test("tryAcquireLock locks a warehouse behind a link, and releases it when disposed", () => {
  using folder = makeTempFolder();
  const [file, link] = [join(folder.path, "calls.db"), join(folder.path, "link.db")];
  writeFileSync(file, "");
  symlinkSync(file, link);
  {
    using lock = tryAcquireLock(file);
    expect(lock).toBeDefined();
    expect(tryAcquireLock(link)).toBeUndefined();
    expect(tryAcquireLock(file)).toBeUndefined();
  }
  // A failed attempt keeps nothing open, either.
  expect(openIn(folder.path)).toEqual([]);
  using again = tryAcquireLock(link);
  expect(again).toBeDefined();
  expect(readdirSync(folder.path).filter((name) => !name.endsWith("-journal"))).toEqual([
    "calls.db",
    "calls.db.lock",
    "link.db",
  ]);
});

test("tryAcquireLock locks a warehouse that does not exist yet, in a folder that does not exist yet", () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "new", "calls.db");
  using lock = tryAcquireLock(file);
  expect(lock).toBeDefined();
  expect(tryAcquireLock(file)).toBeUndefined();
  expect((statSync(`${file}.lock`).mode & 0o777).toString(8)).toBe("600");
});

test("tryAcquireLock names an invalid lock file", () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "calls.db");
  writeFileSync(`${file}.lock`, "a text that is longer than the header of a database ".repeat(100));
  expect(() => tryAcquireLock(file)).toThrow(
    expect.objectContaining({
      exitCode: 7,
      message: `Cannot use ${file}.lock as the lock: it is another file`,
    }),
  );
});

test("tryAcquireLock refuses a FIFO in place of the lock without waiting for a writer", () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "calls.db");
  execFileSync("mkfifo", [`${file}.lock`]);
  expect(() => tryAcquireLock(file)).toThrow(
    expect.objectContaining({
      exitCode: 7,
      message: `Cannot use ${file}.lock as the lock: it is not a file`,
    }),
  );
});

test("tryAcquireLock waits for a process that looks whether the lock is free", async () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "calls.db");
  tryAcquireLock(file)?.[Symbol.dispose]();
  const look = `const { parentPort, workerData } = require("node:worker_threads");
    const sqlite = new (require("better-sqlite3"))(workerData.file);
    sqlite.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    parentPort.postMessage("looking");
    Atomics.wait(workerData.taking, 0, 0);
    Atomics.wait(workerData.taking, 0, 1, 20);
    sqlite.close();`;
  const taking = new Int32Array(new SharedArrayBuffer(4));
  const other = new Worker(look, { eval: true, workerData: { file: `${file}.lock`, taking } });
  await once(other, "message");
  Atomics.store(taking, 0, 1);
  Atomics.notify(taking, 0);
  using lock = tryAcquireLock(file);
  expect(lock).toBeDefined();
  await once(other, "exit");
});
