import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { openReader, openWarehouse } from "../../src/warehouse/open.ts";
import { runQuery } from "../../src/warehouse/run-query.ts";
import { makeCall } from "../support/calls.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { markGone, storeCalls } from "../support/warehouse.ts";
import { readBlocks, readPages } from "./pages.ts";

type Row = Record<string, unknown>;

const toNumber = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

const OCTOBER = ["--from", "2026-10-01", "--to", "2026-10-31"];
const SEPTEMBER = ["--from", "2026-09-01", "--to", "2026-09-30"];

describe("questions of the cookbook", () => {
  const folder = makeTempFolder();
  const page = readPages().find(({ path }) => path === "docs/cookbook.md")?.text ?? "";
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox({ calls: 5000, seed: 1, now: new Date("2026-10-31T23:00:00Z") });
    await calltally(["sync"], { cwd: folder.path, env: settingsFor(sandbox) });
  });
  afterAll(async () => {
    await sandbox.close();
    folder[Symbol.dispose]();
  });

  /** The rows for a question of the page. */
  function ask(question: number, database = join(folder.path, "data/calltally.db")): Row[] {
    const [section = ""] = page.split(/^## /m).filter((text) => text.startsWith(`${question}. `));
    const sql = readBlocks(section).find(({ language }) => language === "sql")?.content ?? "";
    using reader = openReader(database);
    const { columns, rows } = runQuery(reader, sql);
    return [...rows].map((row) =>
      Object.fromEntries(columns.map((name, index) => [name, toNumber(row[index])])),
    );
  }

  async function exportRows(dimension: string, ...flags: string[]): Promise<Row[]> {
    const { stdout, stderr } = await calltally(
      ["export", dimension, ...flags, "--stdout", "--format", "json"],
      { cwd: folder.path, env: settingsFor(sandbox) },
    );
    const rows: unknown = stdout === "" ? stderr : JSON.parse(stdout);
    if (!Array.isArray(rows)) throw new Error(String(rows));
    return rows;
  }

  const pick = (rows: readonly Row[], ...names: string[]) =>
    rows.map((row) => names.map((name) => row[name]));
  const present = (rows: readonly Row[], name: string) => rows.filter((row) => row[name] !== "(not set)");
  const sum = (rows: readonly Row[], name: string) =>
    rows.reduce((total, row) => total + Number(row[name]), 0);

  it("1, channels, has the calls of the export", async () => {
    expect(pick(ask(1), "channel", "calls")).toEqual(
      pick(await exportRows("channel", ...OCTOBER), "channel", "calls"),
    );
  });

  it("2 and 7, weeks, have the calls and first calls of the export", async () => {
    const rows = await exportRows("channel", "--from", "2026-09-28", "--to", "2026-10-25", "--grain", "week");
    const weeks = [...Map.groupBy(rows, ({ period }) => period).values()].map((of) =>
      ["calls", "qualified_calls", "first_time_callers"].map((name) => sum(of, name)),
    );
    expect(pick(ask(2), "calls", "qualified")).toEqual(weeks.map((week) => week.slice(0, 2)));
    expect(pick(ask(7), "first_time").flat()).toEqual(weeks.slice(1).map(([, , first]) => first));
  });

  it("3, sources, has the calls of two exports", async () => {
    const [october, september] = [
      await exportRows("source", ...OCTOBER),
      await exportRows("source", ...SEPTEMBER),
    ];
    const before = new Map(pick(september, "source", "calls").map(([source, calls]) => [source, calls]));
    expect(pick(ask(3), "source", "october", "september")).toEqual(
      pick(october, "source", "calls")
        .slice(0, 5)
        .map(([source, calls]) => [source, calls, before.get(source)]),
    );
  });

  it("6, campaigns, has the qualified calls of the export", async () => {
    const rows = present(await exportRows("campaign"), "campaign");
    const best = rows.toSorted((a, b) => Number(b.qualified_calls) - Number(a.qualified_calls)).slice(0, 5);
    expect(pick(ask(6), "campaign", "campaign_id", "calls", "qualified")).toEqual(
      pick(best, "campaign", "campaign_id", "calls", "qualified_calls"),
    );
  });

  it("9, callers never reached, lists the callers of the export", async () => {
    const rows = await exportRows("callers");
    expect(pick(ask(9), "missed_callers", "never_reached")).toEqual([
      [
        rows.filter(({ recovered }) => recovered !== null).length,
        rows.filter(({ recovered }) => recovered === 0).length,
      ],
    ]);
  });

  it("12, websites, has the calls and callers of the export", async () => {
    const rows = present(await exportRows("referring_host"), "referring_host").slice(0, 5);
    expect(pick(ask(12), "referring_host", "calls", "callers")).toEqual(
      pick(rows, "referring_host", "calls", "unique_callers"),
    );
  });

  it("14, click ids, has the calls with a gclid of the export", async () => {
    const rows = await exportRows("gclid");
    expect(pick(ask(14), "calls", "with_gclid")).toEqual([
      [sum(rows, "calls"), sum(present(rows, "gclid"), "calls")],
    ]);
  });

  it("16, tracking numbers, has the calls of the export", async () => {
    expect(pick(ask(16), "tracking_number", "calls")).toEqual(
      pick((await exportRows("tracking_number")).slice(0, 3), "tracking_number", "calls"),
    );
  });

  it("15, spellings, counts like the export", async () => {
    const rows = await exportRows("utm_source");
    const calls = new Map(pick(rows, "utm_source", "calls").map(([source, count]) => [source, count]));
    const spellings = ask(15);
    expect(spellings.length).toBeGreaterThan(0);
    expect(pick(spellings, "counts_as", "calls")).toEqual(
      spellings.map(({ counts_as }) => [counts_as, calls.get(counts_as)]),
    );
  });

  it("18, costs, has every campaign with spend of the export", async () => {
    const report = readBlocks(page).find(({ file }) => file === "google-ads.csv")?.content ?? "";
    writeFileSync(join(folder.path, "google-ads.csv"), report);
    await calltally(["spend", "import", "google-ads.csv"], {
      cwd: folder.path,
      env: settingsFor(sandbox),
    });
    const rows = await exportRows("campaign", "--spend", "--from", "2026-10-05", "--to", "2026-10-06");
    const paid = rows.filter(({ cost }) => cost !== null).toSorted((a, b) => Number(b.cost) - Number(a.cost));
    expect(
      pick(ask(18), "campaign", "campaign_id", "cost", "calls", "qualified", "cost_per_qualified"),
    ).toEqual(
      pick(paid, "campaign", "campaign_id", "cost", "calls", "qualified_calls", "cost_per_qualified_call"),
    );
  });

  it("20, calls excluded from figures, counts missing and unlisted calls like attributed_calls", () => {
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
});
