import { expect, it } from "vitest";
import { makeSandboxFolder } from "../folder.ts";

it("insight shows insights as text and as JSON", async () => {
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

it("insight stores insights, reports changes and keeps them", async () => {
  await using folder = await makeSandboxFolder({ calls: 1 });
  const { sandbox, run } = folder;
  await folder.say("sync");
  expect((await run("insight sync 101")).stdout).toMatch(/^Insight 101, .+: new\n$/);
  expect((await run("insight sync 101")).stdout).toMatch(/^Insight 101, .+: unchanged\n$/);
  sandbox.insights.edit(101, { insight_status: "paused", group_list: [{ id: 9 }] });
  const { stdout } = await run("insight sync 101");
  expect(stdout).toMatch(/: changed\n {2}insight_status: \w+ → paused\n {2}group_list: \[.*\] → \[9\]\n$/);
  expect(folder.read("SELECT member, after FROM insight_changes ORDER BY change_id")).toEqual([
    { member: "insight_status", after: '"paused"' },
    { member: "group_list", after: "[9]" },
  ]);
  expect(folder.read("SELECT * FROM insight_groups")).toEqual([{ insight_id: 101, group_id: 9 }]);
});

it("insight --quiet prints an insight, but no result of a sync", async () => {
  await using folder = await makeSandboxFolder({ calls: 1 });
  await folder.say("sync");
  expect(await folder.run("insight sync 101 --quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await folder.run("insight show 101 --quiet")).stdout).toContain("Insight 101");
});
