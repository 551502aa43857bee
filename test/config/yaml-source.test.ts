import { describe, expect, it } from "vitest";
import { type Path, readYaml } from "../../src/config/yaml-source.ts";

const TEXT = `timezone: America/Chicago
accounts:
  acme:
    limit: 5
    token_file:
  bolt: { limit: 7 }
  odd: { flag }
reports:
  - name: weekly
  - name: daily
`;

describe("readYaml", () => {
  it.each<[Path, boolean, string]>([
    [["timezone"], false, "1:11"],
    [["timezone"], true, "1:1"],
    // A mapping, and a key without a colon: where their key is.
    [["accounts"], false, "2:1"],
    [["accounts", "acme"], false, "3:3"],
    [["accounts", "acme", "limit"], false, "4:12"],
    [["accounts", "acme", "limit"], true, "4:5"],
    [["accounts", "acme", "token_file"], false, "5:16"],
    [["accounts", "odd", "flag"], false, "7:10"],
    [["accounts", "bolt"], false, "6:3"],
    [["accounts", "bolt", "limit"], false, "6:18"],
    // What is missing: where its nearest parent begins.
    [["accounts", "acme", "none"], false, "4:5"],
    [["accounts", "none", "limit"], true, "3:3"],
    [["reports"], false, "9:3"],
    [["reports", 1, "name"], false, "10:11"],
    [["reports", 1, "name"], true, "10:5"],
    [[], false, "1:1"],
  ])("finds the position of %j (key: %s) at %s", (path, isKey, place) => {
    const { line, column } = readYaml(TEXT).positionOf(path, isKey);
    expect(`${line}:${column}`).toBe(place);
  });

  it.each([
    ["a: 1\n? { b: 1 }\n: 2\n", "2:3 a key must be a text"],
    ["a: 1\n? [b]\n: 2\n", "2:3 a key must be a text"],
    ["a: &x 1\nb: *x\n", "2:4 aliases (*name) are not read"],
    ["limit: 0x10\n", "1:8 0x10 is an ambiguous number: put it in quotes, or write it in plain digits"],
    [
      "limit: 1_000\nother: 007\n",
      "2:8 007 is an ambiguous number: put it in quotes, or write it in plain digits",
    ],
  ])("refuses %j: %s", (text, problem) => {
    const { problems, value } = readYaml(text);
    expect(problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([problem]);
    expect(value).toBeUndefined();
  });

  it("returns values of a file without problems", () => {
    expect(readYaml('limit: 5\nname: "0x10"\nlist: [1.5, -2]\n').value).toEqual({
      limit: 5,
      name: "0x10",
      list: [1.5, -2],
    });
  });
});
