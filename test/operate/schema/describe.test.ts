import { getTableColumns, getTableName } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { describeSchema } from "../../../src/operate/schema/describe.ts";
import { TABLES } from "../../../src/operate/schema/schema.ts";
import { about, describeTable } from "../../../src/warehouse/described.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

describe("describeSchema", () => {
  it("lists exactly the tables, views and columns of a real warehouse", () => {
    using warehouse = newWarehouse();
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

  it("returns the types of a real warehouse's tables", () => {
    using warehouse = newWarehouse();
    for (const { name, columns } of TABLES) {
      const types = warehouse.sqlite
        .prepare<[string], [string, string]>("SELECT name, lower(type) FROM pragma_table_xinfo(?)")
        .raw()
        .all(name);
      const described = columns.map((column) => [column.name, column.type]);
      expect(Object.fromEntries(described)).toEqual(Object.fromEntries(types));
    }
  });

  it("describes each table, view and column in sentences", () => {
    const all = describeSchema(DEFAULT_RULES);
    const texts = all.flatMap(({ name, help, columns }) => [
      [name, help],
      ...columns.map((column) => [`${name}.${column.name}`, column.help]),
    ]);
    expect(texts.filter(([, help]) => !/^\S.+\S\.$/.test(help ?? ""))).toEqual([]);
  });

  it("names each value that a column may have", () => {
    const unnamed = TABLES.flatMap(({ table, columns }) =>
      columns.flatMap(({ name, help }) => {
        const values: readonly string[] = getTableColumns(table)[name]?.enumValues ?? [];
        return values
          .filter((value) => !new RegExp(`[ \`]${value}[ \`,;.:]`).test(` ${help}`))
          .map((value) => `${getTableName(table)}.${name}: ${value}`);
      }),
    );
    expect(unnamed).toEqual([]);
  });

  it("describes a view's column by its table, figure or dimension", () => {
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

describe("describeTable", () => {
  it("throws for a column without a description", () => {
    const columns = { name: about(text(), "A name."), count: integer() };
    expect(() => describeTable(sqliteTable("things", columns), "Things.")).toThrow(
      "things.count has no description",
    );
  });
});
