import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/base/errors.ts";
import { runDue } from "../../src/reports/due-report.ts";
import { makeReport } from "../../src/reports/make-report.ts";
import { tryAcquireLock } from "../../src/warehouse/file/lock.ts";
import { openExistingWarehouse } from "../../src/warehouse/file/open.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { settingsFor } from "../support/run.ts";
import { rowsOf, startRowService, TOKEN } from "../support/services/call-service.ts";
import { FULL_CALL } from "../support/warehouses/calls.ts";
import { readRows, storeRun } from "../support/warehouses/warehouse.ts";
import { nameReport, startHook, TO_HOOK } from "./named-report.ts";
import { CALLS, due, MONDAYS, NOW, named, SLOT } from "./weekly-report.ts";

/** Nobody is there: the lock keeps each sync from starting. */
const NO_SERVICE = settingsFor({ url: "http://127.0.0.1:9", token: "t0ken" });

describe("runDue", () => {
  it.each([
    ["UTC", "2026-11-16T06:59:59.000Z", "2026-11-09T07:00:00.000Z", "2026-11-08"],
    ["UTC", SLOT, SLOT, "2026-11-15"],
    ["America/Los_Angeles", "2026-11-16T14:59:00.000Z", "2026-11-09T15:00:00.000Z", "2026-11-08"],
    ["Pacific/Kiritimati", "2026-11-15T17:00:00.000Z", "2026-11-15T17:00:00.000Z", "2026-11-15"],
  ])("makes a report once for its last slot in %s at %s", async (timezone, now, slot, sunday) => {
    using weekly = nameReport(
      { contents: ["channel"], range: { last: "1d" }, folder: "{from}", cron: MONDAYS },
      { calls: CALLS, env: { CALLTALLY_TIMEZONE: timezone } },
    );
    expect(await due(weekly, now)).toBe(EXIT.done);
    expect(readRows(weekly.database, "SELECT scheduled_for, status, folder FROM report_runs")).toEqual([
      { scheduled_for: slot, status: "done", folder: join(weekly.folder, sunday) },
    ]);
    const files = [{ file: "channel.csv", rows: expect.any(Number) }];
    expect(weekly.lines[0]).toMatchObject({
      level: 30,
      msg: "report made",
      scheduledFor: slot,
      folder: join(weekly.folder, sunday),
      files,
      verdict: "exact",
    });
    expect(await due(weekly, now)).toBe(EXIT.done);
    expect(weekly.lines.at(-1)).toEqual({
      level: 30,
      msg: "this report run is already done",
      scheduledFor: slot,
    });
    expect(readRows(weekly.database, "SELECT 1 FROM report_runs")).toHaveLength(1);
  });

  it.each([
    ["fresh calls", { fresh: "1h" }, "incremental"],
    ["a proven copy", { require: "verified", deliver: [{ command: ["true"] }] }, "full"],
  ] as const)("a report that requires %s syncs first, %o: %s", async (_, content, mode) => {
    await using service = await startRowService(rowsOf(1, 200));
    const { finished_at } = await service.sync();
    using weekly = nameReport(
      { contents: ["channel"], range: { last: "1w" }, cron: MONDAYS, ...content },
      {
        calls: null,
        env: {
          ...settingsFor({ url: String(service.url), token: TOKEN }),
          CALLTALLY_DATABASE: service.database,
        },
      },
    );
    if ("require" in content) {
      using warehouse = openExistingWarehouse(service.database);
      warehouse.sqlite.exec("UPDATE sync_runs SET verdict = 'probable'");
    }
    const clock = new FakeClock(new Date(Date.parse(String(finished_at)) + 2 * 3_600_000).toISOString());
    await runDue(weekly.report, MONDAYS, weekly.folder, { ...weekly.context, clock });
    expect(service.read("SELECT mode FROM sync_runs ORDER BY run_id")).toEqual([{ mode: "full" }, { mode }]);
  });

  it("makes a report with the calls of a sync that it waited for", async () => {
    using weekly = nameReport(
      { contents: ["channel"], range: { last: "1w" }, fresh: "2h", cron: MONDAYS },
      { calls: CALLS, finishedAt: "2026-11-16T01:00:00.000Z", env: NO_SERVICE },
    );
    const clock = new FakeClock(NOW);
    const lock = tryAcquireLock(weekly.database);
    clock.onSleep = () => {
      using warehouse = openExistingWarehouse(weekly.database);
      const more = [4, 5].map((call_id) => ({
        ...FULL_CALL,
        call_id,
        call_started: "2026-11-11T10:00:00.000Z",
      }));
      storeRun(warehouse, more, { startedAt: NOW, finishedAt: NOW });
      lock?.[Symbol.dispose]();
    };
    const code = await runDue(weekly.report, MONDAYS, weekly.folder, { ...weekly.context, clock });
    expect(code).toBe(EXIT.done);
    expect(weekly.messages().slice(0, 2)).toEqual([
      "another process syncs this warehouse: waiting for it",
      "report made",
    ]);
    expect(clock.sleeps).toEqual([2000]);
    expect(readRows(weekly.database, "SELECT is_stale FROM report_runs")).toEqual([{ is_stale: 0 }]);
    const file = readFileSync(join(weekly.folder, "reports/weekly/channel.csv"), "utf8");
    expect(file).toMatch(/^Paid Search,2,/m);
  });

  it("logs statements for readers, and each delivery with its result", async () => {
    await using hook = await startHook(404, ...Array(3).fill(503));
    const secrets = { ...hook.secrets, "other.url": hook.secrets["hook.url"].replace("secret", "other") };
    const deliver = [...TO_HOOK, { webhook: { url_file: "other.url" } }, { command: ["true"] }];
    using weekly = named({ deliver }, secrets);
    expect(await due(weekly)).toBe(EXIT.undelivered);
    const of = (level: number, line: object) => ({ level, msg: "delivery", ...line });
    expect(weekly.lines.filter(({ msg }) => msg === "delivery")).toEqual(
      expect.arrayContaining([
        of(30, { channel: "command", status: "delivered", attempts: 1 }),
        of(40, { channel: "webhook", status: "pending", attempts: 3, error: expect.stringMatching(/503$/) }),
        of(50, { channel: "webhook", status: "failed", attempts: 1, error: expect.stringMatching(/404$/) }),
      ]),
    );
    expect(weekly.lines).toContainEqual(expect.objectContaining({ level: 40, caution: "provisional" }));
  });

  it.each([
    [undefined, "`calltally run weekly --deliver`"],
    ["acme", "`calltally run weekly --deliver --account acme`"],
  ])("exits with 9 until a manual run reaches everybody (account %s)", async (account, command) => {
    await using hook = await startHook(404, 404);
    const deliver = [...TO_HOOK, { command: ["false"] }, { command: ["test", "-e", "mended"] }];
    using weekly = named({ deliver }, hook.secrets, account);
    expect(await due(weekly)).toBe(EXIT.undelivered);
    const logged = weekly.lines.length;
    expect(await due(weekly)).toBe(EXIT.undelivered);
    expect(weekly.lines.slice(logged)).toEqual([
      {
        level: 50,
        scheduledFor: SLOT,
        report_run_id: 1,
        exitCode: EXIT.undelivered,
        hint: `${command} makes a new report run and sends it to all; the table deliveries names the recipients`,
        msg: "this report run is already done, but not delivered to all: webhook failed, command failed, command failed",
      },
    ]);
    const content = { ...weekly.report.content, deliver: TO_HOOK };
    const byHand = { scheduledFor: null, isDelivered: true, workingFolder: weekly.folder };
    const { signal } = weekly.context;
    for (const exit of [EXIT.undelivered, EXIT.done]) {
      await makeReport({ ...weekly.report, content }, { ...byHand, signal, clock: new FakeClock(NOW) });
      expect(await due(weekly)).toBe(exit);
    }
  });
});
