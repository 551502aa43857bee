import { join } from "node:path";
import { expect, it } from "vitest";
import { openWarehouse } from "../../support/library.ts";
import { rowOf } from "../../support/services/call-service.ts";
import { answering } from "../../support/services/mcp.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeServiceFolder } from "../folder.ts";

const CALLS = 200;
const DOUBT = "100 rows of the service (50.0%) could not be read, and are in no figure.";
const REPORTS = `reports:
  weekly: { contents: [channel], range: { last: 7d }, require: verified, deliver: [{ command: [touch, delivered] }] }
  page: { format: html }
`;

it("unreadable rows are reported on every surface, exit with 3, and stop a report that requires proof", async () => {
  // Every second of 200 calls has an unreadable member.
  const rows = Array.from({ length: CALLS }, (_, index) =>
    index % 2 === 0 ? rowOf(index + 1) : rowOf(index + 1).replace('"duration":60', '"duration":{}'),
  );
  await using half = await makeServiceFolder(rows);
  half.write("calltally.yaml", REPORTS);
  expect(await half.run("sync")).toEqual({
    code: 3,
    stdout: expect.stringMatching(/verdict {3}exact: .*; 100 rows of these could not be parsed$/m),
    stderr: "",
  });

  const exported = await half.run("export channel --quiet");
  expect(exported).toMatchObject({ code: 3, stdout: "", stderr: `calltally: ${DOUBT}\n` });
  const manifest = JSON.parse(readText(half.path, "data/exports/manifest.json"));
  expect(manifest.statements[0]).toMatchObject({ id: "rejected_rows", level: "doubt", text: DOUBT });

  for (const [code, stream, ...command] of [
    [3, "stdout", "export channel"],
    [3, "stderr", "export channel --stdout"],
    [3, "stdout", "report"],
    [3, "stdout", "run page"],
    [9, "stderr", "run weekly --deliver"],
    [3, "stderr", "query", "SELECT count(*) FROM attributed_calls"],
    [3, "stderr", "explain 1"],
    [3, "stderr", "status"],
    [3, "stdout", "doctor"],
  ] as const) {
    const finished = await half.run(...command);
    expect([command, finished.code]).toEqual([command, code]);
    expect(finished[stream]).toContain(DOUBT);
  }
  const page = readText(half.path, "data/exports/report/report.html");
  expect(page).toContain(`<strong>In doubt.</strong> ${DOUBT}`);

  const assistant = answering(join(half.path, "data"), { env: { CALLTALLY_DATABASE: half.database } });
  const { basis } = Object(await assistant.ask("figures", { by: ["channel"] }));
  expect(basis.statements[0]).toMatchObject({ level: "doubt", text: DOUBT });
  using library = openWarehouse(half.database);
  expect((await library.rollup({ by: ["channel"] })).statements[0]).toMatchObject({ text: DOUBT });
  expect((await library.readBasis()).statements[0]).toMatchObject({ text: DOUBT });
});
