import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rowOf, startRowService, TOKEN } from "../support/call-service.ts";
import { openWarehouse } from "../support/library.ts";
import { answering } from "../support/mcp.ts";
import { calltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const CALLS = 200;
const DOUBT = "100 rows of the service (50.0%) could not be read, and are in no figure.";
const REPORTS = `accounts:
  acme: { base_url: URL, token_file: token }
reports:
  weekly:
    contents: [channel]
    range: { last: 7d }
    require: verified
    deliver:
      - command: [touch, delivered]
  page: { format: html }
`;

/** A copy of 200 calls, of which every second one has an unreadable member. */
async function makeHalfRead() {
  const rows = Array.from({ length: CALLS }, (_, index) =>
    index % 2 === 0 ? rowOf(index + 1) : rowOf(index + 1).replace('"duration":60', '"duration":{}'),
  );
  const service = await startRowService(rows);
  const folder = makeTempFolder();
  writeFileSync(join(folder.path, "token"), TOKEN, { mode: 0o600 });
  writeFileSync(join(folder.path, "calltally.yaml"), REPORTS.replace("URL", service.url.href), {
    mode: 0o600,
  });
  return {
    path: folder.path,
    [Symbol.asyncDispose]: async () => {
      folder.remove();
      await service[Symbol.asyncDispose]();
    },
  };
}

describe("unreadable rows", () => {
  it("are reported on every surface, exit with 3, and stop a report that requires proof", async () => {
    await using half = await makeHalfRead();
    const options = { cwd: half.path };
    const synced = await calltally(["sync"], options);
    expect(synced).toEqual({
      code: 3,
      stdout: expect.stringMatching(/verdict {3}exact: .*; 100 rows of these could not be parsed$/m),
      stderr: "",
    });

    const exported = await calltally(["export", "channel", "--quiet"], options);
    expect(exported).toMatchObject({ code: 3, stdout: "", stderr: `calltally: ${DOUBT}\n` });
    const manifest = JSON.parse(readFileSync(join(half.path, "data/acme/exports/manifest.json"), "utf8"));
    expect(manifest.statements[0]).toMatchObject({ id: "rejected_rows", level: "doubt", text: DOUBT });

    for (const [command, code, stream] of [
      [["export", "channel"], 3, "stdout"],
      [["export", "channel", "--stdout"], 3, "stderr"],
      [["report"], 3, "stdout"],
      [["run", "page"], 3, "stdout"],
      [["run", "weekly", "--deliver"], 9, "stderr"],
      [["query", "SELECT count(*) FROM attributed_calls"], 3, "stderr"],
      [["explain", "1"], 3, "stderr"],
      [["status"], 3, "stderr"],
      [["doctor"], 3, "stdout"],
    ] as const) {
      const finished = await calltally([...command], options);
      expect([command.join(" "), finished.code]).toEqual([command.join(" "), code]);
      expect(finished[stream]).toContain(DOUBT);
    }
    const page = readFileSync(join(half.path, "data/acme/exports/report/report.html"), "utf8");
    expect(page).toContain(`<strong>In doubt.</strong> ${DOUBT}`);

    const database = join(half.path, "data/acme/calltally.db");
    const assistant = answering(join(half.path, "data/acme"), { env: { CALLTALLY_DATABASE: database } });
    const { basis } = (await assistant.ask("figures", { by: ["channel"] })) as {
      basis: { statements: unknown[] };
    };
    expect(basis.statements[0]).toMatchObject({ level: "doubt", text: DOUBT });
    using library = openWarehouse(database);
    expect((await library.rollup({ by: ["channel"] })).statements[0]).toMatchObject({ text: DOUBT });
    expect((await library.readBasis()).statements[0]).toMatchObject({ text: DOUBT });
  });
});
