import { describe, expect, it } from "vitest";
import { makeTempFolder } from "../temp-folder.ts";
import { calltally } from "./run.ts";

describe("calltally schema", () => {
  it("prints all tables and views in 80 columns, without a warehouse", async () => {
    using folder = makeTempFolder();
    const { code, stdout, stderr } = await calltally(["schema"], { cwd: folder.path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.split("\n");
    expect(lines.filter((line) => line.length > 80 || line !== line.trimEnd())).toEqual([]);
    expect(lines.filter((line) => /^\w/.test(line)).length).toBeGreaterThan(15);
    expect(stdout).toMatch(/^attributed_calls: view\. One flat row/);
  });

  it("prints one of them", async () => {
    using folder = makeTempFolder();
    expect(await calltally(["schema", "counts"], { cwd: folder.path })).toEqual({
      code: 0,
      stderr: "",
      stdout: `counts: table. Numbers that would take long to count.
  name   text     What is counted: \`calls\`, the rows of that table;
                  \`unsettled_calls\`, those of a first load under way whose
                  callers are yet to be settled; \`fact_logs\`, how often
                  \`fact_changes\` was begun; and \`rules_being_applied\`, the
                  number of those by which calls are attributed at the moment.
  value  integer  How many there are.
`,
    });
  });

  it("prints JSON", async () => {
    using folder = makeTempFolder();
    const { stdout } = await calltally(["schema", "insight_groups", "--json"], { cwd: folder.path });
    expect(JSON.parse(stdout)).toEqual([
      {
        name: "insight_groups",
        kind: "table",
        help: "The organization units (groups) that an insight is associated with.",
        columns: [
          { name: "insight_id", type: "integer", help: "The insight in `insights`." },
          { name: "group_id", type: "integer", help: "The group's id, `group_list[].id`." },
        ],
      },
    ]);
  });

  it("suggests the nearest name, and ends with 2", async () => {
    using folder = makeTempFolder();
    const { code, stdout, stderr } = await calltally(["schema", "cals"], { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe("calltally: There is no table or view cals\nDid you mean calls?\n");
  });
});
