import { describe, expect, it } from "vitest";
import { readCommands } from "../../src/tooling/reference/command-tree.ts";
import { readPages } from "./pages.ts";

const { commands, common } = await readCommands();

/** The flags of each command, by its name. */
const FLAGS = new Map(
  commands.map(({ name, groups }) => [
    name,
    [...groups.flatMap(({ terms }) => terms), ...common].flatMap(({ term }) => term.match(/--[\w-]+/g) ?? []),
  ]),
);

/** The commands in the lines of a page, to type or in the text. */
function commandsOf(text: string): string[] {
  const typed = [...text.matchAll(/^(?: {4}|\$ )(?:.*(?:&&|;|\|) *)?((?:npx )?calltally [a-z].*)$/gm)];
  const named = [...text.matchAll(/`((?:npx )?calltally [a-z][^`\n]*)`/g)];
  return [...typed, ...named].map(([, command = ""]) =>
    command.replace(/^npx /, "").replace(/ #.*| \| .*/, ""),
  );
}

/** The error of a command; undefined for none. */
function findFault(line: string): string | undefined {
  const [, first = "", second = ""] = line.split(" ");
  const name = [`calltally ${first} ${second}`, `calltally ${first}`].find((known) => FLAGS.has(known));
  if (name === undefined) {
    const isGroup = commands.some((command) => command.name.startsWith(`calltally ${first} `));
    return isGroup && second === "" ? undefined : `no such command: ${line}`;
  }
  const unknown = (line.match(/(?<= )--[a-z][\w-]*/g) ?? []).filter(
    (flag) => !FLAGS.get(name)?.includes(flag),
  );
  return unknown.length === 0 ? undefined : `${unknown.join(", ")} is no flag of ${name}: ${line}`;
}

describe("commands in the pages", () => {
  it.each(readPages())("$path contains only existing commands and flags", ({ text }) => {
    expect(
      commandsOf(text)
        .map(findFault)
        .filter((fault) => fault !== undefined),
    ).toEqual([]);
  });

  it("fail if invalid", () => {
    expect(commandsOf("    npx calltally sync --full   # a comment\n`calltally docs`")).toEqual([
      "calltally sync --full  ",
      "calltally docs",
    ]);
    expect(findFault("calltally sync --none")).toContain("--none is no flag of calltally sync");
    expect(findFault("calltally snyc")).toContain("no such command");
  });
});
