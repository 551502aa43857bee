import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keepingAll } from "../../src/warehouse/calls/call-guard.ts";
import { openCallerHash } from "../../src/warehouse/calls/caller-hash.ts";
import { recordRejected } from "../../src/warehouse/calls/rejected.ts";
import { openWarehouse } from "../../src/warehouse/file/open.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { FULL_CALL } from "../support/warehouses/calls.ts";
import { findTraces, spell } from "../support/warehouses/forgettable.ts";
import { storeCalls } from "../support/warehouses/warehouse.ts";
import { buildProgram, killAt, type Mutation } from "./changed-program.ts";
import { compareDumps, dumpWarehouse } from "./dump.ts";
import { runProgram } from "./program.ts";
import { makePruneScene } from "./prune-scene.ts";
import { whyUntraceable } from "./system-calls.ts";
import { makeTrial, planTrials } from "./trials.ts";

// Wherever `prune` is killed: nothing has begun, or the same command completes it, and no byte remains.

const DATABASE = "data/calltally.db";
const NUMBER = "+12145550123";
const PERSON = { number: NUMBER, callIds: [], traces: [...spell(NUMBER), "2145550123", "gusher"] };
/** Three batches. */
const CALLS = 600;
const KEEP = { CALLTALLY_KEEP_TRANSCRIPTS: "never", CALLTALLY_KEEP_CALLER_NUMBERS: "30d" };

const NAMING = killAt("src/warehouse/attribution/apply-rules.ts", [
  ["while callers are named", "after", "replaceNumbers(tx, digests);"],
]);
const NAMED = killAt("src/operate/forget/prune-now.ts", [
  ["after callers were named", "after", "await applyRules(warehouse, rules, options);"],
]);
const IN_BATCH = killAt(
  "src/sync/prune.ts",
  [["in a batch", "before", "updatePrivacyAct(tx, this.#actId, this.#counts);"]],
  "this.#counts.transcripts >= 300",
);
const BETWEEN = killAt(
  "src/sync/prune.ts",
  [["between batches", "after", "else writeTransaction(this.#writer, (tx) => this.#record(tx, step));"]],
  "this.#counts.transcripts > 0",
);
const ERASE = killAt("src/warehouse/erase.ts", [
  ["before VACUUM", "before", 'sqlite.exec("VACUUM");'],
  ["after VACUUM", "before", "emptyLog(warehouse);"],
  ["with an empty log", "before", "markErased(warehouse, new Date(nowMs).toISOString());"],
  ["after it is marked", "after", "markErased(warehouse, new Date(nowMs).toISOString());"],
]);

const POINTS: [point: string, mutation: Mutation, isBegun: boolean][] = [
  ["while callers are named", NAMING, false],
  ["after callers were named", NAMED, true],
  ["in a batch", IN_BATCH, true],
  ["between batches", BETWEEN, true],
  ["before VACUUM", ERASE, true],
  ["after VACUUM", ERASE, true],
  ["with an empty log", ERASE, true],
  ["after it is marked", ERASE, true],
];

/** Fills a folder with a warehouse of three batches of calls, every other one of one caller. */
function makeBefore(folder: string): void {
  mkdirSync(join(folder, "data"), { recursive: true });
  using warehouse = openWarehouse(join(folder, DATABASE));
  const calls = Array.from({ length: CALLS }, (_, index) => ({
    ...FULL_CALL,
    call_id: index + 1,
    caller_id: index % 2 === 0 ? NUMBER : `+1555000${1000 + index}`,
    transcription: `${"A gusher. ".repeat(index % 20 === 0 ? 4000 : 1)}Call ${NUMBER}.`,
  }));
  storeCalls(warehouse, calls);
  const json = JSON.stringify({ ...FULL_CALL, caller_id: NUMBER, duration: "long", transcription: "gusher" });
  const rejected = { call_id: null, json, path: "duration", reason: "is not a number" };
  recordRejected(warehouse, [rejected], 1, keepingAll(warehouse));
  // Creates the key, so that all runs compute the same digests.
  openCallerHash(join(folder, DATABASE));
}

describe("prune that was killed", () => {
  it.each(POINTS)("completes when run again, killed %s", async (point, mutation, isBegun) => {
    using program = await buildProgram(mutation);
    using folder = makeTempFolder();
    const inFolder = (name: string) => join(folder.path, name);
    const dump = (name: string) => dumpWarehouse(join(folder.path, name, DATABASE));
    const run = (name: string, env = {}) =>
      runProgram([process.execPath, program.bin, "prune"], {
        cwd: inFolder(name),
        env: { ...KEEP, ...env },
      });
    makeBefore(inFolder("before"));
    for (const name of ["pruned", "killed"]) cpSync(inFolder("before"), inFolder(name), { recursive: true });
    expect(await run("pruned")).toMatchObject({ code: 0 });
    expect(await run("killed", { KILL_AT: point })).toMatchObject({ signal: "SIGKILL" });
    const found = dump("killed");
    expect(found.contradictions).toEqual([]);
    expect(compareDumps(dump("before"), found).length > 0).toBe(isBegun);
    expect(await run("killed")).toMatchObject({ code: 0 });
    expect(findTraces(inFolder("killed/data"), [PERSON])).toEqual([]);
    expect(compareDumps(dump("pruned"), dump("killed"))).toEqual([]);
  });

  it.skipIf(whyUntraceable() !== undefined)(
    "completes when run again, killed at a write of VACUUM or of the log, or on a full disk",
    async () => {
      using program = await buildProgram();
      using scene = await makePruneScene(program.bin);
      const trials = await planTrials(program.bin, scene);
      const some = trials
        .filter(({ id }) => /(KILL|ENOSPC) \w+ data/.test(id))
        .filter((_, index) => index % 90 === 7);
      expect(some.length).toBeGreaterThan(3);
      for (const trial of some) await makeTrial(program.bin, trial);
    },
  );
});
