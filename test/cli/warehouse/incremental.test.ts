import { expect, it } from "vitest";
import { makeSandboxFolder } from "../folder.ts";

it("a second sync reads only new calls, and a full pass reports missing ones over the threshold until they are accepted", async () => {
  const settings = { CALLTALLY_GONE_AFTER_HOURS: "0", CALLTALLY_LIMIT: "100" };
  await using folder = await makeSandboxFolder({ calls: 600 }, settings);
  const { sandbox, run, read } = folder;
  const sync = async (...flags: string[]) => {
    const before = sandbox.requests.length;
    const { code, stdout } = await run("sync --json", ...flags);
    return { code, run: JSON.parse(stdout), requests: sandbox.requests.length - before };
  };
  expect((await sync()).run).toMatchObject({ mode: "full", verdict: "exact", call_order: "newest" });
  for (let call = 0; call < 7; call++) sandbox.calls.insert();
  const news = await sync();
  expect(news).toMatchObject({ code: 0, run: { mode: "incremental", verdict: "probable", calls_new: 7 } });
  expect(news.requests).toBeLessThanOrEqual(6);

  for (const id of sandbox.calls.ids.slice(100, 300)) sandbox.calls.remove(id);
  expect(await sync()).toMatchObject({
    code: 3,
    run: { plan_reason: "the counts disagree: 607 calls here, total 407", calls_withheld: 200 },
  });
  expect(read("SELECT 1 FROM calls WHERE missing_since IS NOT NULL")).toEqual([]);
  const doubt = "200 calls went missing in one pass, over the missing-call";
  expect((await run("status")).stdout).toContain(`\nComplete   in doubt: ${doubt}`);
  for (const command of ["export", "export channel --stdout", "doctor"]) {
    const { code, stdout, stderr } = await run(command);
    expect(code).toBe(3);
    expect(stdout + stderr).toContain(command === "doctor" ? "--accept-gone 200" : doubt);
  }
  expect(await sync("--full", "--accept-gone", "200")).toMatchObject({
    code: 0,
    run: { calls_missing: 200, calls_withheld: 0 },
  });
  expect((await sync("--full")).run).toMatchObject({ calls_missing: 0, calls_gone: 200 });
  expect(read("SELECT count(*) AS n FROM attributed_calls")).toEqual([{ n: 407 }]);
  expect(await run("export")).toMatchObject({ code: 0 });
});
