import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readBySheetJs } from "../../export/workbook-readers.ts";
import { readCsv } from "../../support/page.ts";
import { makeAgencyFolder } from "../accounts/agency.ts";

/** Two synced accounts, and one without a warehouse. */
async function makeAgency() {
  const more = { acme: 'title: "Acme <Roofing>"', beta: "locale: de-DE" };
  const accounts = { acme: { calls: 300, seed: 1 }, beta: { calls: 200, seed: 2 }, gone: { calls: 0 } };
  const agency = await makeAgencyFolder(accounts, { more });
  await agency.say("sync --account acme --account beta");
  return {
    ...agency,
    read: (file: string) => readFileSync(join(agency.path, file)),
    has: (file: string) => existsSync(join(agency.path, file)),
  };
}

describe("calltally report --overview", () => {
  it("shows the calls of export --by account, their sum, links, and the error of an account that cannot be read", async () => {
    await using agency = await makeAgency();
    await agency.say("report --account acme --last 4w");
    const { code, stdout, stderr } = await agency.run("report --overview --last 4w");
    expect(code).toBe(3);
    expect(stderr).toMatch(/^calltally: gone: .*data\/gone\/calltally\.db/);
    expect(stdout).toMatch(
      /^data\/exports\/overview\/overview\.html {2}3 accounts\ndata\/exports\/overview\/overview\.xlsx {2}3 accounts\n/,
    );
    const page = agency.read("data/exports/overview/overview.html").toString();
    const exporting = "export --by account --last 4w --account acme --account beta --stdout";
    const calls = readCsv((await agency.run(exporting)).stdout).map((row) => Number(row.calls));
    expect(calls.toSorted()[0]).toBeGreaterThan(5);
    expect(page).toContain(
      '<a href="../../acme/exports/report/report.html"><bdi>Acme &lt;Roofing&gt;</bdi></a>',
    );
    expect(page.match(/<a /g)).toHaveLength(1);
    const sheet = readBySheetJs(agency.read("data/exports/overview/overview.xlsx")).overview ?? [];
    expect(sheet.slice(2).map((row) => row.slice(0, 3).map((cell) => cell?.shown))).toEqual([
      ["acme", "Acme <Roofing>", expect.any(String)],
      ["beta", "beta", expect.any(String)],
      ["gone", "gone", undefined],
      ["(total)", undefined, String(calls.reduce((sum, count) => sum + count))],
    ]);
    const manifest = JSON.parse(agency.read("data/exports/overview/manifest.json").toString());
    expect(Object.keys(manifest.accounts)).toEqual(["acme", "beta"]);
  });

  it("an account with an unusable file of channels stops no other", async () => {
    const accounts = { acme: { calls: 30, seed: 1 }, beta: { calls: 20, seed: 2 } };
    await using agency = await makeAgencyFolder(accounts, { more: { beta: "channels: channels.csv" } });
    await agency.say("sync --account acme");
    const { code, stderr } = await agency.run("report --overview --last 4w");
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^calltally: beta: .*channels\.csv/)]);
    const manifest = readFileSync(join(agency.path, "data/exports/overview/manifest.json"), "utf8");
    expect(Object.keys(JSON.parse(manifest).accounts)).toEqual(["acme"]);
  });

  it("refuses what an overview does not have, and a filter that no account knows", async () => {
    await using agency = await makeAgency();
    const refused = async (...flags: string[]) => (await agency.run("report --overview", ...flags)).stderr;
    expect(await refused("--explore")).toMatch(/^calltally: Cannot use --overview with --explore/);
    expect(await refused("--grain", "week")).toMatch(/^calltally: Cannot use --overview with --grain/);
    expect(await refused("--from", "2026-13-01")).toMatch(/^calltally: .*2026-13-01/);
    expect(await refused("--channel", "no such channel")).toContain("no such channel");
    expect(await refused("--out", "{account}")).toMatch(
      /^calltally: Cannot use \{account\} in --out \{account\}: /,
    );
    expect(agency.has("data/exports/overview")).toBe(false);
  });
});

describe("calltally export --out with {account}", () => {
  it("writes to a folder of each account, and refuses one for several", async () => {
    await using agency = await makeAgency();
    const exporting = "export channel --account acme --account beta --out out";
    await agency.say(`${exporting}/{account}-files`);
    for (const name of ["acme", "beta"]) expect(agency.has(`out/${name}-files/channel.csv`)).toBe(true);
    expect((await agency.run(exporting)).stderr).toBe(
      "calltally: --out is for one account, but there are acme, beta\nName one with --account, or put {account} in the path.\n",
    );
  });
});

describe("calltally status --problems", () => {
  it("shows only accounts with a problem, and what is wrong", async () => {
    await using agency = await makeAgency();
    const { code, stdout } = await agency.run("status --problems");
    expect(code).toBe(7);
    expect(stdout).toMatch(/^account.*\ngone .*\n\n3 accounts, 1 with a problem: .*\n {2}gone: /);
    const json = await agency.run("status --problems --json");
    expect(Object.keys(JSON.parse(json.stdout))).toEqual(["gone"]);
    const good = await agency.run("status --problems --account acme --account beta");
    expect([good.code, good.stdout]).toEqual([0, "2 accounts, none with a problem\n"]);
  });
});
