import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../src/base/errors.ts";
import { runRestated } from "../../../src/reports/due-report.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { startHook, TO_HOOK } from "../../reports/named-report.ts";
import { CALLS, due, type Named, named, SLOT } from "../../reports/weekly-report.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { readRows, storeRun } from "../../support/warehouses/warehouse.ts";

describe("runRestated", () => {
  let hook: Awaited<ReturnType<typeof startHook>>;
  beforeEach(async () => {
    hook = await startHook();
    return () => hook[Symbol.asyncDispose]();
  });

  const restated = ({ report, folder, context }: Named) =>
    runRestated(report, folder, { ...context, clock: new FakeClock("2026-11-18T12:00:00.000Z") });

  /** Syncs calls again with a change of the first. */
  function change({ database }: Named, disposition: string, verdict = "exact"): void {
    using warehouse = openExistingWarehouse(database);
    const at = "2026-11-18T11:00:00.000Z";
    const calls = CALLS.map((call, index) => (index === 0 ? { ...call, disposition } : call));
    storeRun(warehouse, calls, { startedAt: at, finishedAt: at });
    warehouse.sqlite.prepare("UPDATE sync_runs SET verdict = ?").run(verdict);
  }

  it("delivers a due report again if its figures changed, once", async () => {
    // When it is delivered again, the last six days are other ones.
    const content = { range: { last: "6d" }, deliver: TO_HOOK, on_restatement: "deliver" };
    using weekly = named(content, hook.secrets);
    expect(await restated(weekly)).toBe(EXIT.done);
    expect(existsSync(join(weekly.folder, "reports"))).toBe(false);
    await due(weekly);
    expect(await restated(weekly)).toBe(EXIT.done);
    expect(hook.bodies).toHaveLength(1);
    change(weekly, "BUSY");
    expect(await restated(weekly)).toBe(EXIT.done);
    expect(await restated(weekly)).toBe(EXIT.done);
    expect(hook.bodies).toHaveLength(2);
    const names = ["source.csv", "restatements.csv"];
    expect(hook.bodies[1]).toMatchObject({ files: names.map((name) => ({ name })) });
    expect(weekly.lines).toContainEqual(
      expect.objectContaining({ msg: "report made", restated: expect.any(Number) }),
    );
    expect(readRows(weekly.database, "SELECT scheduled_for, range_to FROM report_runs")).toEqual([
      { scheduled_for: SLOT, range_to: "2026-11-15" },
      { scheduled_for: null, range_to: "2026-11-15" },
    ]);
  });

  it("delivers nothing if no figure of the report changed", async () => {
    const content = { filter: { source: "bing" }, deliver: TO_HOOK, on_restatement: "deliver" };
    using weekly = named(content, hook.secrets);
    await due(weekly);
    change(weekly, "BUSY");
    expect(await restated(weekly)).toBe(EXIT.done);
    expect(hook.bodies).toHaveLength(1);
    expect(weekly.messages().filter((message) => message === "report made")).toHaveLength(2);
  });

  it("waits for a verified copy if the report requires one", async () => {
    const content = { require: "verified", deliver: TO_HOOK, on_restatement: "deliver" };
    using weekly = named(content, hook.secrets);
    await due(weekly);
    change(weekly, "BUSY", "probable");
    expect(await restated(weekly)).toBe(EXIT.done);
    expect(weekly.messages().at(-1)).toBe(
      "figures have changed: waiting for a sync that proves the copy complete",
    );
    expect(hook.bodies).toHaveLength(1);
    change(weekly, "BUSY");
    expect(await restated(weekly)).toBe(EXIT.done);
    expect(hook.bodies).toHaveLength(2);
    expect(readFileSync(join(weekly.folder, "reports/weekly/restatements.csv"), "utf8")).toContain("google");
  });
});
