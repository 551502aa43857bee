import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { DIMENSIONS } from "../../../src/figures/dimensions.ts";
import type { Sandbox, startSandbox } from "../../../src/sandbox/server.ts";
import { startCalltally } from "../../support/run.ts";
import { makePersonal, type Person } from "../../support/warehouses/forgettable.ts";
import { makeSandboxFolder } from "../folder.ts";
import { until } from "../until.ts";

/**
 * Makes a working folder with a warehouse whose service has changed, and some callers with personal data in it: read
 * before and after they were edited, since the pages of a file keep earlier versions of rows.
 * @param edit changes the service before the second sync
 */
export async function makePersonalFolder(
  sandboxOptions: Parameters<typeof startSandbox>[0],
  callers: number,
  edit: (sandbox: Sandbox, people: Person[]) => void = () => {},
) {
  const folder = await makeSandboxFolder(sandboxOptions);
  const { sandbox, path, env, options, run } = folder;
  env.TMPDIR = path;
  const sync = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("sync --json", ...args);
    expect([0, 3], stderr).toContain(code);
    return JSON.parse(stdout);
  };
  await sync();
  const people = makePersonal(sandbox, callers);
  edit(sandbox, people);
  await sync("--full");
  return {
    ...folder,
    data: join(path, "data"),
    people,
    sync,
    /** Kills a full pass at its third request. */
    killSync: async () => {
      const requests = sandbox.requests.length;
      const killed = startCalltally(["sync", "--full", "--limit", "50"], options);
      await until(() => sandbox.requests.length >= requests + 3 || killed.exitCode !== null);
      killed.kill("SIGKILL");
      await killed.done;
    },
    /** Exports every rollup by one dimension, which restates nothing; returns the files by name. */
    readRollups: async (): Promise<Record<string, string>> => {
      const { code, stderr } = await run("export", ...DIMENSIONS, "--out", "rollups");
      expect([0, 3], stderr).toContain(code);
      const { restatements } = JSON.parse(readFileSync(join(path, "rollups/manifest.json"), "utf8"));
      expect(restatements?.cells ?? 0).toBe(0);
      const files = globSync("*.csv", { cwd: join(path, "rollups") });
      expect(files).toHaveLength(DIMENSIONS.length);
      return Object.fromEntries(
        files.map((file) => [file, readFileSync(join(path, "rollups", file), "utf8")]),
      );
    },
    /** Expects that neither a backup nor the checks of the file find anything wrong. */
    expectSound: async () => {
      const doctor = JSON.parse((await run("doctor --deep --json")).stdout);
      expect(doctor.checks.filter(({ state }: { state: string }) => state === "fail")).toEqual([]);
      expect(await run("backup data/backup.db")).toMatchObject({ code: 0, stderr: "" });
    },
  };
}
