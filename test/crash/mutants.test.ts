import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { compareDumps, dumpWarehouse } from "./dump.ts";
import { buildProgram, MUTATIONS, type Mutation } from "./mutants.ts";
import { runProgram } from "./program.ts";
import { makeScenes } from "./scenes.ts";
import { whyUntraceable } from "./system-calls.ts";
import { makeTrial, planTrials } from "./trials.ts";

// A harness that finds nothing in a program with a fault proves nothing of one without.

/** Kills a sync in the middle of its third page; returns what is wrong before the next run, and after it. */
async function killAtThirdPage(mutation: Mutation) {
  using folder = makeTempFolder();
  using program = await buildProgram(mutation);
  await using service = await startSandbox({ calls: 1000 });
  const env = settingsFor(service);
  const [clean, killed] = [join(folder.path, "clean"), join(folder.path, "killed")];
  for (const cwd of [clean, killed]) mkdirSync(cwd);
  const sync = [process.execPath, program.bin, "sync", "--limit", "200"];
  const dump = (cwd: string) => dumpWarehouse(join(cwd, "data/calltally.db"));

  expect(await runProgram(sync, { cwd: clean, env })).toMatchObject({ code: 0 });
  const cut = await runProgram(sync, { cwd: killed, env: { ...env, KILL_AT_PAGE: "2" } });
  expect(cut).toMatchObject({ signal: "SIGKILL", hung: false });
  const before = dump(killed).contradictions;
  expect(await runProgram(sync, { cwd: killed, env })).toMatchObject({ code: 0 });
  return { before, after: compareDumps(dump(clean), dump(killed)) };
}

describe("the kill harness", () => {
  it("finds nothing where a page and its calls are one transaction", async () => {
    const found = await killAtThirdPage(MUTATIONS["kill-in-transaction"]);
    expect(found).toEqual({ before: [], after: [] });
  });

  it("finds the calls of a page that was written before them", async () => {
    const { before, after } = await killAtThirdPage(MUTATIONS["page-before-calls"]);
    expect(before).toEqual([expect.stringContaining("pages name calls that are not there: 150")]);
    // The next run does not stand on pages whose calls are not there.
    expect(after).toEqual([]);
  });
});

describe.skipIf(whyUntraceable() !== undefined)("the strace harness", () => {
  /** Kills an export in the middle of its first file; returns what is wrong. */
  async function killAtFirstWrites(mutation?: Mutation): Promise<string[]> {
    using program = await buildProgram(mutation);
    await using scenes = await makeScenes(program.bin);
    const found: string[] = [];
    for (const scene of scenes.all.filter(({ name }) => name === "export")) {
      const trials = await planTrials(program.bin, scene);
      for (const trial of trials.filter(({ id }) => id.includes("KILL write ")).slice(0, 3)) {
        await makeTrial(program.bin, trial).catch((error) => found.push(String(error)));
      }
    }
    return found;
  }

  it("finds nothing in exports that are written aside, synced and renamed", async () => {
    expect(await killAtFirstWrites()).toEqual([]);
  });

  it("finds half a file where exports are written under their final names", async () => {
    const found = await killAtFirstWrites(MUTATIONS["write-in-place"]);
    expect(found).toHaveLength(3);
    expect(found[0]).toContain("torn");
  });

  it.each([
    { name: "rename-before-sync", finds: "utm_source.csv got its name before its content was synced" },
    { name: "no-folder-sync", finds: "exports was not synced after the last renaming in it" },
  ] as const)("finds what only a power cut would show: $name", async ({ name, finds }) => {
    await expect(killAtFirstWrites(MUTATIONS[name])).rejects.toThrow(finds);
  });
});

describe("buildProgram", () => {
  it("fails when the text to be replaced is not there", async () => {
    const mutation = { file: "src/sync/store.ts", edits: [{ find: "no such text", replace: "" }] };
    await expect(buildProgram(mutation)).rejects.toThrow("src/sync/store.ts has 0 times: no such text");
  });
});
