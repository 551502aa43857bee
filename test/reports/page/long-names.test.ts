import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { readBySheetJs } from "../../export/workbook-readers.ts";
import { hasCapability } from "../../support/commands.ts";
import { storeNotice } from "../../support/warehouses/findings.ts";
import { fillWarehouse } from "../../support/warehouses/warehouse.ts";
import { CALLS, DAYS, longName, makeFolder } from "./long-names.ts";

const NOTICE = {
  dimension: "campaign",
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
  const hasNotices = hasCapability("notices");
  for (const [index, name] of names.entries()) {
    const calls = CALLS.map((call) => ({ ...call, caller_id: `${call.caller_id}${index}` }));
    fillWarehouse(join(path, `data/${name}.db`), calls);
    write(`${name}.token`, `token-of-${name}`);
    if (!hasNotices) continue;
    using warehouse = openExistingWarehouse(join(path, `data/${name}.db`));
    storeNotice(warehouse, { campaign: longName("campaign", index) }, NOTICE);
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
  expect(shown.size).toBe(hasNotices ? 2 : 0);
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
    expect([name, Math.max(...cells)]).toEqual([name, ["Headline", "About"].includes(name) ? 0 : 10_000]);
  }
});

it.each(["export campaign org_unit source --total", "explain 1", "hygiene", "status", "channels"])(
  "a terminal shows no long name: %s",
  async (command) => {
    using folder = makeFolder();
    const { stdout, stderr } = await folder.run(command);
    expect(longestRun(stdout + stderr)).toBeLessThan(100);
  },
);
