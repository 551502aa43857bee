import { execFile } from "node:child_process";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { BASELINE_VERSION } from "../../src/warehouse/migrate.ts";
import { BIN, calltally, type Finished, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readIds, readRows } from "../support/warehouse.ts";

const NEXT_VERSION = BASELINE_VERSION + 1;

/** Makes the next version of the program: this one with one migration more. */
function makeNextProgram(folder: string): string {
  const program = join(folder, "dist");
  const filter = (from: string) => !/\.map$|\/\.compiled$/.test(from);
  cpSync(dirname(BIN), program, { recursive: true, filter });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  writeFileSync(join(program, "migrations/0001_next.sql"), "ALTER TABLE `calls` ADD `topic` text;");
  return join(program, "bin.js");
}

function run(bin: string, args: string[], options: { cwd: string; env: Record<string, string> }) {
  return new Promise<Finished>((done) => {
    execFile(process.execPath, [bin, ...args], options, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe("an upgrade", () => {
  it("can be prepared by a backup, is made by the next sync, and is undone by a restore", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 300 });
    const options = { cwd: folder.path, env: { ...settingsFor(sandbox), CALLTALLY_DATABASE: "calls.db" } };
    const database = join(folder.path, "calls.db");
    const version = () => readRows(database, "PRAGMA user_version");
    const bin = makeNextProgram(folder.path);
    const next = (...args: string[]) => run(bin, args, options);
    expect(await calltally(["sync"], options)).toMatchObject({ code: 0 });
    const ids = readIds(database);
    expect(ids).toHaveLength(300);

    const older = `Cannot read ${database} yet: its schema is version ${BASELINE_VERSION}, and this calltally needs ${NEXT_VERSION}`;
    for (const args of [["status"], ["query", "SELECT 1"], ["explain", "1"]]) {
      const refused = await next(...args);
      expect(refused).toMatchObject({ code: 7, stdout: "" });
      expect(refused.stderr).toContain(`${older}\nRun \`calltally sync\`, which migrates it.`);
    }
    expect((await next("doctor")).stdout).toContain(older);
    expect(await next("backup", "before.db")).toMatchObject({ code: 0, stderr: "" });
    expect(version()).toEqual([{ user_version: BASELINE_VERSION }]);

    expect(await next("sync")).toMatchObject({ code: 0 });
    expect(version()).toEqual([{ user_version: NEXT_VERSION }]);
    expect(readRows(database, "SELECT call_id FROM calls WHERE topic IS NULL ORDER BY 1")).toEqual(
      ids.map((call_id) => ({ call_id })),
    );
    expect(await next("status")).toMatchObject({ code: 0 });
    expect(await next("restore", "before.db")).toMatchObject({ code: 0 });
    expect(version()).toEqual([{ user_version: NEXT_VERSION }]);
    expect(await next("status")).toMatchObject({ code: 0 });

    const newer = await calltally(["sync"], options);
    expect(newer).toMatchObject({ code: 7, stdout: "" });
    expect(newer.stderr).toContain("Install the newer calltally that wrote it.");
    expect(await calltally(["restore", "before.db"], options)).toMatchObject({ code: 0 });
    expect(version()).toEqual([{ user_version: BASELINE_VERSION }]);
    expect(await calltally(["sync"], options)).toMatchObject({ code: 0 });
    expect(readIds(database)).toEqual(ids);
  });
});
