import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { settingsFor } from "../../support/run.ts";
import { startTlsServer, text } from "../../support/services/server.ts";
import { type Folder, makeFolder, makeSandboxFolder } from "../folder.ts";

const RECENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const readJobs = ({ read }: Folder) => read("SELECT * FROM jobs ORDER BY job");

describe("failing job", () => {
  it("fails status and doctor until it succeeds, even if syncs succeed", async () => {
    await using folder = await makeSandboxFolder({ calls: 50 });
    const { path, run, say } = folder;
    await say("job sync --begin");
    await say("job export");
    const succeeded = { exit_code: 0, error: null, failing_since: null, failed_runs: 0 };
    const times = { started_at: RECENT, finished_at: RECENT, succeeded_at: RECENT };
    expect(readJobs(folder)).toEqual([
      { job: "export", ...times, ...succeeded },
      { job: "sync", ...times, ...succeeded },
    ]);

    rmSync(join(path, "data/exports"), { recursive: true });
    writeFileSync(join(path, "data/exports"), "not a folder");
    expect((await run("job export")).code).toBe(7);
    await say("job sync");
    const [exported] = z.array(z.looseObject({ error: z.string() })).parse(readJobs(folder).slice(0, 1));
    expect(exported).toMatchObject({
      exit_code: 7,
      error: expect.stringContaining("data/exports"),
      failing_since: RECENT,
    });
    expect(await run("status")).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(
        /^Jobs {7}export {2}failed just now, exit 7; last good just now\n {13}\S.*\n {11}sync {4}succeeded just now$/m,
      ),
      stderr: `calltally: export: ${exported?.error}\n`,
    });
    expect(JSON.parse((await run("status --json")).stdout).jobs[0]).toEqual(exported);
    expect(JSON.parse((await run("doctor --json")).stdout).checks).toContainEqual(
      expect.objectContaining({
        name: "job export",
        state: "warn",
        message: `failed just now, and has not succeeded since; exit 7: ${exported?.error}`,
        hint: "Fix that, and run `calltally job export`.",
      }),
    );

    rmSync(join(path, "data/exports"));
    await say("job export");
    expect(readJobs(folder)).toMatchObject([succeeded, succeeded]);
  });
});

it("sync warns when certificates are not checked", async () => {
  await using service = await startTlsServer("localhost", text("{}"));
  using folder = makeFolder({
    ...settingsFor({ url: service.url.href, token: "token-417" }),
    CALLTALLY_RETRY_SECONDS: "0",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  });
  expect((await folder.run("sync")).stderr).toContain("NODE_TLS_REJECT_UNAUTHORIZED");
});
