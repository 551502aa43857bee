import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openReader, openWarehouse } from "../../src/warehouse/file/open.ts";
import { runQuery } from "../../src/warehouse/run-query.ts";
import { makeSandboxFolder } from "../cli/folder.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { markGone, storeCalls } from "../support/warehouses/warehouse.ts";
import { readBlocks, readPages } from "./pages.ts";

type Row = Record<string, unknown>;

const OCTOBER = "--from 2026-10-01 --to 2026-10-31";
const SEPTEMBER = "--from 2026-09-01 --to 2026-09-30";
const PAGE = readPages().find(({ path }) => path === "docs/cookbook.md")?.text ?? "";

/** The rows for a question of the page. */
function ask(question: number, database: string): Row[] {
  const [section = ""] = PAGE.split(/^## /m).filter((text) => text.startsWith(`${question}. `));
  const sql = readBlocks(section).find(({ language }) => language === "sql")?.content ?? "";
  using reader = openReader(database);
  const { columns, rows } = runQuery(reader, sql);
  const toNumber = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  return [...rows].map((row) =>
    Object.fromEntries(columns.map((name, index) => [name, toNumber(row[index])])),
  );
}

const pick = (rows: readonly Row[], ...names: string[]) => rows.map((row) => names.map((name) => row[name]));
const present = (rows: readonly Row[], name: string) => rows.filter((row) => row[name] !== "(not set)");
const sum = (rows: readonly Row[], name: string) => rows.reduce((total, row) => total + Number(row[name]), 0);
const byMost = (rows: readonly Row[], name: string) =>
  rows.toSorted((a, b) => Number(b[name]) - Number(a[name]));

let folder: Awaited<ReturnType<typeof makeSandboxFolder>>;

beforeAll(async () => {
  folder = await makeSandboxFolder({ calls: 5000, seed: 1, now: new Date("2026-10-31T23:00:00Z") });
  await folder.say("sync");
});
afterAll(() => folder[Symbol.asyncDispose]());

const exportRows = async (args: string): Promise<Row[]> =>
  JSON.parse(await folder.say(`export ${args} --stdout --format json`));

/** Compares columns of the page's rows with these. */
const expectRows = (question: number, columns: string, rows: unknown[][]) =>
  expect(pick(ask(question, folder.database), ...columns.split(","))).toEqual(rows);

it("cookbook 1, channels, has the calls of the export", async () => {
  expectRows(1, "channel,calls", pick(await exportRows(`channel ${OCTOBER}`), "channel", "calls"));
});

it("cookbook 2 and 7, weeks, have the calls and first calls of the export", async () => {
  const rows = await exportRows("channel --from 2026-09-28 --to 2026-10-25 --grain week");
  const weeks = [...Map.groupBy(rows, ({ period }) => period).values()].map((of) =>
    ["calls", "qualified_calls", "first_time_callers"].map((name) => sum(of, name)),
  );
  expectRows(
    2,
    "calls,qualified",
    weeks.map((week) => week.slice(0, 2)),
  );
  expectRows(
    7,
    "first_time",
    weeks.slice(1).map((week) => week.slice(2)),
  );
});

it("cookbook 3, sources, has the calls of two exports", async () => {
  const october = await exportRows(`source ${OCTOBER}`);
  const september = await exportRows(`source ${SEPTEMBER}`);
  const before = new Map(september.map(({ source, calls }) => [source, calls]));
  const rows = october.slice(0, 5).map(({ source, calls }) => [source, calls, before.get(source)]);
  expectRows(3, "source,october,september", rows);
});

it("cookbook 6, campaigns, has the qualified calls of the export", async () => {
  const rows = byMost(present(await exportRows("campaign"), "campaign"), "qualified_calls").slice(0, 5);
  const expected = pick(rows, "campaign", "campaign_id", "calls", "qualified_calls");
  expectRows(6, "campaign,campaign_id,calls,qualified", expected);
});

it("cookbook 9, callers never reached, lists the callers of the export", async () => {
  const missed = (await exportRows("callers")).filter(({ recovered }) => recovered !== null);
  const never = missed.filter(({ recovered }) => recovered === 0);
  expectRows(9, "missed_callers,never_reached", [[missed.length, never.length]]);
});

it("cookbook 12, websites, has the calls and callers of the export", async () => {
  const rows = present(await exportRows("referring_host"), "referring_host").slice(0, 5);
  const expected = pick(rows, "referring_host", "calls", "unique_callers");
  expectRows(12, "referring_host,calls,callers", expected);
});

it("cookbook 14, click ids, has the calls with a gclid of the export", async () => {
  const rows = await exportRows("gclid");
  expectRows(14, "calls,with_gclid", [[sum(rows, "calls"), sum(present(rows, "gclid"), "calls")]]);
});

it("cookbook 16, tracking numbers, has the calls of the export", async () => {
  const rows = (await exportRows("tracking_number")).slice(0, 3);
  expectRows(16, "tracking_number,calls", pick(rows, "tracking_number", "calls"));
});

it("cookbook 18, costs, has every campaign with spend of the export", async () => {
  folder.write(
    "google-ads.csv",
    readBlocks(PAGE).find(({ file }) => file === "google-ads.csv")?.content ?? "",
  );
  await folder.say("spend import google-ads.csv");
  const rows = await exportRows("campaign --spend --from 2026-10-05 --to 2026-10-06");
  const figures = ["cost", "calls", "qualified_calls", "cost_per_qualified_call"];
  const paid = rows.filter(({ cost }) => cost !== null);
  const expected = pick(byMost(paid, "cost"), "campaign", "campaign_id", ...figures);
  expectRows(18, "campaign,campaign_id,cost,calls,qualified,cost_per_qualified", expected);
});

it("cookbook 15, spellings, counts like the export", async () => {
  const rows = await exportRows("utm_source");
  const calls = new Map(pick(rows, "utm_source", "calls").map(([source, count]) => [source, count]));
  const spellings = ask(15, folder.database);
  expect(spellings.length).toBeGreaterThan(0);
  expect(pick(spellings, "counts_as", "calls")).toEqual(
    spellings.map(({ counts_as }) => [counts_as, calls.get(counts_as)]),
  );
});

it("cookbook 20, calls excluded from figures, counts missing and unlisted calls like attributed_calls", () => {
  using empty = makeTempFolder();
  const path = join(empty.path, "calls.db");
  using warehouse = openWarehouse(path);
  const { sqlite } = warehouse;
  const dated = [1, 2, 3, 4].map((call_id) =>
    makeCall({ call_id, call_started: "2026-09-01T00:00:00.000Z" }),
  );
  storeCalls(warehouse, [...dated, makeCall({ call_id: 5, call_started: null })]);
  markGone(warehouse, [2]);
  sqlite.exec("UPDATE calls SET missing_since = '2026-10-01T00:00:00.000Z' WHERE call_id = 3");
  sqlite.exec("UPDATE calls SET unlisted_since = '2026-10-01T00:00:00.000Z' WHERE call_id = 4");
  const counted = sqlite.prepare("SELECT count(*) FROM attributed_calls").pluck().get();
  expect(ask(20, path)).toEqual([
    { gone: 1, rejected: 0, counted, missing: 1, unlisted: 1, of_unknown_time: 1 },
  ]);
  expect(counted).toBe(4);
});
