import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { EXIT } from "../../../src/base/errors.ts";
import { readCommands } from "../../../src/tooling/reference/command-tree.ts";
import { EXIT_CODES } from "../../../src/tooling/reference/exit-codes.ts";
import { referencePages } from "../../../src/tooling/reference/reference-pages.ts";

const pages = await referencePages();

it.each([...pages])("%s is up to date (else: npm run docs:write)", (path, text) => {
  expect(readFileSync(path, "utf8")).toBe(text);
});

it("docs/reference/ has only generated pages", () => {
  expect(readdirSync("docs/reference").map((name) => `docs/reference/${name}`)).toEqual(
    [...pages.keys()].filter((path) => path.startsWith("docs/reference/")).sort(),
  );
});

it("each command has a description and an example, and each of its flags a help text", async () => {
  const { commands, common } = await readCommands();
  expect(commands.length).toBeGreaterThan(30);
  for (const { name, description, groups, examples } of commands) {
    expect(description, name).toMatch(/\.$/);
    const call = new RegExp(`(?:^| )${name}(?: |$)`, "m");
    expect(examples.join("\n"), name).toMatch(call);
    for (const { term, help } of [...common, ...groups.flatMap(({ terms }) => terms)]) {
      expect(help, `${name} ${term}`).not.toBe("");
    }
  }
});

it("each exit code has a meaning", () => {
  const told = EXIT_CODES.flatMap(({ codes }) => codes);
  expect(told).toEqual(Object.values(EXIT));
});
