import { deepEqual } from "node:assert/strict";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { startSandbox } from "../../src/sandbox/server.ts";
import { settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeAgencyScenes } from "./agency-scenes.ts";
import { compareDumps, type Dump, dumpWarehouse } from "./dump.ts";
import { checkExported, readExported } from "./exported-files.ts";
import { runProgram } from "./program.ts";
import { makePruneScene } from "./prune-scene.ts";
import type { End, Scene } from "./scene.ts";

export interface Scenes extends AsyncDisposable {
  all: readonly Scene[];
}

const WAREHOUSE = "data/calltally.db";
const EXPORTED = {
  folder: "data/exports",
  names: ["utm_source.csv", "campaign.csv", "gclid.csv", "manifest.json"],
  warehouses: [WAREHOUSE],
};

const CALLS = { first: 40, added: 20 };

/**
 * Makes the scenes: `sync` into a folder without a warehouse, `export` over the files of an earlier one, `prune` of a
 * warehouse that has kept everything, and an agency's. Their results are taken from undisturbed runs of the same program.
 */
export async function makeScenes(bin: string): Promise<Scenes> {
  await using scope = new AsyncDisposableStack();
  const folder = scope.use(makeTempFolder()).path;
  const sandbox = scope.use(await startSandbox({ calls: CALLS.first }));
  // Pages of an odd number of calls, so that each page has one that neither of its neighbours repeats.
  const sync = { name: "sync", args: ["sync", "--limit", "21"], env: settingsFor(sandbox) };
  const exporting = { name: "export", args: ["export"], env: {} };
  const run = async ({ args, env }: Pick<Scene, "args" | "env">, cwd: string) => {
    const ended = await runProgram([process.execPath, bin, ...args], { cwd, env });
    deepEqual(ended, { code: 0, signal: null, stderr: "", hung: false });
  };

  const [before, after] = [join(folder, "before"), join(folder, "after")];
  mkdirSync(before);
  await run(sync, before);
  await run(exporting, before);
  for (let call = 0; call < CALLS.added; call++) sandbox.calls.insert();
  await run(sync, before);
  cpSync(before, after, { recursive: true });
  await run(exporting, after);

  const dump = dumpWarehouse(join(before, WAREHOUSE));
  const files = { ...EXPORTED, before: readExported(before, EXPORTED), after: readExported(after, EXPORTED) };
  const pruning = scope.use(await makePruneScene(bin));
  const agency = scope.use(await makeAgencyScenes(bin));
  const kept = scope.move();
  return {
    all: [
      { ...sync, prepare: () => {}, check: (found, end) => checkWarehouse(dump, found, end) },
      {
        ...exporting,
        prepare: (empty) => cpSync(before, empty, { recursive: true }),
        check: (found, end) => {
          checkExported(files, found, end);
          checkWarehouse(dump, found, "done");
        },
      },
      pruning,
      ...agency.all,
    ],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** There is no warehouse yet, or a sound one; after a complete run it has all calls. */
function checkWarehouse(expected: Dump, folder: string, end: End): void {
  const path = join(folder, WAREHOUSE);
  if (end !== "done" && !existsSync(path)) return;
  const found = dumpWarehouse(path);
  deepEqual(end === "done" ? compareDumps(expected, found) : found.contradictions, []);
}
