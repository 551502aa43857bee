import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { importOutcomes } from "../../../src/features/outcomes/import-outcomes.ts";
import { OUTCOME_LEDGER, readOutcomeImports } from "../../../src/features/outcomes/outcome-imports.ts";
import { readRestatements } from "../../../src/features/restatements/restatement-table.ts";
import { removeImport } from "../../../src/intake/ledger.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { draws } from "../../support/draws.ts";
import { clockAt, makeWarehouse, RUN_FINISHED_AT } from "../../support/figures/produce-files.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeCalls } from "../../support/warehouses/warehouse.ts";

type Account = ReturnType<typeof makeWarehouse>;

const callOf = (call_id: number, members: Partial<Call> = {}) =>
  makeCall({
    call_id,
    utm_source: "google",
    call_started: `2026-08-${String(call_id).padStart(2, "0")}T12:00:00.000Z`,
    ...members,
  });

/** @param jobs lines of job id, call id, stage, amount */
function importJobs({ database, folder }: Account, ...jobs: string[]): void {
  const file = join(folder, "..", "jobs.csv");
  writeFileSync(file, ["job_id,call_id,stage,amount", ...jobs, ""].join("\n"));
  const own = { database, currency: undefined, timezone: "UTC" };
  importOutcomes(own, [file], { source: "jobs", named: "EUR", withinDays: 30, map: {}, stages: new Map() });
}

function removeLast({ database }: Account): void {
  using warehouse = openExistingWarehouse(database);
  const last = readOutcomeImports(warehouse).find(({ rows, removed_at }) => rows > 0 && removed_at === null);
  if (last !== undefined)
    removeImport(warehouse, OUTCOME_LEDGER, { number: last.number, removedAt: RUN_FINISHED_AT });
}

function store({ database }: Account, ...calls: Call[]): void {
  using warehouse = openExistingWarehouse(database);
  storeCalls(warehouse, calls);
}

let exports = 0;

async function exportSources(account: Account, revenueBy: "call" | "job-date" = "call"): Promise<void> {
  await account.export({
    targets: [{ kind: "rollup", dimensions: ["source"] }],
    outcomes: true,
    revenueBy,
    grain: "month",
    clock: clockAt(Date.parse(RUN_FINISHED_AT) + ++exports * 1000),
  });
}

function readFound({ database }: Account) {
  using warehouse = openExistingWarehouse(database);
  return readRestatements(warehouse).map(({ key, metric, change, reasons }) => ({
    cell: `${key.source} ${metric}`,
    change,
    reasons,
  }));
}

/** Reasons as [reason, calls, effect] sorted by name, by figure. */
const reasonsOf = (account: Account) =>
  Object.fromEntries(
    readFound(account).map(({ cell, reasons }) => [
      cell,
      reasons.map(({ reason, calls, effect }) => [reason, calls, effect]).sort(),
    ]),
  );

describe("restatements of outcomes", () => {
  it("name the calls whose jobs changed", async () => {
    using account = makeWarehouse([callOf(1), callOf(2), callOf(3)]);
    importJobs(account, "A,1,sold,100", "B,2,booked,");
    await exportSources(account);
    importJobs(account, "A,1,sold,130", "B,2,sold,20", "C,2,sold,1", "D,3,lost,");
    await exportSources(account);
    expect(reasonsOf(account)).toEqual({
      "google sold_calls": [["outcomes_changed", 1, 1]],
      "google revenue": [["outcomes_changed", 2, 51]],
      "google revenue_per_call": [["outcomes_changed", 2, null]],
    });
  });

  it("divide a change among calls and jobs", async () => {
    using account = makeWarehouse([callOf(1), callOf(2), callOf(3, { utm_source: "bing" })]);
    importJobs(account, "A,1,sold,100", "B,2,sold,40", "C,3,sold,7");
    await exportSources(account);
    importJobs(account, "B,2,sold,50");
    store(account, callOf(2, { utm_source: "bing" }));
    importJobs(account, "B,2,sold,45");
    account.markGone(1, RUN_FINISHED_AT);
    await exportSources(account);
    const found = reasonsOf(account);
    expect(found["google revenue"]).toEqual([
      ["corrected", 1, -50],
      ["gone", 1, -100],
      ["outcomes_changed", 1, 10],
    ]);
    expect(found["bing revenue"]).toEqual([
      ["corrected", 1, 50],
      ["outcomes_changed", 1, -5],
    ]);
    expect(found["bing sold_calls"]).toEqual([["corrected", 1, 1]]);
  });

  it("name removed imports", async () => {
    using account = makeWarehouse([callOf(1)]);
    importJobs(account, "Z,1,sold,1");
    importJobs(account, "A,1,sold,100");
    await exportSources(account);
    removeLast(account);
    await exportSources(account);
    expect(reasonsOf(account)["google revenue"]).toEqual([["outcomes_changed", 1, -100]]);
  });

  it("name all possible reasons by the dates of jobs", async () => {
    using account = makeWarehouse([callOf(1), callOf(2)]);
    importJobs(account, "A,1,sold,100", "B,2,sold,40");
    await exportSources(account, "job-date");
    importJobs(account, "A,1,sold,130");
    await exportSources(account, "job-date");
    expect(reasonsOf(account)["google revenue"]).toEqual([["outcomes_changed", null, 30]]);
  });

  it("report no changed revenue when the last call of the range comes later than a job by date", async () => {
    using account = makeWarehouse([callOf(1), callOf(2)]);
    const file = join(account.folder, "..", "dated.csv");
    writeFileSync(
      file,
      "job_id,call_id,date,stage,amount\nA,1,2026-08-20,sold,30\nB,2,2026-09-15,sold,500\n",
    );
    const own = { database: account.database, currency: undefined, timezone: "UTC" };
    importOutcomes(own, [file], { source: "jobs", named: "EUR", withinDays: 60, map: {}, stages: new Map() });
    await exportSources(account, "job-date");
    store(account, callOf(9, { call_started: "2026-09-28T12:00:00.000Z" }));
    store(account, callOf(2, { disposition: "BUSY" }));
    await exportSources(account, "job-date");
    const cells = readFound(account).map(({ cell }) => cell);
    expect(cells.toSorted()).toEqual(["google missed_calls", "google other_calls"]);
  });

  it("add up to the change after any sequence of events", async () => {
    const id = fc.integer({ min: 1, max: 6 });
    const source = fc.constantFrom("google", "bing");
    const job = fc
      .tuple(fc.constantFrom("A", "B", "C", "D"), id, fc.constantFrom("sold", "booked", "lost"), fc.nat(200))
      .map(([name, call, stage, amount]) => `${name},${call},${stage},${amount}`);
    const step = fc.oneof(
      fc
        .array(job, { minLength: 1, maxLength: 4 })
        .map((jobs) => (account: Account) => importJobs(account, ...jobs)),
      fc.tuple(id, source).map(
        ([call, utm_source]) =>
          (account: Account) =>
            store(account, callOf(call, { utm_source })),
      ),
      id.map((call) => (account: Account) => account.markGone(call, RUN_FINISHED_AT)),
      fc.constant(removeLast),
    );
    let restated = 0;
    const check = async (before: readonly ((account: Account) => void)[], after: typeof before) => {
      using account = makeWarehouse([callOf(1), callOf(2), callOf(3, { utm_source: "bing" })]);
      importJobs(account, "Z,3,sold,1"); // figures without any currency are not compared
      for (const apply of before) apply(account);
      await exportSources(account);
      for (const apply of after) apply(account);
      await exportSources(account);
      for (const { cell, change, reasons } of readFound(account)) {
        if (!/ (booked_calls|sold_calls|revenue)$/.test(cell)) continue;
        restated++;
        const sum = reasons.reduce((total, { effect }) => total + (effect ?? Number.NaN), 0);
        expect(sum, `${cell}: ${JSON.stringify(reasons)}`).toBeCloseTo(change ?? Number.NaN);
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 4 }), fc.array(step, { maxLength: 6 }), check),
      {
        numRuns: draws(60),
      },
    );
    expect(restated).toBeGreaterThan(5);
  });
});
