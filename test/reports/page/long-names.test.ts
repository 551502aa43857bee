import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { insertNotice } from "../../../src/features/notices/notice-table.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { makeCallsFolder } from "../../cli/folder.ts";
import { readBySheetJs } from "../../export/workbook-readers.ts";
import { readPage } from "../../features/explore/read-page.ts";
import { fillWarehouse } from "../../support/warehouses/warehouse.ts";
import "../../support/built.ts"; // for the script of the page
import { FULL_CALL } from "../../support/warehouses/calls.ts";

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
const NOTICE = {
  run_id: 1,
  kind: "silent",
  calls: 0,
  expected: 18.3,
  since: "2026-09-04T09:10:00.000Z",
  judged_until: "2026-09-05T05:00:00.000Z",
  noticed_at: "2026-09-05T07:00:00.000Z",
  ended_at: null,
  end_reason: null,
  end_noticed_at: null,
} as const;
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

it("an overview of accounts and its workbook show no long name, with problems and a filter of long names", async () => {
  using folder = makeFolder();
  const { path, run, write } = folder;
  const names = ["austin", "dallas"];
  for (const [index, name] of names.entries()) {
    const calls = CALLS.map((call) => ({ ...call, caller_id: `${call.caller_id}${index}` }));
    fillWarehouse(join(path, `data/${name}.db`), calls);
    write(`${name}.token`, `token-of-${name}`);
    using warehouse = openWarehouse(join(path, `data/${name}.db`));
    const key = JSON.stringify({ campaign: longName("campaign", index) });
    writeTransaction(warehouse, (tx) => insertNotice(tx, { ...NOTICE, dimension: "campaign", key }));
  }
  write(
    "calltally.yaml",
    `accounts:\n${names.map((name) => `  ${name}:\n    base_url: https://${name}.example.com\n    token_file: ${name}.token\n    database: data/${name}.db\n`).join("")}`,
  );
  const filter = ["--campaign", longName("campaign", 1), "--campaign", longName("campaign", 0)];
  const { stdout, stderr } = await run(`report --overview ${DAYS} --out page`, ...filter);
  const html = readFileSync(join(path, "page/overview.html"), "utf8");
  for (const text of [html, stdout, stderr]) expect(longestRun(text)).toBeLessThan(100);
  const shown = new Set([...html.matchAll(/campaign x+… #[0-9a-f]{8}/g)].map(([name]) => name));
  expect(shown.size).toBe(2);
  const { overview = [] } = readBySheetJs(readFileSync(join(path, "page/overview.xlsx")));
  expect(Math.max(...overview.flat().map((cell) => longestRun(cell?.shown ?? "")))).toBeLessThan(100);
});

it("a workbook has long names in cells only, not in names of sheets, headings and printed headers", async () => {
  using folder = makeFolder();
  await folder.say(`export campaign source ${DAYS} --format xlsx --out book`);
  const sheets = readBySheetJs(readFileSync(join(folder.path, "book/calltally.xlsx")));
  for (const [name, [heads = [], ...rows]] of Object.entries(sheets)) {
    expect(name.length).toBeLessThanOrEqual(31);
    for (const head of heads) expect(longestRun(head?.shown ?? "")).toBe(0);
    const cells = rows.flat().map((cell) => longestRun(cell?.shown ?? ""));
    expect([name, Math.max(...cells)]).toEqual([name, name === "About" ? 0 : 10_000]);
  }
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
