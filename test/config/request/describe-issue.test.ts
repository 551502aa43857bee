import { describe, expect, it } from "vitest";
import { z } from "zod";
import { describeIssue, show } from "../../../src/config/request/describe-issue.ts";

const SCHEMA = z.strictObject({
  format: z.enum(["csv", "xlsx", "ndjson"]).optional(),
  top: z.int().min(2).max(9).optional(),
  name: z.string().min(1).optional(),
  names: z.array(z.string()).optional(),
  cells: z.union([z.boolean(), z.strictObject({ column: z.string() })]).optional(),
  filter: z.strictObject({ channel: z.string().optional(), top: z.string().optional() }).optional(),
  maps: z.record(z.string(), z.strictObject({ medium: z.string().optional() })).optional(),
});

function findingsIn(value: unknown) {
  const { error } = SCHEMA.safeParse(value, { reportInput: true });
  return (error?.issues ?? [])
    .flatMap((issue) => describeIssue(SCHEMA, issue))
    .map(({ path, message, isKey }) => `${path.join(".")}${isKey ? " (key)" : ""} ${message}`);
}

const KEYS = "format, top, name, names, cells, filter, maps";

describe("describeIssue", () => {
  it.each<[unknown, string[]]>([
    [{ formt: "csv" }, ["formt (key) is not a known key; did you mean format?"]],
    [{ excel: true }, ["excel (key) is not a known key; did you mean format: xlsx?"]],
    [{ chanel: "a" }, ["chanel (key) is not a known key; did you mean filter.channel?"]],
    [{ channel: "a" }, ["channel (key) is not a known key; did you mean filter.channel?"]],
    [{ zebra: 1 }, [`zebra (key) is not a known key; known are ${KEYS}`]],
    [{ filter: { excel: 1 } }, ["filter.excel (key) is not a known key; known are channel, top"]],
    [{ filter: { chanel: 1 } }, ["filter.chanel (key) is not a known key; did you mean channel?"]],
    [{ maps: { a: { mediun: "x" } } }, ["maps.a.mediun (key) is not a known key; did you mean medium?"]],
    [{ format: "XLS" }, ['format "XLS" is not one of csv, xlsx, ndjson; did you mean xlsx?']],
    [{ format: "sqlite3" }, ['format "sqlite3" is not one of csv, xlsx, ndjson']],
    [{ format: "ndjsn" }, ['format "ndjsn" is not one of csv, xlsx, ndjson; did you mean ndjson?']],
    [{ top: 1 }, ["top must be 2 or more"]],
    [{ top: 10 }, ["top must be 9 or less"]],
    [{ top: 2.5 }, ["top must be a whole number, not 2.5"]],
    [{ name: "" }, ["name is empty"]],
    [{ name: ["a"] }, ["name must be a text, not a list"]],
    [{ names: "a" }, ['names must be a list, not "a"']],
    [{ names: ["a", 7] }, ["names.1 must be a text, not 7"]],
    [{ cells: "a" }, ['cells must be true or false or keys and values, not "a"']],
    [{ cells: {} }, ["cells.column is missing"]],
    [{ filter: null }, ["filter must be keys and values, not empty"]],
    [[], [" must be keys and values, not a list"]],
  ])("describes what is wrong with %j", (value, findings) => {
    expect(findingsIn(value)).toEqual(findings);
  });
});

describe("show", () => {
  it("shortens texts of more than 60 characters", () => {
    expect([show("a".repeat(58)), show("b".repeat(59))]).toEqual([
      `"${"a".repeat(58)}"`,
      `"${"b".repeat(58)}…`,
    ]);
    expect([show(null), show([]), show({}), show(false)]).toEqual([
      "empty",
      "a list",
      "keys and values",
      "false",
    ]);
  });
});
