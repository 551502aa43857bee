import { expect, it } from "vitest";
import { summarizeRun } from "../../../src/cli/terminal/run-summary.ts";
import { readLastDoneRun } from "../../../src/warehouse/runs/runs.ts";
import { newWarehouse, storeRun } from "../../support/warehouses/warehouse.ts";

it("the summary of a run has each count at its own word", () => {
  using warehouse = newWarehouse();
  storeRun(warehouse, [], { startedAt: "2026-11-20T10:00:00.000Z", finishedAt: "2026-11-20T10:05:00.000Z" });
  const words = {
    new: "calls_new",
    changed: "calls_changed",
    unchanged: "calls_unchanged",
    rejected: "calls_rejected",
    missing: "calls_missing",
    gone: "calls_gone",
    unlisted: "calls_unlisted",
    returned: "calls_returned",
    WITHHELD: "calls_withheld",
    twice: "calls_conflicting",
    unit: "calls_other_unit",
    resumed: "resumed",
    retries: "retries",
    page: "page_rows",
  } as const;
  const counts = Object.entries(words).map(([word, column], index) => ({ word, column, count: 701 + index }));
  const set = counts.map(({ column, count }) => `${column} = ${count}`);
  warehouse.sqlite.exec(`UPDATE sync_runs SET calls_read = 651, last_total = 652, ${set.join()}`);
  const run = readLastDoneRun(warehouse);
  if (run === undefined) throw new Error("There is no run");
  const lines = summarizeRun(run).split("\n");
  expect(lines.find((line) => line.startsWith("  read "))).toMatch(/ 651 {3}the service counts 652$/);
  const shown = lines.flatMap((line) => {
    const [, word = "", count] = /^ {2}(\w+) +(\d+)(?: |$)/.exec(line) ?? [];
    return word in words ? [[word, Number(count)]] : [];
  });
  expect(shown).toEqual(counts.map(({ word, count }) => [word, count]));
});
