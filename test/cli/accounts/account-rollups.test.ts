import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { expect, it } from "vitest";
import { WEEKDAYS } from "../../../src/figures/dimensions.ts";
import { makeAgencyFolder } from "./agency.ts";

const tableOf = (text: string): Record<string, string>[] => parse(text, { columns: true });

it("export --by account contains the rows of each account's own file in one order, with correct sums and a remark about callers", async () => {
  const accounts = { acme: { calls: 300, seed: 1 }, beta: { calls: 200, seed: 2 } };
  await using folder = await makeAgencyFolder(accounts, { more: { beta: "timezone: Asia/Tokyo" } });
  await folder.say("sync");
  const flags = "--grain month --from 2020-01-01 --to 2029-12-31 --compare previous";
  for (const by of ["account,channel,campaign", "channel,account", "account"]) {
    const names = by.split(",").filter((name) => name !== "account");
    const { code, stdout, stderr } = await folder.run(`export --by ${by} ${flags}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const file = by.replaceAll(",", "-");
    expect(stdout).toMatch(new RegExp(`^data/exports/${file}.csv  \\d+ rows, 500 calls\n`));
    const merged = tableOf(readFileSync(join(folder.path, `data/exports/${file}.csv`), "utf8"));
    const own = [];
    for (const account of names.length > 0 ? ["acme", "beta"] : []) {
      const alone = await folder.say(`export --by ${names} ${flags} --stdout --account ${account}`);
      own.push(...tableOf(alone).map((row) => ({ account, ...row })));
    }
    const sorted = (rows: Record<string, string>[]) =>
      rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
    if (names.length > 0) expect(sorted(merged)).toEqual(sorted(own));
    expect(merged.reduce((sum, { calls }) => sum + Number(calls), 0)).toBe(500);
    expect(
      Object.keys(merged[0] ?? {})
        .filter((name) => name !== "campaign_id")
        .slice(0, by.split(",").length + 3),
    ).toEqual(["period", "period_start", "previous_period", ...by.split(",")]);
    const order = merged.map(
      ({ period, calls }) => `${period} ${String(1e6 - Number(calls)).padStart(7, "0")}`,
    );
    expect(order).toEqual(order.toSorted());
  }
  const manifest = JSON.parse(readFileSync(join(folder.path, "data/exports/manifest.json"), "utf8"));
  expect(manifest).toMatchObject({
    statements: expect.arrayContaining([
      expect.objectContaining({
        id: "callers_per_account",
        text: expect.stringContaining("a person who called two accounts counts as two callers"),
      }),
    ]),
    accounts: {
      acme: { run: { run_id: 1, verdict: "exact" }, timezone: "UTC" },
      beta: { run: { run_id: 1, verdict: "exact" }, timezone: "Asia/Tokyo" },
    },
    files: [{ file: "account.csv", contents: "account", sums: { calls: 500 } }],
  });
});

it("export --by account accepts a filter value that one account has; refuses an unknown value, totals and missing warehouses", async () => {
  const accounts = { acme: { calls: 60, seed: 1 }, beta: { calls: 60, seed: 2 } };
  await using folder = await makeAgencyFolder(accounts);
  const { run, say, acme, beta } = folder;
  for (const id of acme.calls.ids) acme.calls.edit(id, { disposition: "answered" });
  for (const id of beta.calls.ids) beta.calls.edit(id, { disposition: "busy" });
  expect(await run("export --by account,channel")).toMatchObject({ code: 7, stdout: "" });
  await say("sync");
  const by = "export --by account --stdout";
  const busy = tableOf(await say(`${by} --disposition busy`));
  expect(busy.map(({ account, calls }) => [account, calls])).toEqual([
    ["beta", "60"],
    ["acme", "0"],
  ]);
  const each = tableOf(await say(`${by} --disposition busy --disposition answered`));
  expect(each.map(({ calls }) => calls)).toEqual(["60", "60"]);
  const hours = tableOf(await say("export --by account,weekday,hour --stdout"));
  const shown = hours.map(
    ({ account, weekday = "", hour }) => `${account} ${WEEKDAYS.indexOf(weekday)} ${hour}`,
  );
  expect(shown).toEqual(shown.toSorted());
  expect(new Set(hours.map(({ weekday }) => weekday)).size).toBe(7);
  for (const [flags, says] of [
    ["--disposition bussy", "Cannot use --disposition bussy: no call in the warehouse has this value"],
    ["--total", "--total is for one account: callers are not merged"],
    ["--grain day --fill", "--fill is for one account: callers are not merged"],
  ])
    expect(await run(`${by} ${flags}`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(`^calltally: ${says}`),
    });
  folder.write("calltally.yaml", "limit: 1000\n");
  expect(await run(by)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--by account needs accounts"),
  });
});
