import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

describe("--quiet", () => {
  it("omits results and remarks, before or after the command", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 200 });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    for (const args of [
      ["sync", "--quiet"],
      ["--quiet", "sync"],
      ["backup", "backup.db", "--quiet"],
      ["restore", "backup.db", "--quiet"],
      ["insight", "sync", "101", "--quiet"],
      ["webhook", "patch", "44", "--description", "x", "--quiet"],
    ]) {
      expect(await calltally(args, options), args.join(" ")).toEqual({ code: 0, stdout: "", stderr: "" });
    }
  });

  it("keeps data, errors and exit codes", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 20 });
    const [bad = 0] = sandbox.calls.ids;
    sandbox.calls.edit(bad, { duration: "long" });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    expect(await calltally(["sync", "--quiet"], options)).toEqual({ code: 3, stdout: "", stderr: "" });
    const sync = await calltally(["sync", "--quiet", "--json"], options);
    expect(JSON.parse(sync.stdout)).toMatchObject({ calls_rejected: 1 });
    expect((await calltally(["status", "--quiet"], options)).stdout).toContain("Rejected   1 row");
    expect((await calltally(["doctor", "--quiet"], options)).stdout).toContain("checks passed");
    expect((await calltally(["insight", "show", "101", "--quiet"], options)).stdout).toContain("Insight 101");
    const wrong = { ...options, env: { ...options.env, CALLTALLY_TOKEN: "wrong" } };
    const refused = await calltally(["sync", "--quiet"], wrong);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("The API refused the token");
    expect((await calltally(["snyc", "--quiet"], options)).stderr).toContain("Did you mean sync?");
  });
});

const ESCAPE = String.fromCharCode(27);

describe("output", () => {
  it("has no colours or other escapes in a file, even if colours are requested", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 200 });
    const env = { ...settingsFor(sandbox), FORCE_COLOR: "1", CLICOLOR_FORCE: "1", TERM: "xterm-256color" };
    for (const args of [
      ["sync"],
      ["status"],
      ["doctor"],
      ["--help"],
      ["sync", "--help"],
      ["snyc"],
      ["job", "sync"],
    ]) {
      const { stdout, stderr } = await calltally(args, { cwd: folder.path, env });
      expect(stdout + stderr).not.toBe("");
      expect(stdout + stderr, args.join(" ")).not.toContain(ESCAPE);
    }
  });

  const hasScript = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;
  it.skipIf(!hasScript)(
    `has no colours on a terminal either${hasScript ? "" : " (SKIPPED: no script)"}`,
    async () => {
      using folder = makeTempFolder();
      openWarehouse(join(folder.path, "data/calltally.db"))[Symbol.dispose]();
      for (const args of ["status", "snyc"]) {
        const command = `"${process.execPath}" "${resolve("dist/bin.js")}" ${args}`;
        const { stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
          cwd: folder.path,
          env: { TERM: "xterm-256color" },
          encoding: "utf8",
        });
        expect(stdout).toContain("\r\n");
        expect(stdout, args).not.toContain(ESCAPE);
      }
    },
  );

  it.skipIf(!hasScript)(`shows data escaped on a terminal${hasScript ? "" : " (SKIPPED: no script)"}`, () => {
    using folder = makeTempFolder();
    openWarehouse(join(folder.path, "data/calltally.db"))[Symbol.dispose]();
    const sql = "SELECT 'a' || char(27) || '[2J' || char(8238) || 'b'";
    for (const format of ["csv", "json"]) {
      const command = `"${process.execPath}" "${resolve("dist/bin.js")}" query --format ${format} "${sql}"`;
      const { stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
        cwd: folder.path,
        encoding: "utf8",
      });
      expect(stdout).toContain("a\\u001b[2J\\u202eb");
      expect(stdout).not.toContain(ESCAPE);
    }
  });
});
