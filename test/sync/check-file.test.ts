import { describe, expect, it } from "vitest";
import { checkFile } from "../../src/sync/check-file.ts";
import { startRun, updateRun } from "../../src/warehouse/runs/runs.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";

const NOW = "2026-11-20T15:00:00.000Z";
const AN_HOUR_AGO = "2026-11-20T14:00:00.000Z";
const clock = new FakeClock(NOW);
const STARTED = { started_at: AN_HOUR_AGO, mode: "full", plan_reason: "a test", pid: 1 } as const;

describe("checkFile", () => {
  it.each([
    { title: "there was no run yet", status: undefined, checked: null, hours: 168, isDue: true },
    {
      title: "the last run ended cleanly, just before",
      status: "done",
      checked: NOW,
      hours: 168,
      isDue: false,
    },
    { title: "it was stopped", status: "interrupted", checked: NOW, hours: 168, isDue: false },
    { title: "it failed", status: "failed", checked: NOW, hours: 168, isDue: true },
    { title: "it was killed", status: "running", checked: NOW, hours: 168, isDue: true },
    { title: "the file was never checked", status: "done", checked: null, hours: 168, isDue: true },
    { title: "a check is just due", status: "done", checked: AN_HOUR_AGO, hours: 1, isDue: true },
    {
      title: "a check is almost due",
      status: "done",
      checked: "2026-11-20T14:00:00.001Z",
      hours: 1,
      isDue: false,
    },
    { title: "a check is always due", status: "done", checked: NOW, hours: 0, isDue: true },
    {
      title: "the clock was set back",
      status: "done",
      checked: "2026-11-20T15:01:00.001Z",
      hours: 9,
      isDue: true,
    },
  ] as const)("a check is due when $title: $isDue", async ({ status, checked, hours, isDue }) => {
    using warehouse = newWarehouse();
    if (status !== undefined) {
      // An earlier run, which does not matter.
      updateRun(warehouse, startRun(warehouse, STARTED), { status: "done" });
      updateRun(warehouse, startRun(warehouse, STARTED), { status, file_checked_at: checked });
    }
    expect(await checkFile(warehouse, { clock, checkEveryHours: hours })).toBe(isDue ? NOW : undefined);
  });

  it("considers the status of the last run only, and the last check of any run", async () => {
    using warehouse = newWarehouse();
    updateRun(warehouse, startRun(warehouse, STARTED), { status: "failed", file_checked_at: NOW });
    updateRun(warehouse, startRun(warehouse, STARTED), { status: "done" });
    expect(await checkFile(warehouse, { clock, checkEveryHours: 168 })).toBeUndefined();
  });

  it("checks the structure only, not references between rows", async () => {
    using warehouse = newWarehouse();
    warehouse.sqlite.pragma("foreign_keys = OFF");
    warehouse.sqlite.exec("INSERT INTO transcripts (call_id) VALUES (417)");
    expect(await checkFile(warehouse, { clock, checkEveryHours: 168 })).toBe(NOW);
  });

  it("refuses a damaged file, with a hint", async () => {
    using warehouse = newWarehouse();
    // Like a flipped bit: a column that may not be null is null.
    warehouse.sqlite.unsafeMode().exec(
      `CREATE TABLE torn (a INTEGER); INSERT INTO torn VALUES (NULL);
       PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = 'CREATE TABLE torn (a INTEGER NOT NULL)' WHERE name = 'torn';
       PRAGMA writable_schema = RESET`,
    );
    await expect(checkFile(warehouse, { clock, checkEveryHours: 168 })).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot use ${warehouse.path}: the file is damaged: NULL value in torn.a`,
      hint: expect.stringMatching(/^No backup of it is known here\. .*`calltally restore` a backup/),
    });
  });
});
