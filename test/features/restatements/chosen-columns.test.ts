import { expect, it } from "vitest";
import type { Figure } from "../../../src/figures/metrics.ts";
import { makeWarehouse, type Target } from "../../support/figures/produce-files.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const CALLS = [1, 2, 3].map((call_id) =>
  makeCall({ call_id, utm_source: call_id === 3 ? "bing" : "google", disposition: "ANSWERED", duration: 60 }),
);

it("--columns limits later restatements to the written figures, even in rows of zeros", async () => {
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
