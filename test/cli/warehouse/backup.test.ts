import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FULL_CALL } from "../../support/warehouses/calls.ts";
import { readRows } from "../../support/warehouses/warehouse.ts";
import { makeCallsFolder, makeSandboxFolder } from "../folder.ts";

/** Every nth moment for a kill; every one in `npm run test:soak`. */
const STEP = process.env.CALLTALLY_KILLS === undefined ? 3 : 1;
const HASHES = "SELECT call_id, row_hash FROM calls ORDER BY call_id";

/** An environment in which the program dies instead of its n-th change to a file's name, or of its n-th fsync. */
function killedAt(change: number): Record<string, string> {
  const script = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    let left = ${change};
    for (const name of ["linkSync", "renameSync", "rmSync", "fsyncSync"]) {
      const real = fs[name];
      fs[name] = (...given) => (--left === 0 ? process.kill(process.pid, "SIGKILL") : real(...given));
    }
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

it("backup and restore lose neither warehouse and leave one in place when killed at any change of a file", async () => {
  await using folder = await makeSandboxFolder({ calls: 200 });
  const { sandbox, run, database } = folder;
  const data = join(folder.path, "data");
  await run("sync");
  await run("backup old.db");
  for (let call = 0; call < 50; call++) sandbox.calls.insert();
  await run("sync");
  await run("backup now.db");
  const [old, now] = [readRows(join(folder.path, "old.db"), HASHES), readRows(database, HASHES)];
  expect([old.length, now.length]).toEqual([200, 250]);

  const found: number[] = [];
  for (let change = 1, code: number | null = null; code === null; change += STEP) {
    await run("restore now.db");
    ({ code } = await folder.runWith(killedAt(change), "restore old.db"));
    const rows = readRows(database, HASHES);
    expect(rows, `change ${change}`).toEqual(rows.length === 200 ? old : now);
    const kept = readdirSync(data).filter((name) => name.includes("replaced"));
    if (rows.length === 200) expect(readRows(join(data, kept.sort().at(-1) ?? ""), HASHES)).toEqual(now);
    found.push(rows.length);
    for (const name of kept) rmSync(join(data, name));
  }
  expect(new Set(found)).toEqual(new Set([250, 200]));
  expect(await run("restore now.db")).toMatchObject({ code: 0, stderr: "" });
  expect(readdirSync(data).filter((name) => name.endsWith(".tmp"))).toEqual([]);

  found.length = 0;
  const file = join(folder.path, "backup.db");
  for (let change = 1, code: number | null = null; code === null; change += STEP) {
    copyFileSync(join(folder.path, "old.db"), file);
    ({ code } = await folder.runWith(killedAt(change), "backup backup.db"));
    const rows = readRows(file, HASHES);
    expect(rows, `change ${change}`).toEqual(rows.length === 200 ? old : now);
    found.push(rows.length);
  }
  expect(new Set(found)).toEqual(new Set([200, 250]));
});

it("backup and restore report what becomes of the key of caller_hash", async () => {
  using folder = makeCallsFolder([FULL_CALL]);
  const { run, say, write } = folder;
  const key = `${folder.database}.caller-key`;
  // Figures identify no caller.
  await say("export campaign --out figures");
  await say("backup backup.db");
  expect(await run("restore backup.db")).toMatchObject({ code: 0, stderr: "" });
  await say("export calls --out out");
  await say("backup backup.db");
  expect(JSON.parse(await say("restore backup.db --json"))).toMatchObject({ caller_key: "kept" });
  const content = readFileSync(key, "utf8");
  rmSync(key);
  const restore = async () => (await run("restore backup.db")).stderr;
  expect(await restore()).toContain(`There is no key of caller_hash at ${key}`);
  write("backup.db.caller-key", content);
  expect(await restore()).toBe(`The key of caller_hash was copied from the backup's folder to ${key}.\n`);
  write("backup.db.caller-key", `${"0".repeat(64)}\n`);
  expect(await restore()).toContain(`${key} was kept, but the backup has a different key`);
});
