import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeCallsFolder } from "../cli/folder.ts";
import { readPage } from "../features/explore/read-page.ts";
import "../support/built.ts"; // for the script of the page
import { FULL_CALL } from "../support/warehouses/calls.ts";

/** Two names that are equal for 10,000 characters. */
const longName = (kind: string, end: number) => `${kind} ${"x".repeat(10_000)} ${end}`;
const CALLS = Array.from({ length: 40 }, (_, index) => ({
  ...FULL_CALL,
  call_id: index + 1,
  caller_id: `+4930123${400 + index}`,
  call_started: new Date(Date.UTC(2026, 8, 1 + (index % 5), 14, index)).toISOString(),
  insight_name: longName("insight", index % 2),
  org_unit_name: longName("unit", 1),
  utm_source: longName("source", index % 2),
  utm_medium: longName("medium", 1),
  utm_campaign: longName("campaign", index % 2),
  utm_term: longName("term", index % 2),
  campaign_name: longName("campaign", index % 2),
  campaign_id: null,
}));
const DAYS = "--from 2026-09-01 --to 2026-09-05";
const makeFolder = () => makeCallsFolder(CALLS);

/** The longest run of the letter that fills the names. */
const longestRun = (text: string) => Math.max(0, ...[...text.matchAll(/x{10,}/g)].map(([run]) => run.length));

it("a report page cuts names of 10,000 characters, in its filter, too, and keeps their rows different", async () => {
  using folder = makeFolder();
  const filter = ["--campaign", longName("campaign", 1), "--campaign", longName("campaign", 0)];
  expect(await folder.run(`report ${DAYS} --out page`, ...filter)).toMatchObject({ code: 0 });
  const html = readFileSync(join(folder.path, "page/report.html"), "utf8");
  expect(longestRun(html)).toBeGreaterThan(50);
  expect(longestRun(html)).toBeLessThan(100);
  const campaigns = new Set([...html.matchAll(/campaign x+… #[0-9a-f]{8}/g)].map(([name]) => name));
  expect(campaigns.size).toBe(2);
});

it.each([
  ["a line a call", ""],
  ["groups", "--min-cell 3"],
])("a page to explore has cut names, different for different names: %s", async (_, more) => {
  using folder = makeFolder();
  const by = "--by source,medium,campaign,utm_term,org_unit,insight_name";
  expect(await folder.run(`report --explore ${DAYS} ${by} --out page ${more}`.trim())).toMatchObject({
    code: 0,
  });
  const { values } = readPage(join(folder.path, "page/explore.html")).data;
  const texts = Object.values(values)
    .flat()
    .filter((value) => typeof value === "string");
  expect(texts.filter((text) => text.length > 200)).toEqual([]);
  for (const name of ["source", "campaign", "utm_term", "insight_name"])
    expect([name, new Set(values[name]).size]).toEqual([name, 2]);
});

it.each(["export campaign org_unit source --total", "explain 1", "hygiene", "status", "channels"])(
  "a terminal shows no long name: %s",
  async (command) => {
    using folder = makeFolder();
    const { stdout, stderr } = await folder.run(command);
    expect(longestRun(stdout + stderr)).toBeLessThan(100);
  },
);
