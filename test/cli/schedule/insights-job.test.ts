import { describe, expect, it } from "vitest";
import { settingsFor } from "../../support/run.ts";
import { json, startServer } from "../../support/services/server.ts";
import { makeCallsFolder, makeFolder, makeSandboxFolder } from "../folder.ts";

it("a failing job records no text of the service", async () => {
  await using api = await startServer(json({ code: 404, message: "about +15005550006" }, 404));
  const access = settingsFor({ url: api.url.origin, token: "token-417" });
  using folder = makeCallsFolder([], { ...access, CALLTALLY_INSIGHT_IDS: "7,9" });
  expect((await folder.run("job insights")).code).toBe(8);
  expect(folder.read("SELECT job, exit_code, error FROM jobs")).toMatchObject([
    {
      job: "insights",
      exit_code: 8,
      error: "Cannot read 2 insights: 7: The API returned 404 (43 bytes); 9: The API returned 404 (43 bytes)",
    },
  ]);
});

describe("CALLTALLY_INSIGHT_IDS", () => {
  it("with a deleted id exits with 8 and names it, and refreshes the other insights", async () => {
    const settings = { CALLTALLY_INSIGHT_IDS: "999,101,998,102" };
    await using folder = await makeSandboxFolder({ calls: 1 }, settings);
    folder.begin();
    const ids = () => folder.read("SELECT insight_id AS id FROM insights ORDER BY 1").map(({ id }) => id);
    expect(await folder.run("job insights")).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(
        /"msg":"Cannot read 2 insights: 999: The API returned 404: Insight 999 not found .*; 998: The API/,
      ),
    });
    expect(ids()).toEqual([101, 102]);
    expect(await folder.run("insight sync 999 103")).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(
        /^calltally: Cannot read insight 999: The API returned 404: Insight 999 not found \(request/,
      ),
      stdout: expect.stringMatching(/^Insight 103, .*: new\n$/),
    });
    expect(ids()).toContain(103);
  });
});

it("schedule --list shows why the job is idle", async () => {
  using folder = makeFolder();
  expect((await folder.run("schedule --list")).stdout).toMatch(/^insights .* none: no insight_ids are set$/m);
});
