import { deepEqual } from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { startSandbox } from "../../src/sandbox/server.ts";
import { settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { clearAddresses, findTraces, makePersonal } from "../support/warehouses/forgettable.ts";
import { compareDumps, dumpWarehouse } from "./dump.ts";
import { runProgram } from "./program.ts";
import type { End, Scene } from "./scene.ts";

const WAREHOUSE = "data/calltally.db";
const CALLS = 60;
const PRUNE = {
  name: "prune",
  args: ["prune"],
  env: {
    CALLTALLY_KEEP_TRANSCRIPTS: "never",
    CALLTALLY_KEEP_SUMMARIES: "never",
    CALLTALLY_KEEP_CALLER_NUMBERS: "never",
    CALLTALLY_KEEP_RECORDING_URLS: "never",
  },
} as const satisfies Partial<Scene>;

/**
 * Makes the scene: `prune` of a warehouse that has kept everything. At its end no byte of personal data is in any file,
 * and the warehouse equals that of an undisturbed run.
 */
export async function makePruneScene(bin: string): Promise<Scene & Disposable> {
  using scope = new DisposableStack();
  const folder = scope.use(makeTempFolder()).path;
  await using sandbox = await startSandbox({ calls: CALLS });
  const people = makePersonal(sandbox, 3);
  clearAddresses(sandbox, people);
  const run = async (args: readonly string[], cwd: string, env: Record<string, string>) => {
    const { code, stderr } = await runProgram([process.execPath, bin, ...args], { cwd, env });
    deepEqual([code === 0 || code === 3, stderr.includes("Cannot")], [true, false], stderr);
  };
  const [before, after] = [join(folder, "before"), join(folder, "after")];
  mkdirSync(before);
  await run(["sync"], before, settingsFor(sandbox));
  // Creates the key, so that all runs compute the same digests.
  await run(["export", "callers"], before, {});
  cpSync(before, after, { recursive: true });
  await run(PRUNE.args, after, PRUNE.env);
  const dump = dumpWarehouse(join(after, WAREHOUSE));
  const check = (found: string, end: End) => {
    const now = dumpWarehouse(join(found, WAREHOUSE));
    deepEqual(now.contradictions, []);
    if (end !== "done") return;
    deepEqual(compareDumps(dump, now), []);
    deepEqual(findTraces(join(found, "data"), people), []);
  };
  check(after, "done");
  const kept = scope.move();
  return {
    ...PRUNE,
    prepare: (empty) => cpSync(before, empty, { recursive: true }),
    check,
    [Symbol.dispose]: () => kept.dispose(),
  };
}
