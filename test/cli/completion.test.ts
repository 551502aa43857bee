import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeFolder } from "./folder.ts";

/** The suggestions for a shell after these words. */
async function candidates(...words: string[]): Promise<string[]> {
  using folder = makeFolder();
  const { code, stdout, stderr } = await folder.run("complete --", ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.pop()).toMatch(/^:\d+$/);
  return lines.map((line) => line.split("\t")[0] ?? "");
}

describe("calltally complete", () => {
  it("offers commands, their commands and their options", async () => {
    const commands = await candidates("");
    expect(commands).toEqual(expect.arrayContaining(["sync", "doctor", "backup", "restore", "completion"]));
    expect(commands).not.toContain("complete");
    expect(await candidates("s")).toEqual(COMMANDS.filter((name) => name.startsWith("s")));
    expect(await candidates("config", "")).toEqual(expect.arrayContaining(["check", "show", "schema"]));
    expect(await candidates("status", "--")).toEqual(
      expect.arrayContaining(["--max-age", "--runs", "--json", "--quiet", "--help"]),
    );
  });

  it("offers the choices of arguments and options", async () => {
    expect(await candidates("export", "utm_")).toContain("utm_source");
    expect(await candidates("export", "utm_source", "gcl")).toEqual(["gclid"]);
    expect(await candidates("sandbox", "--order", "")).toEqual(["newest", "oldest", "shuffled", "random"]);
    expect(await candidates("completion", "p")).toEqual(["powershell"]);
    expect(await candidates("nonsense", "x")).toEqual([]);
  });
});

describe("calltally completion", () => {
  it.each([
    ["bash", "complete -o default -F _calltally calltally"],
    ["zsh", "#compdef calltally"],
    ["fish", "complete -c calltally"],
    ["powershell", "Register-ArgumentCompleter"],
  ])("prints the script for %s", async (shell, holds) => {
    using folder = makeFolder();
    const { code, stdout, stderr } = await folder.run("completion", shell);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(holds);
  });

  const hasBash = spawnSync("bash", ["-c", "true"]).status === 0;
  it.skipIf(!hasBash).each([
    { words: "sandbox --order ol", offers: /^oldest\n$/ },
    { words: "query '$(touch pwned)' '`touch pwned`' '>' file '--'", offers: /--timeout/ },
  ])(
    `completes in bash, and runs nothing from the command line: $words${hasBash ? "" : " (SKIPPED: no bash)"}`,
    ({ words, offers }) => {
      using folder = makeTempFolder();
      const script = `
      calltally() { "${process.execPath}" "${resolve("dist/bin.js")}" "$@"; }
      source <(calltally completion bash)
      COMP_WORDS=(calltally ${words})
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _calltally
      echo "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: folder.path, encoding: "utf8" });
      expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(offers), stderr: "" });
      expect(readdirSync(folder.path)).toEqual([]);
    },
  );
});
