import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { answerTable, figuresOfPage } from "../../src/features/explore/browser/answers.ts";
import { PageCalls } from "../../src/features/explore/browser/page-calls.ts";
import { defaultView } from "../../src/features/explore/browser/view.ts";
import { readBySheetJs } from "../export/workbook-readers.ts";
import { readPage } from "../features/explore/read-page.ts";
import { readParquetObjects } from "../support/figures/tables.ts";
import { openWarehouse } from "../support/library.ts";
import { readCsv, readHeadline, readTables } from "../support/page.ts";
import { calltally } from "../support/run.ts";
import { ACCOUNTS, RANGE } from "../support/scene/accounts.ts";
import { alike, askScene } from "../support/scene/ask.ts";
import { openScene } from "../support/scene/build.ts";
import { type Asked, figuresOf, type OracleRow } from "../support/scene/oracle.ts";
import { answering } from "../support/services/mcp.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readRows } from "../support/warehouses/warehouse.ts";

const ALL: Asked = {
  by: ["source"],
  range: RANGE,
  compare: "previous",
  total: true,
  spend: true,
  outcomes: true,
};
const DAYS = ["--from", RANGE.from, "--to", RANGE.to];

/** Runs a command on the accounts of the scene, which must succeed, with files in a folder of its own. */
async function run(...args: string[]) {
  const { code, stdout, stderr } = await calltally(args, { cwd: openScene().folder });
  if (code !== 0) throw new Error(`${args.join(" ")} exits with ${code}: ${stdout}${stderr}`);
  return stdout;
}

/** Whole numbers of columnar formats are large integers; times are dates. */
const plain = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "bigint" ? Number(value) : value instanceof Date ? value.toISOString() : value,
    ]),
  );

describe("each surface shows the figures of the oracle", () => {
  it.each(ACCOUNTS)("files of $name in each format", async (account) => {
    const expected = figuresOf(account, ALL);
    using folder = makeTempFolder();
    const write = (format: string) =>
      run(
        ...["export", "source", "--account", account.name, ...DAYS, "--out", folder.path, "--format", format],
        ...["--compare", "previous", "--total", "--spend", "--outcomes"],
      );
    const read = (file: string) => readFileSync(join(folder.path, file));
    await write("csv");
    expect(alike(readCsv(String(read("source.csv"))), expected)).toEqual(expected);
    await write("json");
    expect(alike(JSON.parse(String(read("source.json"))), expected)).toEqual(expected);
    if (account.name === "oahu") {
      await write("ndjson");
      const lines = String(read("source.ndjson")).trim().split("\n");
      expect(
        alike(
          lines.map((line) => JSON.parse(line)),
          expected,
        ),
      ).toEqual(expected);
      await write("parquet");
      const rows = await readParquetObjects(read("source.parquet"));
      expect(alike(rows.map(plain), expected)).toEqual(expected);
    }
    if (account.name === "chicago") {
      await write("sqlite");
      const sqlite = new Database(join(folder.path, "calltally.sqlite"), { readonly: true });
      const rows = sqlite.prepare<[], Record<string, unknown>>("SELECT * FROM source").all();
      sqlite.close();
      const isoTimes = JSON.parse(JSON.stringify(rows).replace(/(\d) (\d\d:\d\d:\d\d\.\d{3})/g, "$1T$2Z"));
      expect(alike(isoTimes, expected)).toEqual(expected);
    }
    if (account.name === "howe") {
      await write("xlsx");
      const [, head = [], ...rows] = readBySheetJs(read("calltally.xlsx")).source ?? [];
      const names = head.map((cell) =>
        (cell?.shown ?? "").toLowerCase().replace(", ", "_").replace(/[ -]/g, "_"),
      );
      // Shares, changes and times are shown for people.
      const counted = names.filter((name) => /^(?!.*(rate|_at$|_change$|_points$|duration))/.test(name));
      expect(counted.length).toBeGreaterThan(30);
      const shown = rows.map((row) =>
        counted.map((name) => {
          const text = row[names.indexOf(name)]?.shown ?? null;
          return text === null || name === "source" ? text : Number(text.replace(/,| AUD$/g, ""));
        }),
      );
      expect(shown).toEqual(expected.map((row) => counted.map((name) => row[name] ?? null)));
    }
  });

  it("one file of all accounts", async () => {
    using folder = makeTempFolder();
    await run(
      "export",
      "--by",
      "account,channel",
      ...DAYS,
      "--compare",
      "previous",
      "--columns",
      "calls,missed_calls",
      "--out",
      folder.path,
    );
    const rows = readCsv(readFileSync(join(folder.path, "account-channel.csv"), "utf8"));
    expect(rows.length).toBeGreaterThan(15);
    const { files } = JSON.parse(readFileSync(join(folder.path, "manifest.json"), "utf8"));
    const all = rows.reduce((sum, { calls }) => sum + Number(calls), 0);
    expect(files).toMatchObject([{ sums: { calls: all } }]);
    const { total: _, spend: __, ...asked } = ALL;
    for (const account of ACCOUNTS) {
      const expected = figuresOf(account, { ...asked, by: ["channel"] });
      const names = ["channel", "calls", "calls_previous", "calls_change", "missed_calls"];
      const pick = (row: Readonly<Record<string, unknown>>) => names.map((name) => row[name] ?? null);
      expect(rows.filter((row) => row.account === account.name).map(pick)).toEqual(expected.map(pick));
    }
  });

  it.each(ACCOUNTS)("the page of charts of $name", async (account) => {
    using folder = makeTempFolder();
    await run("report", "--account", account.name, ...DAYS, "--out", folder.path);
    const page = readFileSync(join(folder.path, "report.html"), "utf8");
    const tiles = readHeadline(page);
    const [total = {}] = figuresOf(account, { ...ALL, by: ["channel"] }).slice(-2);
    const [spent = {}, paid = {}] = figuresOf(account, { ...ALL, by: ["campaign"] }).slice(-2);
    const tile = (row: OracleRow, name: string) =>
      [row[name], row[`${name}_change`], row[`${name}_previous`]].filter((value) => value !== null);
    const { currency } = account;
    for (const [name, expected] of [
      ["Calls", tile(total, "calls")],
      ["Qualified calls", tile(total, "qualified_calls")],
      ["Missed calls", tile(total, "missed_calls")],
      ["First-time callers", tile(total, "first_time_callers")],
      ["Booked calls", tile(total, "booked_calls")],
      [`Revenue, ${currency}`, tile(total, "revenue")],
      [`Cost, ${currency}`, tile(spent, "cost")],
      [`Cost per call, ${currency}`, [...tile(paid, "cost_per_call"), paid.cost, paid.calls]],
    ] as const)
      expect([name, tiles.get(name)]).toEqual([name, expected]);
    const tables = readTables(page);
    for (const dimension of ["channel", "source", "campaign"]) {
      const shown = tables.find(({ label }) => label === `Calls by ${dimension}`);
      const { spend: _, ...asked } = ALL;
      const expected = figuresOf(account, { ...asked, by: [dimension] });
      const figures = ["calls", "calls_change", "missed_calls", "qualified_calls", "first_time_callers"];
      expect(shown?.rows.map((row) => [1, 2, 5, 6, 7].map((place) => row[place]?.value))).toEqual(
        expected.map((row) => figures.map((name) => row[name])),
      );
    }
    const days = figuresOf(account, { by: ["channel"], range: RANGE, grain: "day", fill: true });
    const perDay = tables.find(({ label }) => label.startsWith("Calls by day"));
    expect(perDay?.rows.map((row) => [row[0]?.text, row[1]?.value])).toEqual(
      [...Map.groupBy(days, ({ period }) => period)].map(([day, rows]) => [
        day,
        rows.reduce((sum, { calls }) => sum + Number(calls), 0),
      ]),
    );
  });

  it.each(ACCOUNTS)("the page to explore of $name", async (account) => {
    using folder = makeTempFolder();
    await run(
      "report",
      "--explore",
      "--account",
      account.name,
      "--from",
      "2026-02-02",
      "--to",
      RANGE.to,
      "--out",
      folder.path,
    );
    const { facts, data } = readPage(join(folder.path, "explore.html"));
    const figures = figuresOfPage(facts).map((figure) => figure.name);
    for (const dimension of ["source", "campaign"] as const) {
      const { columns, rows, totals } = await answerTable(
        { facts, calls: new PageCalls(facts, data) },
        {
          ...defaultView(facts, figures),
          ...{ days: RANGE, by: [dimension], compare: "previous", figures },
        },
      );
      const names = columns.map(({ name }) => name);
      const toRow = (values: readonly unknown[]) =>
        Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
      const shown = [...rows, ...totals.map(({ values }) => values)].map(toRow);
      const expected = figuresOf(account, { ...ALL, by: [dimension] }).map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name))),
      );
      // Only marks of chance are not computed by the oracle.
      const known = new Set(expected.flatMap((row) => Object.keys(row)));
      expect(names.filter((name) => !known.has(name) && !name.endsWith("_within_chance"))).toEqual([]);
      expect(names).toEqual(expect.arrayContaining(["cost_previous", "cost_per_call", "revenue_change"]));
      expect(alike(shown, expected)).toEqual(expected);
    }
  });

  it.each(ACCOUNTS)("assistants, the library and SQL views of $name", async (account) => {
    const { name } = account;
    const scene = openScene();
    // These only read: an export has applied the rules.
    await askScene(name, { by: ["channel"] });
    const { total: _, ...asked } = ALL;
    const expected = figuresOf(account, asked);
    const assistant = answering(scene.folder);
    const answer = Object(await assistant.ask("figures", { account: name, ...asked }));
    expect(alike(answer.rows, expected)).toEqual(expected);
    const other = { ...asked, timezone: "Asia/Kathmandu" };
    expect(
      alike(
        Object(await assistant.ask("figures", { account: name, ...other })).rows,
        figuresOf(account, other),
      ),
    ).toEqual(figuresOf(account, other));
    using warehouse = openWarehouse(scene.databaseOf(name));
    const { rows } = await warehouse.rollup({
      ...{ by: ["source"], range: RANGE, compare: "previous", spend: true, outcomes: true },
      timezone: account.timezone,
    });
    expect(alike(rows, expected)).toEqual(expected);
    const listed = await Array.fromAsync(warehouse.calls({ range: RANGE, timezone: account.timezone }));
    expect(listed.length).toBe(expected.reduce((sum, { calls }) => sum + Number(calls), 0));
    const viewed = figuresOf(account, { by: ["channel"] }).map(
      ({ median_duration_seconds: __, ...row }) => row,
    );
    expect(alike(readRows(scene.databaseOf(name), "SELECT * FROM rollup_channel"), viewed)).toEqual(viewed);
  });
});
