import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/** Runs Node in a folder. */
function runNode(args: string[], cwd: string, env: Record<string, string> = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((ended) => {
    execFile(process.execPath, args, { cwd, env }, (error, stdout, stderr) =>
      ended({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

const script = (name: string) => resolve("jobs", `${name}.ts`);

describe("a script in jobs/", () => {
  it("runs its job when started, with the job's exit code", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 50 });
    const env = settingsFor(sandbox);
    const synced = await runNode([script("sync")], folder.path, env);
    expect(synced).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining('"msg":"synced"') });
    const exported = await runNode([script("export")], folder.path);
    expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining('"msg":"exported"') });
    const refreshed = await runNode([script("insights")], folder.path, env);
    expect(refreshed).toMatchObject({ code: 0, stderr: expect.stringContaining("no insights to refresh") });
    const refused = await runNode([script("sync")], folder.path, { ...env, CALLTALLY_TOKEN: "wrong" });
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('"exitCode":4') });
  });

  it.each([
    { args: ["weekly"], says: "There is no job report:weekly; jobs are sync, export, insights" },
    { args: [], says: "There is no job report:; jobs are sync, export, insights" },
  ])("reads the name of a report from its arguments: $args", async ({ args, says }) => {
    using folder = makeTempFolder();
    const { code, stderr } = await runNode([script("report"), ...args], folder.path);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) });
  });

  it("does nothing when it is imported", async () => {
    using folder = makeTempFolder();
    const imports = ["sync", "export", "insights", "report"].map(
      (name) => `import ${JSON.stringify(script(name))};`,
    );
    expect(await runNode(["--input-type=module", "--eval", imports.join("")], folder.path)).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });
});
