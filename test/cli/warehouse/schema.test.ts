import { describe, expect, it } from "vitest";
import { calltally } from "../../support/run.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeFolder } from "../folder.ts";

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

  it("prints metadata for Datasette under the name that Datasette gives to the file", async () => {
    using folder = makeTempFolder();
    const args = ["schema", "retention", "--datasette"];
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
            retention: {
              description:
                "Up to when calls have been pruned, by kind; a kind that is always kept has no row.",
              hidden: true,
              columns: {
                kind: "transcripts, summaries, caller_numbers, recording_urls or extra.",
                pruned_before: "No call before this time contains any, ISO 8601 UTC; ~ for all calls.",
              },
            },
          },
        },
      },
    });
  });
});
