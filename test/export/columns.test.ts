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

  it("limits later restatements to the written figures, even in rows of zeros", async () => {
    using warehouse = makeWarehouse(CALLS);
    warehouse.execute(`INSERT INTO spend (day, source, medium, campaign, cost_micros, clicks, impressions, currency, file, imported_at)
      VALUES ('2026-09-02', 'google', 'cpc', 'Ghost', 5000000, 0, 100, 'USD', 'a.csv', '2026-09-03T00:00:00.000Z')`);
    const range = { from: "2026-09-01", to: "2026-09-20" };
    const asked: Target[] = [{ kind: "rollup", dimensions: ["campaign"] }];
    const write = async (columns?: Figure[]) => {
      const { manifest } = await warehouse.export({ targets: asked, range, spend: true, columns });
      return manifest.restatements?.rollups;
    };
    expect(await write(["clicks"])).toBeUndefined();
    expect(await write()).toMatchObject([{ restated_cells: 0 }]);
    await write(["answer_rate"]);
    warehouse.execute("UPDATE call_facts SET call_started = '2026-12-01T00:00:00.000Z' WHERE call_id = 3");
    expect(await write(["answer_rate"])).toMatchObject([{ restated_cells: 0 }]);
  });

  it("does not prevent counting the calls of small rows", async () => {
    using warehouse = makeWarehouse([
      ...CALLS,
      ...[4, 5, 6].map((call_id) => makeCall({ call_id, utm_source: `s${call_id}` })),
    ]);
    const { manifest } = await warehouse.export({ targets, columns: ["answer_rate"], minCell: 2 });
    expect(manifest.files).toMatchObject([{ rows_in_other: 4, calls_in_other: 4, sums: {} }]);
  });
});
