import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { makeSandboxFolder } from "../folder.ts";

const shell = spawnSync("sqlite3", ["--version"], { encoding: "utf8" });
/** `-json` came with 3.33. */
const hasShell = shell.status === 0 && Number(shell.stdout.split(".")[1]) >= 33;
const descriptions = z.array(
  z.object({ name: z.string(), columns: z.array(z.object({ name: z.string() })) }),
);

/** Runs a query in the shell, independently of this program. */
function askShell(database: string, sql: string): unknown {
  const { stdout, stderr } = spawnSync("sqlite3", ["-readonly", "-json", database, sql], {
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout || "[]");
}

describe.skipIf(!hasShell)("the sqlite3 shell (skipped where there is none)", () => {
  it("reads every table and view", async () => {
    await using folder = await makeSandboxFolder({ calls: 500 });
    expect(await folder.run("sync")).toMatchObject({ code: 0 });
    const database = folder.database;

    const schema = await folder.run("schema --json");
    const described = descriptions.parse(JSON.parse(schema.stdout));
    for (const { name, columns } of described) {
      const names = columns.map((column) => column.name);
      const sql = `SELECT count(*) AS read FROM (SELECT ${names.join(", ")} FROM ${name})`;
      expect(askShell(database, sql)).toEqual([{ read: expect.any(Number) }]);
    }
  });
});
