import { describe, expect, it } from "vitest";
import type { Figure } from "../../src/figures/metrics.ts";
import { makeWarehouse, type Target } from "../support/figures/produce-files.ts";
import { readLines } from "../support/figures/tables.ts";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";

const CALLS = [1, 2, 3].map((call_id) =>
  makeCall({ call_id, utm_source: call_id === 3 ? "bing" : "google", disposition: "ANSWERED", duration: 60 }),
);
const targets: Target[] = [{ kind: "rollup", dimensions: ["utm_source"] }];
/** Five dollars of a campaign that no call has. */
const GHOST_SPEND = `INSERT INTO spend (day, source, medium, campaign, cost_micros, clicks, impressions, currency, file, imported_at)
  VALUES ('2026-09-02', 'google', 'cpc', 'Ghost', 5000000, 0, 100, 'USD', 'a.csv', '2026-09-03T00:00:00.000Z')`;

describe("--columns", () => {
  it("selects figures in the given order, after the key and with their comparison", async () => {
    using warehouse = makeWarehouse(CALLS);
    const range = { from: "2026-09-01", to: "2026-09-30" };
    const columns: Figure[] = ["answer_rate", "calls"];
    const options = { targets, range, grain: "month", compare: "previous", total: true } as const;
    const { manifest } = await warehouse.export({ ...options, columns });
    const [header, ...rows] = readLines(readText(warehouse.folder, "utm_source.csv"));
    expect(header).toEqual([
      "period",
      "period_start",
      "previous_period",
      "utm_source",
      "answer_rate",
      "answer_rate_previous",
      "answer_rate_change",
      "calls",
      "calls_previous",
      "calls_change",
    ]);
    await warehouse.export(options);
    const [all = [], ...whole] = readLines(readText(warehouse.folder, "utm_source.csv"));
    const indexes = (header ?? []).map((name) => all.indexOf(name));
    expect(rows).toEqual(whole.map((row) => indexes.map((index) => row[index])));
    expect(Object.keys(manifest.files[0]?.sums ?? {})).toEqual(["calls", "calls_previous"]);
  });

  it.each(["xlsx", "json", "parquet"] as const)(
    "applies to %s, and to a file without calls",
    async (format) => {
      using warehouse = makeWarehouse(CALLS);
      const columns: Figure[] = ["unique_callers"];
      const { manifest } = await warehouse.export({ targets, columns, format: { format }, top: 1 });
      const [file] = manifest.files;
      expect(file?.sheets?.[0] ?? file).toMatchObject({ contents: "utm_source", rows: 2, sums: {} });
    },
  );

  it("does not prevent counting the calls of small rows", async () => {
    using warehouse = makeWarehouse([
      ...CALLS,
      ...[4, 5, 6].map((call_id) => makeCall({ call_id, utm_source: `s${call_id}` })),
    ]);
    const { manifest } = await warehouse.export({ targets, columns: ["answer_rate"], minCell: 2 });
    expect(manifest.files).toMatchObject([{ rows_in_other: 4, calls_in_other: 4, sums: {} }]);
  });
});

describe("--spend", () => {
  it("leaves costs out of the rollups that have none, and names these", async () => {
    using warehouse = makeWarehouse(CALLS);
    warehouse.execute(GHOST_SPEND);
    const rollups: Target[] = [
      { kind: "rollup", dimensions: ["source"] },
      { kind: "rollup", dimensions: ["referring_host"] },
      { kind: "rollup", dimensions: ["channel", "hour"] },
    ];
    const columns: Figure[] = ["calls", "cost"];
    const asked = { targets: rollups, columns, spend: true, total: true };
    const { manifest } = await warehouse.export(asked);
    const read = (file: string) => readLines(readText(warehouse.folder, file));
    expect(read("source.csv").map((row) => row.at(-1))).toEqual(["cost", "5.00", "", "5.00", "5.00"]);
    expect(read("referring_host.csv")).toEqual([
      ["referring_host", "calls"],
      ["(not set)", "3"],
      ["(total)", "3"],
    ]);
    expect(read("channel-hour.csv")[0]).toEqual(["channel", "hour", "calls"]);
    const marks = manifest.files.map(({ file, without_costs, with_spend_line }) => {
      return { file, without_costs, with_spend_line };
    });
    expect(marks).toEqual([
      { file: "source.csv", without_costs: undefined, with_spend_line: true },
      { file: "referring_host.csv", without_costs: true, with_spend_line: undefined },
      { file: "channel-hour.csv", without_costs: true, with_spend_line: undefined },
    ]);
    const { manifest: workbook } = await warehouse.export({ ...asked, format: { format: "xlsx" } });
    for (const { statements } of [manifest, workbook]) {
      const stated = statements.find(({ id }) => id === "files_without_costs");
      expect(stated?.values).toEqual({ rollups: "referring_host, channel-hour" });
    }
  });
});
