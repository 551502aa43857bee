import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWarehouse } from "../../src/warehouse/file/open.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { FULL_CALL } from "../support/warehouses/calls.ts";
import { findTraces, spell } from "../support/warehouses/forgettable.ts";
import { storeRun } from "../support/warehouses/warehouse.ts";
import { buildProgram, killAt, type Mutation } from "./changed-program.ts";
import { compareDumps, dumpWarehouse } from "./dump.ts";
import { runProgram } from "./program.ts";

// Wherever `forget` is killed: nothing has begun, or the same command completes it, and no byte remains.

const DATABASE = "data/calltally.db";
const NUMBER = "+12145550123";
const PERSON = { number: NUMBER, callIds: [], traces: [...spell(NUMBER), "gusher"] };
const ARGS = ["forget", NUMBER, "--exports"];

const FORGET = killAt("src/operate/forget/forget-callers.ts", [
  ["in the transaction", "after", "const rejected_rows = stripRejectedRows(tx, forgotten, keeping);"],
  ["before the commit", "after", "record(tx, result.counts, at);"],
]);
const ERASE = killAt("src/warehouse/erase.ts", [
  ["after the commit", "after", "overwriteDeleted(warehouse);"],
  ["after VACUUM", "after", 'sqlite.exec("VACUUM");'],
  ["with an empty log", "after", "emptyLog(warehouse);"],
]);
const EXPORTS = killAt("src/operate/forget/personal-files.ts", [
  ["between manifest and files", "after", "forgetInManifest(folder, removed, { maskJson, warehouse });"],
  ["between files", "after", "removeFile(path);"],
]);

const POINTS: [point: string, mutation: Mutation, isBegun: boolean][] = [
  ["in the transaction", FORGET, false],
  ["before the commit", FORGET, false],
  ["after the commit", ERASE, true],
  ["after VACUUM", ERASE, true],
  ["with an empty log", ERASE, true],
  ["between manifest and files", EXPORTS, true],
  ["between files", EXPORTS, true],
];

describe("forget that was killed", () => {
  it.each(POINTS)("completes when run again, killed %s", async (point, mutation, isBegun) => {
    using program = await buildProgram(mutation);
    using folder = makeTempFolder();
    mkdirSync(join(folder.path, "data"));
    const database = join(folder.path, DATABASE);
    {
      using warehouse = openWarehouse(database);
      const calls = Array.from({ length: 40 }, (_, index) => ({
        ...FULL_CALL,
        call_id: index + 1,
        caller_id: index % 2 === 0 ? NUMBER : `+1555000${1000 + index}`,
        transcription: `${"A gusher. ".repeat(index % 2 === 0 ? 4000 : 0)}Bye.`,
      }));
      const at = new Date().toISOString();
      storeRun(warehouse, calls, { startedAt: at, finishedAt: at });
    }
    const run = (args: readonly string[], env = {}) =>
      runProgram([process.execPath, program.bin, ...args], { cwd: folder.path, env });
    expect(await run(["export", "calls", "callers"])).toMatchObject({ code: 0 });
    const before = dumpWarehouse(database);
    expect(await run(ARGS, { KILL_AT: point })).toMatchObject({ signal: "SIGKILL" });
    const killed = dumpWarehouse(database);
    expect(killed.contradictions).toEqual([]);
    expect(compareDumps(before, killed).length > 0).toBe(isBegun);
    expect(await run(ARGS)).toMatchObject({ code: 0 });
    expect(findTraces(join(folder.path, "data"), [PERSON])).toEqual([]);
    expect(existsSync(join(folder.path, "data/exports/calls.csv"))).toBe(false);
    expect(dumpWarehouse(database).contradictions).toEqual([]);
  });
});
