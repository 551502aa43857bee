import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { describeSchema } from "../../src/warehouse/describe.ts";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { parseSchema } from "../../src/warehouse/schema-comments.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const SOURCE = readFileSync(join(import.meta.dirname, "../../src/warehouse/schema.ts"), "utf8");

describe("describeSchema", () => {
  it("has the tables, views and columns of a real warehouse, no fewer and no more", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    const real = warehouse.sqlite
      .prepare(
        `SELECT t.type AS kind, t.name AS "table", c.name AS "column" FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
        WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY 1, 2, 3`,
      )
      .raw()
      .all();
    const described = describeSchema(DEFAULT_RULES).flatMap(({ kind, name, columns }) =>
      columns.map((column) => [kind, name, column.name]),
    );
    expect(described.toSorted()).toEqual(real.toSorted());
  });

  it("has the types of a real warehouse's tables", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    for (const { name, columns } of parseSchema(SOURCE)) {
      const types = warehouse.sqlite
        .prepare<[string], [string, string]>("SELECT name, lower(type) FROM pragma_table_xinfo(?)")
        .raw()
        .all(name);
      const described = columns.map((column) => [column.name, column.type]);
      expect(Object.fromEntries(described)).toEqual(Object.fromEntries(types));
    }
  });

  it("says of each table, view and column what it is, in sentences", () => {
    const all = describeSchema(DEFAULT_RULES);
    const texts = all.flatMap(({ name, help, columns }) => [
      [name, help],
      ...columns.map((column) => [`${name}.${column.name}`, column.help]),
    ]);
    expect(texts.filter(([, help]) => !/^\S.+\S\.$/.test(help ?? ""))).toEqual([]);
  });

  it("takes a view's column from its table, its figure or its dimension", () => {
    const columns = new Map(
      describeSchema({ ...DEFAULT_RULES, duration_unit: "milliseconds" }).flatMap((item) =>
        item.columns.map(({ name, ...rest }) => [`${item.name}.${name}`, rest]),
      ),
    );
    expect(columns.get("attributed_calls.summary")).toEqual(columns.get("transcripts.summary"));
    expect(columns.get("rollup_campaign.campaign_id")).toEqual(columns.get("call_facts.campaign_id"));
    expect(columns.get("rollup_channel.channel")).toEqual({
      type: "text",
      help: "The dimension channel; (not set) for calls without one.",
    });
    expect(columns.get("rollup_channel.total_duration_seconds")).toEqual({
      type: "real",
      help: "Sum of the durations, in seconds.",
    });
  });
});

describe("parseSchema", () => {
  const TABLE = `/** Things. */
export const things = sqliteTable(
  "things",
  {
    /**
     * A name,
     * as given.
     */
    name: text({ enum: ["a"] })
      .notNull()
      .references(() => others.name),
    /** How many. */
    count: integer(),
  },
  (table) => [primaryKey({ columns: [table.name] })],
);`;
  const THINGS = {
    name: "things",
    kind: "table",
    help: "Things.",
    columns: [
      { name: "name", type: "text", help: "A name, as given." },
      { name: "count", type: "integer", help: "How many." },
    ],
  };

  it("reads comments of one line and of several", () => {
    expect(parseSchema(TABLE)).toEqual([THINGS]);
    expect(parseSchema(TABLE.replaceAll("\n", "\r\n"))).toEqual([THINGS]);
  });

  it.each([
    { problem: "things has no comment", source: TABLE.replace("/** Things. */", "") },
    { problem: "count has no comment", source: TABLE.replace("/** How many. */", "") },
    { problem: "count has no comment", source: TABLE.replace("/** How many. */", "// How many.") },
    {
      problem: "above no table and no column: How many.",
      source: TABLE.replace("count: integer()", "count: numeric()"),
    },
    {
      problem: "above no table and no column: How many.",
      source: TABLE.replace("/** How many. */", "/** How many. */\n/** Or not. */"),
    },
    { problem: "above no table and no column: The end.", source: `${TABLE}\n/** The end. */` },
    { problem: "name is in no table", source: `/** Lost. */\n  name: text(),\n${TABLE}` },
  ])("throws: $problem", ({ problem, source }) => {
    expect(() => parseSchema(source)).toThrow(`schema.ts: ${problem}`);
  });
});
