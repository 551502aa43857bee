import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calltally } from "../support/run.ts";
import { readRows } from "../support/warehouse.ts";
import { makeSandboxFolder } from "./folder.ts";

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

describe("backup and restore", () => {
  it("lose neither warehouse and leave one in place when killed at any change of a file", async () => {
    await using folder = await makeSandboxFolder({ calls: 200 });
    const { sandbox, options, run } = folder;
    const data = join(folder.path, "data");
    const database = join(data, "calltally.db");
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
      ({ code } = await calltally(["restore", "old.db"], { ...options, env: killedAt(change) }));
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
      ({ code } = await calltally(["backup", "backup.db"], { ...options, env: killedAt(change) }));
      const rows = readRows(file, HASHES);
      expect(rows, `change ${change}`).toEqual(rows.length === 200 ? old : now);
      found.push(rows.length);
    }
    expect(new Set(found)).toEqual(new Set([200, 250]));
  });

  it.each(["csv", "parquet"])(
    "copy the key of caller_hash of %s files from next to the backup, and name what is lost without it",
    async (format) => {
      await using folder = await makeSandboxFolder({ calls: 50 });
      const { run } = folder;
      const key = join(folder.path, "data/calltally.db.caller-key");
      await run("sync");
      // Figures identify no caller.
      await run("export campaign --format", format, "--out", "figures");
      await run("backup early.db");
      expect(await run("restore early.db")).toMatchObject({ code: 0, stderr: "" });

      const exported = await run("export calls --format", format, "--out", "out");
      expect(exported.code).toBe(0);
      await run("backup backup.db");
      expect(JSON.parse((await run("restore backup.db --json")).stdout)).toMatchObject({
        caller_key: "kept",
      });
      const content = readFileSync(key, "utf8");

      rmSync(key);
      const without = await run("restore backup.db");
      expect(without).toMatchObject({ code: 0 });
      expect(without.stderr).toContain(`There is no key of caller_hash at ${key}`);
      expect(existsSync(key)).toBe(false);

      for (const name of ["backup.db.caller-key", "calltally.db.caller-key"]) {
        writeFileSync(join(folder.path, name), content, { mode: 0o644 });
        const withKey = await run("restore backup.db");
        expect(withKey.stderr).toBe(
          `The key of caller_hash was copied from the backup's folder to ${key}.\n`,
        );
        expect([readFileSync(key, "utf8"), (statSync(key).mode & 0o777).toString(8)]).toEqual([
          content,
          "600",
        ]);
        rmSync(join(folder.path, name));
        rmSync(key);
      }

      writeFileSync(key, `${"0".repeat(64)}\n`);
      writeFileSync(join(folder.path, "backup.db.caller-key"), content);
      const another = await run("restore backup.db");
      expect(another.stderr).toContain(`${key} was kept, but the backup has a different key`);
      expect(readFileSync(key, "utf8")).toBe(`${"0".repeat(64)}\n`);
    },
  );
});
