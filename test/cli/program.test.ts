import { Command } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { hasTrait } from "../../src/cli/commands.ts";
import { silentContext } from "../../src/cli/context.ts";
import { createProgram } from "../../src/cli/program.ts";

const context = silentContext();

/** The titles in a help, and the names below each, in the order of the help. */
function readGroups(help: string): [title: string, names: string[]][] {
  const parts = help.split(/^(?=\S.*:$)/m).slice(1);
  return parts.map((part) => {
    const [title = "", ...lines] = part.split("\n");
    return [title, lines.flatMap((line) => /^ {2}(?:-\w, )?([\w-]+)/.exec(line)?.[1] ?? [])];
  });
}

describe("--help", () => {
  it("lists every command under a task, and fits a terminal", async () => {
    const program = await createProgram(context);
    const help = program.configureHelp({ ...program.configureHelp(), helpWidth: 80 }).helpInformation();
    const tasks = readGroups(help).filter(([title]) => !title.startsWith("Options"));
    expect(tasks.map(([title]) => title)).toEqual([
      "Start here:",
      "Figures and files:",
      "Query the warehouse:",
      "Operation:",
      "Personal data:",
      "At the service:",
      "Help and development:",
    ]);
    expect(tasks[0]?.[1]).toEqual(["demo", "init", "sync"]);
    const names = tasks.flatMap(([, listed]) => listed);
    expect(names.sort()).toEqual([...program.commands.map((command) => command.name()), "help"].sort());
    const lines = help.split("\n").filter((line) => line.startsWith("  "));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("of export starts with the most used options", async () => {
    const program = await createProgram(context, ["export"]);
    const exporting = program.commands.find((command) => command.name() === "export");
    const [args, [title, options] = []] = readGroups(exporting?.helpInformation() ?? "");
    expect(args?.[0]).toBe("Arguments:");
    expect(title).toBe("Most used:");
    expect(options).toEqual(expect.arrayContaining(["--last", "--grain", "--total", "--format", "--out"]));
  });
});

describe("hasTrait", () => {
  it("a nested command has the traits of the command that it is below, not of its namesake", () => {
    const nested = new Command("export");
    const config = new Command("config").addCommand(nested);
    const exporting = new Command("export");
    new Command("calltally").addCommand(config).addCommand(exporting);
    const traitsOf = (command: typeof nested | typeof exporting) =>
      (["loads its file", "writes personal files"] as const).filter((trait) => hasTrait(command, trait));
    expect(traitsOf(nested)).toEqual(["loads its file"]);
    expect(traitsOf(exporting)).toEqual(["writes personal files"]);
  });
});
