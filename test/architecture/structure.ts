import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { walk } from "../text/syntax.ts";
import { importsOf, listFiles, ROOMS, roomOf, SRC, TEST_FOLDERS } from "./rooms.ts";

export const PAGE = "docs/architecture.md";

/** How often files of a room import each other room. */
export function countImports(): Map<string, Map<string, number>> {
  const counts = new Map(ROOMS.map(({ name }) => [name, new Map<string, number>()]));
  for (const file of listFiles()) {
    const of = counts.get(roomOf(file));
    for (const room of importsOf(file).map(roomOf)) {
      if (room !== roomOf(file)) of?.set(room, (of.get(room) ?? 0) + 1);
    }
  }
  return counts;
}

/** Returns a row for each room, and a mark below each room that it imports. None is right of the diagonal. */
export function drawRooms(): string {
  const counts = countImports();
  const width = Math.max(...ROOMS.map(({ name }) => name.length));
  const rows = ROOMS.map(({ name }, at) => {
    const marks = ROOMS.map((other, column) =>
      column === at ? "\\" : counts.get(name)?.has(other.name) ? "●" : "·",
    );
    return `    ${name.padEnd(width)}  ${marks.join("  ")}`;
  });
  const letters = ROOMS.map(({ name }) => name.slice(0, 2));
  return [`    ${" ".repeat(width)}  ${letters.join(" ")}`, ...rows].join("\n");
}

const describeRooms = () =>
  ROOMS.map(({ name, what, start }) => `- **${name}**: ${what}; start at \`${start}\``).join("\n");

const describeTests = () =>
  Object.entries(TEST_FOLDERS)
    .map(([name, what]) => `- **test/${name}**: ${what}`)
    .join("\n");

/** Returns the page with its lists of rooms and tests, and its picture of rooms, as they are. */
export const withRooms = (page: string) =>
  withPart(withPart(page, "rooms", `${describeRooms()}\n\n${drawRooms()}`), "tests", describeTests());

function withPart(page: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name}: npm run docs:write -->\n`, `<!-- /${name} -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} must have ${begin} and ${end}`);
  return `${before}${begin}${content}\n${end}${after}`;
}

export interface Long {
  place: string;
  lines: number;
}

/** Functions of more lines. */
export function findLongFunctions(limit: number): Long[] {
  return listFiles().flatMap((file) => {
    const text = readFileSync(join(SRC, file), "utf8");
    const lineOf = (at: number) => text.slice(0, at).split("\n").length;
    return walk(parseSync(file, text).program)
      .filter(({ type }) => /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type))
      .map(({ start, end }) => ({
        place: `${file}:${lineOf(start)}`,
        lines: lineOf(end) - lineOf(start) + 1,
      }))
      .filter(({ lines }) => lines > limit);
  });
}

/** Files of more lines. */
export function findLongFiles(limit: number): Long[] {
  return listFiles()
    .map((place) => ({ place, lines: readFileSync(join(SRC, place), "utf8").split("\n").length - 1 }))
    .filter(({ lines }) => lines > limit);
}

/** Folders with more files, but for commands, a file each. */
export function findLargeFolders(limit: number): string[] {
  const folders = Map.groupBy(listFiles(), (file) => file.split("/").slice(0, -1).join("/"));
  return [...folders].flatMap(([folder, { length }]) =>
    length > limit && folder !== "cli/commands" ? [`${folder}: ${length} files`] : [],
  );
}

/** `npm run structure` */
function describe(): string {
  const counts = [...countImports().values()];
  const arrows = counts.reduce((sum, { size }) => sum + size, 0);
  const imports = counts.flatMap((of) => [...of.values()]).reduce((sum, count) => sum + count, 0);
  const show = (longs: readonly Long[]) => longs.map(({ place, lines }) => `  ${place}: ${lines}\n`).join("");
  return [
    `${drawRooms()}\n\n${ROOMS.length} rooms, ${arrows} arrows between them, ${imports} imports\n`,
    `Files of more than 300 lines:\n${show(findLongFiles(300))}`,
    `Functions of more than 80 lines:\n${show(findLongFunctions(80))}`,
    `Folders of more than 25 files:\n${findLargeFolders(25)
      .map((folder) => `  ${folder}\n`)
      .join("")}`,
  ].join("");
}

if (import.meta.main) {
  if (process.argv.includes("--write")) writeFileSync(PAGE, withRooms(readFileSync(PAGE, "utf8")));
  else process.stdout.write(describe());
}
