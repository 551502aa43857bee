import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { openExistingWarehouse } from "../../src/warehouse/file/open.ts";
import { type ExportOptions, makeWarehouse, type Target } from "../support/figures/produce-files.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { storeSpend } from "../support/warehouses/spend.ts";
import { readBySheetJs, type SeenWorkbook } from "./workbook-readers.ts";

/** 40 calls in September, of which 28 were answered, 22 of them for long; 50 in the days before, 30 and 12. */
const CALLS = [
  ...Array.from({ length: 40 }, (_, index) =>
    toCall(index, "2026-09-10T10:00:00.000Z", { answered: 28, long: 22 }),
  ),
  ...Array.from({ length: 50 }, (_, index) =>
    toCall(index + 100, "2026-08-10T10:00:00.000Z", { answered: 30, long: 12 }),
  ),
  // Before all days, so that those are known.
  makeCall({ call_id: 999, caller_id: "+493099999", call_started: "2026-01-01T10:00:00.000Z" }),
];

function toCall(index: number, call_started: string, { answered, long }: { answered: number; long: number }) {
  const place = index % 100;
  return makeCall({
    call_id: index + 1,
    caller_id: `+4930${1000 + (index % 45)}`, // so that some call again
    call_started,
    disposition: place < answered ? "ANSWERED" : "NO ANSWER",
    duration: place < long ? 90 : 7,
    utm_source: "google",
    utm_medium: "cpc",
    utm_campaign: place % 4 === 0 ? "Brand" : "Sale",
    campaign_name: place % 4 === 0 ? "Brand" : "Sale",
  });
}

const CHANNEL: Target = { kind: "rollup", dimensions: ["channel"] };
const SEPTEMBER = { range: { from: "2026-09-01", to: "2026-09-30" } };
/** The days before are 2 to 31 August. */
const COMPARED = { ...SEPTEMBER, compare: "previous" } as const;

async function exportBook(warehouse: ReturnType<typeof makeWarehouse>, options: Partial<ExportOptions>) {
  const { folder } = await warehouse.export({ targets: [CHANNEL], format: { format: "xlsx" }, ...options });
  return readBySheetJs(readFileSync(join(folder, "calltally.xlsx")));
}

/** Returns the lines of the headline, from its header on, as they are shown. */
function headlineOf({ Headline = [] }: SeenWorkbook): (string | undefined)[][] {
  const lines = Headline.map((row) => row.map((cell) => cell?.shown));
  return lines.slice(lines.findIndex(([first]) => first === "Figure"));
}

describe("the sheet Headline", () => {
  it("shows the figures of all calls of the days, and says how complete they are", async () => {
    using warehouse = makeWarehouse(CALLS);
    const book = await exportBook(warehouse, SEPTEMBER);
    expect(book.Headline?.slice(0, 3).map(([first]) => first?.shown)).toEqual([
      "Headline: 1 Sep 2026 to 30 Sep 2026",
      expect.stringContaining("Run 1 proved that it read every call."),
      undefined,
    ]);
    expect(headlineOf(book)).toEqual([
      ["Figure", "Calls of these days"],
      ["Calls", "40"],
      ["Answer rate", "70.00%"],
      ["Qualified calls", "22"],
      ["First-time callers", expect.stringMatching(/^\d+$/)],
      ["Missed calls", "12"],
    ]);
  });

  it("shows the changes, with their units, if the export compares", async () => {
    using warehouse = makeWarehouse(CALLS);
    const lines = headlineOf(await exportBook(warehouse, COMPARED));
    expect(lines[0]).toEqual(["Figure", "Calls of these days", "Before", "Change"]);
    expect(lines.filter(([name]) => name !== "First-time callers").slice(1)).toEqual([
      ["Calls", "40", "50", "-20.00%"],
      ["Answer rate", "70.00%", "60.00%", "+10.00 points"],
      ["Qualified calls", "22", "12", "+83.33%"],
      ["Missed calls", "12", "20", "-40.00%"],
    ]);
  });

  it("blanks what lies before the first call, as the other sheets do", async () => {
    using warehouse = makeWarehouse(CALLS.filter(({ call_id }) => call_id <= 100));
    const lines = headlineOf(await exportBook(warehouse, COMPARED));
    expect(lines[1]?.slice(0, 2)).toEqual(["Calls", "40"]);
    expect(lines.slice(1).flatMap(([, , before, change]) => [before, change])).not.toContainEqual(
      expect.anything(),
    );
  });

  it("shows the figures that are asked for, in their order, instead of the usual ones", async () => {
    using warehouse = makeWarehouse(CALLS);
    const columns = ["missed_calls", "unique_callers", "calls"] as const;
    expect(headlineOf(await exportBook(warehouse, { ...SEPTEMBER, columns: [...columns] }))).toEqual([
      ["Figure", "Calls of these days"],
      ["Missed calls", "12"],
      ["Unique callers", "40"],
      ["Calls", "40"],
    ]);
  });

  it("shows all costs, and those per call of campaigns with spend, as the page has them", async () => {
    using warehouse = makeWarehouse(CALLS);
    {
      using writer = openExistingWarehouse(warehouse.database);
      const rows = [
        { day: "2026-09-10", campaign: "Brand", cost_micros: 55_000_000 },
        { day: "2026-09-11", campaign: "Refund", cost_micros: -5_000_000 },
      ];
      storeSpend(
        writer,
        rows.map((row) => ({ source: "google", medium: "cpc", ...row })),
      );
    }
    const lines = headlineOf(await exportBook(warehouse, { ...SEPTEMBER, spend: true }));
    // Brand has 10 calls, of which 6 are qualified.
    expect(lines.slice(-3)).toEqual([
      ["Cost", "50.00 EUR"],
      ["Cost per call, of campaigns with spend", "5.50 EUR"],
      ["Cost per qualified call, of campaigns with spend", "9.17 EUR"],
    ]);
    const page = await warehouse.export({
      ...COMPARED,
      targets: [{ kind: "page" }],
      grain: "day",
      spend: true,
    });
    const html = readFileSync(join(page.folder, "report.html"), "utf8").replaceAll(/<[^>]*>/g, " ");
    for (const amount of ["50.00", "5.50", "9.17"]) expect(html.split(/\s+/)).toContain(amount);
  });

  it("a workbook of lists has the sheet Headline, of the calls that the filter lets through", async () => {
    using warehouse = makeWarehouse(CALLS);
    const filter = { campaign: ["Brand"] };
    const book = await exportBook(warehouse, { ...SEPTEMBER, targets: [{ kind: "calls" }], filter });
    expect(Object.keys(book)).toEqual(["Headline", "calls", "About"]);
    expect(headlineOf(book)[1]).toEqual(["Calls", "10"]);
  });

  it("a workbook of changed calls has no sheet Headline, whose figures would be of other calls, too", async () => {
    using warehouse = makeWarehouse(CALLS);
    const book = await exportBook(warehouse, {
      targets: [{ kind: "calls" }],
      changedSince: { afterMs: Date.parse("2026-01-01") },
    });
    expect(Object.keys(book)).toEqual(["calls", "About"]);
  });

  it("a share-safe workbook has no sheet Headline of fewer calls than min_cell", async () => {
    using warehouse = makeWarehouse(CALLS);
    const shared = (minCell: number) => exportBook(warehouse, { ...SEPTEMBER, minCell });
    expect(headlineOf(await shared(40))[1]).toEqual(["Calls", "40"]);
    expect(Object.keys(await shared(41))).toEqual(["channel", "About"]);
  });

  it("begins with the doubts about the figures", async () => {
    using warehouse = makeWarehouse(CALLS);
    warehouse.execute("UPDATE sync_runs SET verdict = 'unverified', verdict_reason = 'Calls moved.'");
    const [, first] = (await exportBook(warehouse, { ...SEPTEMBER, rules: DEFAULT_RULES })).Headline ?? [];
    expect(first?.[0]?.shown).toMatch(/^Doubt: /);
  });
});
