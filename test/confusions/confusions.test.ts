import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeTempFolder } from "../support/temp-folder.ts";
import { Compiler } from "./compiler.ts";
import { insertSwitches } from "./copy.ts";
import { draw, roomOf } from "./draw.ts";
import { EQUIVALENTS } from "./equivalents.ts";
import { Reach } from "./reach.ts";
import { findSites, withoutConditions } from "./swaps.ts";

const CONFIG = JSON.stringify({ compilerOptions: { strict: true, target: "es2024", types: [] } });

/** Makes a compiler of one file; `path` is the file's. */
function compile(text: string) {
  const folder = makeTempFolder();
  const [config, path] = [join(folder.path, "tsconfig.json"), join(folder.path, "sample.ts")];
  writeFileSync(config, CONFIG);
  writeFileSync(path, text);
  return { folder, path, compiler: new Compiler([config]) };
}

/** Returns the swaps that compile, such as `boundary: a < b → a <= b`. */
function swapsIn(text: string): string[] {
  const { folder, path, compiler: open } = compile(text);
  using _folder = folder;
  using compiler = open;
  const { source, checker } = compiler.open(path);
  return findSites(source, checker).flatMap(({ kind, node, replacements }) =>
    replacements()
      .filter((to) =>
        compiler.compiles(path, text.slice(0, node.getStart()) + to + text.slice(node.getEnd())),
      )
      .map((to) => `${kind}: ${node.getText()} → ${to}`),
  );
}

it.each([
  {
    title: "a variable for others of its type, not for others",
    text: "export const f = (from: string, to: string, count: number) => [from, count];",
    swaps: ["name: from → to"],
  },
  {
    title: "the variable of a shorthand member",
    text: "export const f = (from: string, to: string) => ({ from });",
    swaps: ["name: from → from: to"],
  },
  {
    title: "a member for others of its type",
    text: "export const f = (days: { from: string; to: string; count: number }) => days.from;",
    swaps: ["member: days.from → days.to"],
  },
  {
    title: "two arguments of one type, but not those of Math.min",
    text: "export const g = (a: number) => Math.min(a, 5); declare const f: (a: string, b: string, c: number) => void; f('x', 'y', 1);",
    swaps: ["arguments: f('x', 'y', 1) → f('y', 'x', 1)"],
  },
  {
    title: "an account's zone for UTC",
    text: "export const f = (account: { timezone: string }) => account.timezone;",
    swaps: ['zone: account.timezone → "UTC"'],
  },
  {
    title: "an await whose value nobody reads",
    text: "declare const f: () => Promise<void>; export const g = async () => { await f(); };",
    swaps: ["await: await f() → f()"],
  },
  {
    title: "no await that the function returns",
    text: "declare const f: () => Promise<void>; export const g = async () => { return await f(); };",
    swaps: [],
  },
  {
    title: "an await that is returned from a try, not one that returns a function with a try",
    text: `declare const f: () => Promise<void>; declare const h: (work: () => Promise<void>) => Promise<void>;
export const g = async () => { try { return await f(); } finally {} };
export const i = async () => { return await h(async () => { try { await f(); } finally {} }); };`,
    swaps: ["await: await f() → f()", "await: await f() → f()"],
  },
  {
    title: "the conditions of a conjunction",
    text: "export const f = (a: boolean, b: number) => a && b > 1;",
    swaps: ["condition: a && b > 1 → a", "condition: a && b > 1 → b > 1", "boundary: b > 1 → b >= 1"],
  },
  {
    title: "no boundary where the smaller of two is chosen",
    text: "export const f = (a: number) => (a < 5 ? a : 5);",
    swaps: [],
  },
  {
    title: "the unit of a limit",
    text: "export const f = (minutes: number) => minutes * 60_000;",
    swaps: ["unit: 60_000 → 3600", "unit: 60_000 → 86400"],
  },
])("confusions swap $title", ({ text, swaps }) => {
  expect(swapsIn(text)).toEqual(swaps);
});

it("confusions drop a condition of SQL and move its boundaries", () => {
  expect(withoutConditions('"SELECT 1 FROM a WHERE day < @to AND source = @source ORDER BY day"')).toEqual([
    '"SELECT 1 FROM a WHERE day < @to ORDER BY day"',
    '"SELECT 1 FROM a WHERE day <= @to AND source = @source ORDER BY day"',
  ]);
  expect(withoutConditions('"from a and to b"')).toEqual([]);
});

it("confusions draw the same places for one seed, none twice, and others for another seed", () => {
  const lines = Array.from({ length: 9 }, (_, at) => `export const f${at} = (a: number) => a < 0.${at};`);
  const { folder, path, compiler: open } = compile(lines.join("\n"));
  using _folder = folder;
  using compiler = open;
  const placesOf = (seed: string) =>
    draw(compiler, new Map([["room", [path]]]), { count: 5, seed }).swaps.map(({ line, from, to }) => ({
      line,
      from,
      to,
    }));
  expect(placesOf("one")).toEqual(placesOf("one"));
  expect(placesOf("one")).not.toEqual(placesOf("other"));
  expect(new Set(placesOf("one").map(({ line }) => line)).size).toBe(5);
  for (const { line, from, to } of placesOf("one")) {
    expect({ from, to }).toEqual({ from: `a < 0.${line - 1}`, to: `a <= 0.${line - 1}` });
  }
});

it("a switch keeps both texts of its place", () => {
  const text = "f({ from }, a < b)";
  const at = (from: string, to: string, number: number) => {
    const start = text.indexOf(from);
    return { start, end: start + from.length, from, to, number };
  };
  expect(insertSwitches(text, [at("from", "from: to", 1), at("a < b", "a <= b", 2)])).toBe(
    "f({ from: (isSwapped$(1) ? to : from) }, (isSwapped$(2) ? a <= b : a < b))",
  );
});

it("the room of a file is its folder of src, or its feature", () => {
  expect(
    ["src/service/api/client.ts", "src/features/explore/browser/fold.ts", "src/features/list.ts"].map(roomOf),
  ).toEqual(["service", "explore", "features"]);
});

it("a test of the CLI reaches the command of its name, and what that imports", () => {
  const reach = new Reach();
  const stepsTo = (file: string) =>
    reach.testsOf(file).find(({ test }) => test === "test/cli/status.test.ts")?.steps;
  expect(
    ["commands/status.ts", "terminal/status-screen.ts"].map((file) => stepsTo(`src/cli/${file}`)),
  ).toEqual([1, 2]);
});

it("each equivalent names a line of the program and a reason", () => {
  const old = EQUIVALENTS.filter(({ file, on, from, reason }) => {
    const text = readFileSync(file, "utf8");
    return !text.includes(on) || !text.includes(from) || reason.length < 20;
  });
  expect(old).toEqual([]);
});
