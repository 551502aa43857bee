import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HAS_PROCESSES } from "../support/run.ts";
import { json, startServer } from "../support/server.ts";
import { readRows } from "../support/warehouse.ts";
import { makeFolder, makeSandboxFolder } from "./folder.ts";

const readAll = (folder: string, sql: string) => readRows(join(folder, "data/calltally.db"), sql);

describe("calltally insight", () => {
  it("shows insights as text and as JSON", async () => {
    await using folder = await makeSandboxFolder({ calls: 1 });
    const words = await folder.run("insight show 101 102");
    expect(words).toMatchObject({ code: 0, stderr: "" });
    expect(words.stdout).toMatch(/^Insight 101: .+\n( {2}\w+ +.+\n)+ {2}groups +\d/);
    expect(words.stdout).toContain("Insight 102: ");
    const json = await folder.run("insight show 101 --json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      insight_id: 101,
      group_list: [{ id: expect.any(Number) }, expect.anything()],
    });
  });

  it("exits with 8 for an unknown insight, with the request id", async () => {
    await using folder = await makeSandboxFolder({ calls: 1 });
    const { code, stderr } = await folder.run("insight show 999");
    expect(code).toBe(8);
    expect(stderr).toMatch(/The API returned 404: Insight 999 not found \(request [0-9a-f-]{36}\)/);
  });

  it("stores insights, reports changes and keeps them", async () => {
    await using folder = await makeSandboxFolder({ calls: 1 });
    const { sandbox, run } = folder;
    expect((await run("insight sync 101")).stdout).toMatch(/^Insight 101, .+: new\n$/);
    expect((await run("insight sync 101")).stdout).toMatch(/^Insight 101, .+: unchanged\n$/);
    sandbox.insights.edit(101, { insight_status: "paused", group_list: [{ id: 9 }] });
    const { stdout } = await run("insight sync 101");
    expect(stdout).toMatch(/: changed\n {2}insight_status: \w+ → paused\n {2}group_list: \[.*\] → \[9\]\n$/);
    expect(readAll(folder.path, "SELECT member, after FROM insight_changes ORDER BY change_id")).toEqual([
      { member: "insight_status", after: '"paused"' },
      { member: "group_list", after: "[9]" },
    ]);
    expect(readAll(folder.path, "SELECT * FROM insight_groups")).toEqual([{ insight_id: 101, group_id: 9 }]);
  });

  it("shows and stores dates unchanged, and accepts an invalid one", async () => {
    const insight = {
      insight_id: 101,
      insight_name: "Price asked",
      start_date: "2026-01-02 03:04:05",
      indicator_start_date: "0000-00-00 00:00:00",
      indicator_end_date: "",
    };
    await using server = await startServer((request, response) =>
      json({ code: 200, message: "Success", data: insight, request_id: "r-1" })(request, response),
    );
    const env = { CALLTALLY_BASE_URL: server.url.href, CALLTALLY_TOKEN: "token-4711" };
    using folder = makeFolder(env);
    const run = (...args: string[]) => folder.run("insight", ...args, "101");
    const words = await run("show");
    expect(words).toMatchObject({ code: 0, stderr: "" });
    expect(words.stdout).toMatch(/^ {2}start_date +2026-01-02 03:04:05$/m);
    expect(words.stdout).toMatch(/^ {2}indicator_start_date +0000-00-00 00:00:00$/m);
    expect(words.stdout).not.toContain("_parsed");
    const dates = {
      start_date: "2026-01-02 03:04:05",
      start_date_parsed: "2026-01-02T03:04:05",
      indicator_start_date: "0000-00-00 00:00:00",
      indicator_start_date_parsed: null,
      indicator_end_date: "",
      indicator_end_date_parsed: null,
    };
    expect(JSON.parse((await run("show", "--json")).stdout)).toMatchObject(dates);
    expect((await run("sync")).stdout).toContain(": new");
    expect((await run("sync")).stdout).toContain(": unchanged");
    const columns = Object.keys(dates).join(", ");
    expect(readAll(folder.path, `SELECT ${columns} FROM insights`)).toEqual([dates]);
    insight.start_date = "2026-02-03 04:05:06";
    expect((await run("sync")).stdout).toMatch(
      /: changed\n {2}start_date: 2026-01-02 03:04:05 → 2026-02-03 04:05:06\n$/,
    );
  });

  it.skipIf(!HAS_PROCESSES)("is refreshed by the job for the ids in the settings", async () => {
    await using folder = await makeSandboxFolder({ calls: 1 }, { CALLTALLY_INSIGHT_IDS: "101, 102" });
    const { code, stderr } = await folder.run("job insights");
    expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 0, lines: 2 });
    expect(readAll(folder.path, "SELECT insight_id FROM insights")).toEqual([
      { insight_id: 101 },
      { insight_id: 102 },
    ]);
  });
});
