import { describe, expect, it } from "vitest";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { calltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeFolder } from "./folder.ts";

describe("calltally schema", () => {
  it("prints all tables and views in 80 columns, without a warehouse", async () => {
    using folder = makeFolder();
    const { code, stdout, stderr } = await folder.run("schema");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.split("\n");
    expect(lines.filter((line) => line.length > 80 || line !== line.trimEnd())).toEqual([]);
    expect(lines.filter((line) => /^\w/.test(line)).length).toBeGreaterThan(15);
    expect(stdout).toMatch(/^attributed_calls: view\. One flat row/);
  });

  it("prints one table", async () => {
    using folder = makeFolder();
    expect(await folder.run("schema counts")).toEqual({
      code: 0,
      stderr: "",
      stdout: `counts: internal table. Counts that would take long to compute.
  name   text     What is counted: \`calls\`, the rows of that table;
                  \`unsettled_calls\`, those of a running first load whose callers
                  are not settled yet; \`fact_logs\`, how often \`fact_changes\` was
                  started; and \`rules_being_applied\`, the id of the rules being
                  applied at the moment.
  value  integer  How many there are.
`,
    });
  });

  it("prints JSON", async () => {
    using folder = makeFolder();
    const { stdout } = await folder.run("schema insight_groups --json");
    expect(JSON.parse(stdout)).toEqual([
      {
        name: "insight_groups",
        kind: "table",
        help: "The org units (groups) of an insight.",
        columns: [
          { name: "insight_id", type: "integer", help: "The insight in `insights`." },
          { name: "group_id", type: "integer", help: "The group's id, `group_list[].id`." },
        ],
      },
    ]);
  });

  it("prints metadata for Datasette under the name that Datasette gives to the file", async () => {
    using folder = makeTempFolder();
    const args = ["schema", "insight_groups", "--datasette"];
    const { stdout } = await calltally(args, {
      cwd: folder.path,
      env: { CALLTALLY_DATABASE: "data/acme.db" },
    });
    expect(JSON.parse(stdout)).toEqual({
      title: "calltally",
      databases: {
        acme: {
          queries: expect.objectContaining({
            "how-many-calls-did-each-channel-bring-last-month": {
              title: "How many calls did each channel bring last month?",
              sql: expect.stringMatching(/^SELECT channel[^`]+ORDER BY calls DESC\n$/),
            },
          }),
          description: expect.stringContaining("attributed_calls has one row per call"),
          tables: {
            sqlite_sequence: { hidden: true },
            insight_groups: {
              description: "The org units (groups) of an insight.",
              hidden: true,
              columns: {
                insight_id: "The insight in insights.",
                group_id: "The group's id, group_list[].id.",
              },
            },
          },
        },
      },
    });
  });

  it("describes every column of a warehouse to Datasette", async () => {
    using folder = makeFolder();
    const database = folder.database;
    using warehouse = openWarehouse(database);
    const names = warehouse.sqlite
      .prepare(
        `SELECT m.name AS "table", p.name AS "column" FROM sqlite_schema AS m, pragma_table_info(m.name) AS p
         WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE '\\_\\_%' ESCAPE '\\'`,
      )
      .all() as { table: string; column: string }[];
    const { stdout } = await folder.run("schema --datasette");
    const { tables } = JSON.parse(stdout).databases.calltally;
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter(({ table, column }) => !tables[table]?.columns[column])).toEqual([]);
  });
});
