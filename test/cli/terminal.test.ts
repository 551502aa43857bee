import { describe, expect, it } from "vitest";
import { calltally } from "../support/run.ts";
import { makeCallsFolder, makeSandboxFolder } from "./folder.ts";
import { hasScript, runOnTerminal, unlessNoScript } from "./terminal.ts";

describe("--quiet", () => {
  it("omits results and remarks, before or after the command", async () => {
    await using folder = await makeSandboxFolder({ calls: 200 });
    for (const args of [
      ["sync", "--quiet"],
      ["--quiet", "sync"],
      ["backup", "backup.db", "--quiet"],
      ["restore", "backup.db", "--quiet"],
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
    const wrong = { ...options, env: { ...options.env, CALLTALLY_TOKEN: "wrong" } };
    const refused = await calltally(["sync", "--quiet"], wrong);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("The API refused the token");
    expect((await run("snyc --quiet")).stderr).toContain("Did you mean sync?");
  });
});

const ESCAPE = String.fromCharCode(27);

describe("output", () => {
  it("a file gets no colours or other escapes, even if colours are requested", async () => {
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
      expect(stdout + stderr, args.join(" ")).toMatch(/sync|verdict|checks passed/);
      expect(stdout + stderr, args.join(" ")).not.toContain(ESCAPE);
    }
  });

  it.skipIf(!hasScript)(`a terminal gets no colours either${unlessNoScript}`, () => {
    using folder = makeCallsFolder([], { TERM: "xterm-256color" });
    for (const command of ["status", "snyc"]) {
      const shown = runOnTerminal([command], folder.options);
      expect(shown).toContain("\r\n");
      expect(shown, command).not.toContain(ESCAPE);
    }
  });

  it.skipIf(!hasScript).each(["csv", "json"])(
    `shows data escaped on a terminal, as %s${unlessNoScript}`,
    (format) => {
      using folder = makeCallsFolder([]);
      const sql = "SELECT 'a' || char(27) || '[2J' || char(8238) || 'b'";
      const shown = runOnTerminal(["query", "--format", format, sql], folder.options);
      expect(shown).toContain("a\\u001b[2J\\u202eb");
      expect(shown).not.toContain(ESCAPE);
    },
  );
});
