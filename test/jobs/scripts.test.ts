import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { JOBS } from "../../src/operate/jobs/all.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const { NODE_COMPILE_CACHE = "" } = process.env;

/** Runs Node in a folder. */
function runNode(args: string[], cwd: string, env: Record<string, string> = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((ended) => {
    execFile(process.execPath, args, { cwd, env: { NODE_COMPILE_CACHE, ...env } }, (error, stdout, stderr) =>
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
    const synced = await runNode([script("sync"), "--begin"], folder.path, env);
    expect(synced).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining('"msg":"synced"') });
  });

  it("reads the name of a report from its arguments", async () => {
    using folder = makeTempFolder();
    const { code, stderr } = await runNode([script("report"), "weekly"], folder.path);
    const says = `There is no job report:weekly; jobs are ${JOBS.map(({ name }) => name).join(", ")}`;
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) });
  });

  it("starts only its own job, and nothing when it is imported", async () => {
    const names = JOBS.map(({ name }) => name);
    for (const name of names)
      expect(readFileSync(script(name), "utf8")).toContain(`runFromSource(["job", "${name}", ...`);
    using folder = makeTempFolder();
    const imports = [...names, "report"].map((name) => `import ${JSON.stringify(script(name))};`);
    const imported = await runNode(["--input-type=module", "--eval", imports.join("")], folder.path);
    expect(imported).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});
