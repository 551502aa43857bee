import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { openWarehouse } from "../../support/library.ts";
import { answering } from "../../support/services/mcp.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeSpend } from "../../support/warehouses/spend.ts";
import { makeCallsFolder } from "../folder.ts";

/** Campaigns with calls and costs: paid, paused, refunded, free, and without calls. */
const CAMPAIGNS = [
  ["Brand", 4, 40],
  ["Generic", 2, 30],
  ["Paused", 3, 0],
  ["Refunded", 1, -8],
  ["Newsletter", 5, undefined],
  ["Ghost", 0, 5],
] as const;
const CALLS = CAMPAIGNS.flatMap(([campaign_name, count]) =>
  Array.from({ length: count }, () => campaign_name),
).map((campaign_name, index) =>
  makeCall({
    call_id: index + 1,
    call_started: "2026-10-01T12:00:00.000Z",
    caller_id: `+4930${100 + (index % 5)}`,
    disposition: "answered",
    duration: index % 2 === 0 ? 90 : 10,
    utm_source: "google",
    campaign_name,
  }),
);
const DAYS = "--from 2026-10-01 --to 2026-10-01";
const FIGURES = ["calls", "unique_callers", "cost", "cost_per_call"];
const TOTAL = { campaign: "(total)", calls: 15, unique_callers: 5, cost: 67, cost_per_call: null };
const WITH_SPEND = { campaign: "(with spend)", calls: 6, unique_callers: 5, cost: 75, cost_per_call: 12.5 };

it("costs of rows that combine keys are equal in CSV, JSON, SQLite, page, library and for assistants", async () => {
  using spend = makeCallsFolder(CALLS);
  const { path, say, database } = spend;
  const rows = CAMPAIGNS.flatMap(([campaign, , cost]) =>
    cost === undefined
      ? []
      : [{ day: "2026-10-01", source: "google", medium: "cpc", campaign, cost_micros: cost * 1e6 }],
  );
  {
    using writer = openExistingWarehouse(database);
    storeSpend(writer, rows);
  }
  const pick = (row: object | undefined) =>
    Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => ["campaign", ...FIGURES].includes(name)));
  const asked = `export campaign --spend --total ${DAYS}`;
  const csv = await say(`${asked} --columns ${FIGURES.join()} --stdout`);
  expect(csv.split("\r\n").slice(-3)).toEqual(["(total),,15,5,67.00,", "(with spend),,6,5,75.00,12.50", ""]);
  const json: object[] = JSON.parse(await say(`${asked} --stdout --format json`));
  expect(json.slice(-2).map(pick)).toEqual([TOTAL, WITH_SPEND]);

  await say(`${asked} --format sqlite --out out`);
  const sqlite = new Database(join(path, "out/calltally.sqlite"), { readonly: true });
  const stored = sqlite.prepare<[], object>("SELECT * FROM campaign WHERE campaign LIKE '(%'");
  expect(stored.all().map(pick)).toEqual([TOTAL, WITH_SPEND]);
  sqlite.close();

  using warehouse = openWarehouse(database);
  const range = { from: "2026-10-01", to: "2026-10-01" };
  const question = { by: ["campaign"], range, spend: true, total: true } as const;
  expect((await warehouse.rollup(question)).rows.slice(-2).map(pick)).toEqual([TOTAL, WITH_SPEND]);

  const assistant = answering(path, { env: { CALLTALLY_DATABASE: database } });
  const answer = Object(await assistant.ask("figures", question));
  expect([pick(answer.total), pick(answer.with_spend)]).toEqual([TOTAL, WITH_SPEND]);

  await say(`report ${DAYS} --out page`);
  const page = readFileSync(join(path, "page/report.html"), "utf8").replace(/<[^>]*>/g, " ");
  expect(page.replace(/\s+/g, " ")).toContain("(with spend) 75.00 6 3 12.50");
  expect(page).toMatch(/Cost, EUR\s+67\.00/);
  expect(page).toMatch(/Cost per call, EUR\s+12\.50\s+75\.00\s+for\s+6\s+calls of campaigns with spend/);
  expect(page.replace(/\s+/g, " ")).toMatch(/lowest for Brand ?, 20.00 EUR/);
});
