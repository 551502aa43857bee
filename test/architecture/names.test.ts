import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { walk } from "../text/syntax.ts";
import { listFiles, SRC } from "./rooms.ts";

/** They say that a thing is there, and not what it is. */
const EMPTY_NAMES = new Set(["own", "found", "given", "made", "said"]);

/** Returns variables, parameters, functions, fields and labels of a source that have an empty name, where they are declared or used. */
function findEmptyNames(file: string, text: string): string[] {
  return walk(parseSync(file, text).program).flatMap(({ type, start, ...node }) => {
    const name = /^(Private|JSX)?Identifier$/.test(type) ? String(node.name) : "";
    return EMPTY_NAMES.has(name) ? [`${file}:${text.slice(0, start).split("\n").length}: ${name}`] : [];
  });
}

describe("names", () => {
  it("no variable, parameter, function or field of src is named own, found, given, made or said", () => {
    const empty = listFiles().flatMap((file) => findEmptyNames(file, readFileSync(join(SRC, file), "utf8")));
    expect(empty).toEqual([]);
  });

  it("a name is found wherever it can be declared; words in texts, comments and longer names are not", () => {
    const planted = `
const own = 1, [[found]] = [[2]], { a: { given } } = { a: { given: 3 } };
function made(said: number, { b: own = 0 }, ...found: string[]) {}
interface Fields { given?: string; made(): void }
class Fielded { #own = 1; static said() {} }
type Labelled = [found: string, (given: number) => void];
try {} catch (said) {}
const page = <made own={"own"}>made</made>;
const ownColumns = "own"; // found
const isFound = \`given\`;
`;
    const names = findEmptyNames("planted.tsx", planted).map((each) => each.replace("planted.tsx:", ""));
    expect(
      Map.groupBy(names, (each) => Number(each.split(":")[0]))
        .keys()
        .toArray(),
    ).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(names.map((each) => each.split(" ")[1])).toEqual([
      ...["own", "found", "given", "given", "given"],
      ...["made", "said", "own", "found"],
      ...["given", "made"],
      ...["own", "said"],
      ...["found", "given"],
      "said",
      ...["made", "own", "made"],
    ]);
  });
});
