import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { calltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeSandboxFolder } from "./folder.ts";

describe("--quiet", () => {
  it("omits results and remarks, before or after the command", async () => {
    await using folder = await makeSandboxFolder({ calls: 200 });
    for (const args of [
      ["sync", "--quiet"],
      ["--quiet", "sync"],
      ["backup", "backup.db", "--quiet"],
      ["restore", "backup.db", "--quiet"],
      ["insight", "sync", "101", "--quiet"],
      ["webhook", "patch", "44", "--description", "x", "--quiet"],
    ]) {
      expect(await folder.run(...args), args.join(" ")).toEqual({ code: 0, stdout: "", stderr: "" });
    }
  });

  it("keeps data, errors and exit codes", async () => {
    await using folder = await makeSandboxFolder({ calls: 20 });
    const { sandbox, options, run } = folder;
    const [bad = 0] = sandbox.calls.ids;
    sandbox.calls.edit(bad, { duration: "long" });
    expect(await run("sync --quiet")).toEqual({ code: 3, stdout: "", stderr: "" });
    const sync = await run("sync --quiet --json");
    expect(JSON.parse(sync.stdout)).toMatchObject({ calls_rejected: 1 });
    expect((await run("status --quiet")).stdout).toContain("Rejected   1 row");
    expect((await run("doctor --quiet")).stdout).toContain("checks passed");
    expect((await run("insight show 101 --quiet")).stdout).toContain("Insight 101");
    const wrong = { ...options, env: { ...options.env, CALLTALLY_TOKEN: "wrong" } };
    const refused = await calltally(["sync", "--quiet"], wrong);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("The API refused the token");
    expect((await run("snyc --quiet")).stderr).toContain("Did you mean sync?");
  });
});

const ESCAPE = String.fromCharCode(27);

describe("output", () => {
  it("has no colours or other escapes in a file, even if colours are requested", async () => {
    await using folder = await makeSandboxFolder(
      { calls: 200 },
      { FORCE_COLOR: "1", CLICOLOR_FORCE: "1", TERM: "xterm-256color" },
    );
    for (const args of [
      ["sync"],
      ["status"],
      ["doctor"],
      ["--help"],
      ["sync", "--help"],
      ["snyc"],
      ["job", "sync"],
    ]) {
      const { stdout, stderr } = await folder.run(...args);
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
