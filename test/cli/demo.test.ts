import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exportCommand } from "../../src/cli/export-command.ts";
import { createProgram } from "../../src/cli/program.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { calltally } from "./run.ts";

describe("calltally demo", () => {
  it("writes three rollups and a report with nothing set, twice over, and shows them within 80 columns", async () => {
    using folder = makeTempFolder();
    await calltally(["demo"], { cwd: folder.path });
    const { code, stdout, stderr } = await calltally(["demo"], { cwd: folder.path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("verdict   exact");
    for (const dimension of ["utm_source", "campaign", "gclid"])
      expect(stdout).toMatch(new RegExp(`^${dimension} +calls`, "m"));
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(readdirSync(join(folder.path, "data/demo")).sort()).toEqual([
      "calltally.db",
      "calltally.db.lock",
      "campaign.csv",
      "gclid.csv",
      "manifest.json",
      "report",
      "utm_source.csv",
    ]);
    expect(stdout).toContain("Open data/demo/report/report.html in a browser");
    expect(readdirSync(join(folder.path, "data/demo/report")).sort()).toEqual([
      "manifest.json",
      "report.html",
    ]);
  });
});

describe("the README", () => {
  const readme = readFileSync("README.md", "utf8");
  const context = {
    env: {},
    folder: ".",
    signal: new AbortController().signal,
    print: () => {},
    write: () => Promise.resolve(),
    tell: () => {},
    note: () => {},
    complain: () => {},
    quiet: false,
  };

  it.each(Object.values(SETTINGS))("names $env and its default", (setting) => {
    const line = readme.split("\n").find((text) => text.startsWith(`| \`${setting.env}\``));
    expect(line).toContain(setting.help);
    if ("default" in setting) expect(line).toContain(`\`${setting.default}\``);
  });

  it("names every command", async () => {
    const program = await createProgram(context, () => {});
    const names = program
      .createHelp()
      .visibleCommands(program)
      .map((command) => command.name());
    expect(names).toContain("sync");
    for (const name of names.filter((name) => name !== "help")) expect(readme).toContain(`\`${name}`);
  });

  it("names every flag of export", () => {
    const command = exportCommand(context, () => {});
    for (const { long } of command.options) expect(readme).toContain(`\`${long}`);
  });

  it("is what --help agrees with: each command shows an example", async () => {
    using folder = makeTempFolder();
    for (const command of [
      "demo",
      "sync",
      "export",
      "status",
      "doctor",
      "backup",
      "restore",
      "schedule",
      "job",
      "sandbox",
      "completion",
    ]) {
      const { code, stdout } = await calltally([command, "--help"], { cwd: folder.path });
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`Examples?:\\n {2}\\$ .*calltally ${command}`));
    }
  });
});
