import { describe, expect, it } from "vitest";
import { makeReport } from "../../src/reports/make-report.ts";
import { isStale } from "../../src/reports/requirements.ts";
import { syncFirst } from "../../src/reports/sync-first.ts";
import { beginWarehouse } from "../../src/warehouse/file/begin.ts";
import { tryAcquireLock } from "../../src/warehouse/file/lock.ts";
import { openExistingWarehouse } from "../../src/warehouse/file/open.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { settingsFor } from "../support/run.ts";
import { newestFirst, startCallService } from "../support/services/call-service.ts";
import { text } from "../support/services/server.ts";
import { readColumn } from "../support/warehouses/warehouse.ts";
import { nameReport } from "./named-report.ts";

const NOW = "2026-11-20T09:00:00.000Z";
const WEEKLY = { contents: ["channel"], deliver: [{ command: ["true"] }] };

it.each([
  [undefined, "2026-01-01T00:00:00.000Z", false],
  ["2h", "2026-11-20T07:00:00.000Z", false],
  ["2h", "2026-11-20T06:59:59.999Z", true],
  ["2h", "2026-11-20T09:05:00.000Z", true],
  ["2h", null, true],
])("isStale: with fresh %s and a sync at %s, %s", (fresh, finishedAt, expected) => {
  using named = nameReport({ ...WEEKLY, ...(fresh && { fresh }) }, { calls: null });
  expect(isStale(finishedAt, named.report, Date.parse(NOW))).toBe(expected);
});

it("a withheld report gets the advice for its doubt: a full pass does not make rows readable", async () => {
  using named = nameReport({ ...WEEKLY, require: "verified" });
  {
    using warehouse = openExistingWarehouse(named.database);
    const insert = warehouse.sqlite.prepare("INSERT INTO rejected_calls VALUES (?, ?, '{}', '', '', 1, 1)");
    for (let id = 100; id < 111; id++) insert.run(`id:${id}`, id);
  }
  const options = { scheduledFor: null, isDelivered: true, workingFolder: named.folder };
  await expect(makeReport(named.report, { ...options, signal: named.context.signal })).rejects.toMatchObject({
    message: expect.stringContaining("requires a proven copy: 11 rows of the service"),
    hint: expect.stringMatching(/^See them with `calltally status`.+without --deliver/),
  });
});

describe("syncFirst", () => {
  const MINUTE_MS = 60_000;

  /** A report of a service, and the modes of its warehouse's syncs after it was refreshed on a clock. */
  async function startReport(content: object) {
    const service = await startCallService(newestFirst(9));
    const env = { ...settingsFor({ url: service.url.href, token: "t0ken" }), CALLTALLY_LIMIT: "3" };
    const named = nameReport({ ...WEEKLY, ...content }, { calls: null, env });
    const { report, database, context } = named;
    beginWarehouse(database);
    const clock = new FakeClock(NOW);
    const stop = new AbortController();
    return {
      ...named,
      service,
      clock,
      stop,
      refresh: async (): Promise<unknown[]> => {
        await syncFirst(report, { ...context, signal: stop.signal, clock });
        return readColumn(database, "SELECT mode FROM sync_runs ORDER BY run_id");
      },
      [Symbol.asyncDispose]: async () => {
        await service[Symbol.asyncDispose]();
        named[Symbol.dispose]();
      },
    };
  }

  it.each([
    [{}, 0, [], []],
    [{ fresh: "2h" }, 120, ["full"], ["full"]],
    [{ fresh: "2h" }, 121, ["full"], ["full", "full"]],
    [{ require: "verified" }, 10_000, ["full"], ["full"]],
    [{ require: "verified", fresh: "2h" }, 121, ["full"], ["full", "full"]],
  ])("with %o and %i minutes between, syncs %j and then %j", async (content, minutes, first, second) => {
    await using weekly = await startReport(content);
    expect(await weekly.refresh()).toEqual(first);
    weekly.clock.advance(minutes * MINUTE_MS);
    expect(await weekly.refresh()).toEqual(second);
  });

  it.each([
    ["probable", "verified"],
    ["unverified", "verified"],
    ["unverified", undefined],
  ])("syncs after a %s run if %s is required, or if no good run is fresh", async (verdict, require) => {
    await using weekly = await startReport({ fresh: "2h", ...(require && { require }) });
    await weekly.refresh();
    {
      using warehouse = openExistingWarehouse(weekly.database);
      warehouse.sqlite.prepare("UPDATE sync_runs SET verdict = ?").run(verdict);
    }
    expect(await weekly.refresh()).toEqual(["full", "full"]);
    expect(await weekly.refresh()).toEqual(["full", "full"]);
  });

  it("continues with old calls if the sync fails, and logs why", async () => {
    await using weekly = await startReport({ fresh: "2h" });
    weekly.service.disturb = () => text("{}", 401);
    expect(await weekly.refresh()).toEqual(["full"]);
    expect(weekly.lines).toEqual([
      { level: 40, msg: expect.stringMatching(/^the sync before the report failed: .*401/) },
    ]);
  });

  it("waits for another process's sync", async () => {
    await using weekly = await startReport({ fresh: "2h" });
    const lock = tryAcquireLock(weekly.database);
    weekly.clock.onSleep = () => weekly.clock.sleeps.length === 3 && lock?.[Symbol.dispose]();
    expect(await weekly.refresh()).toEqual(["full"]);
    expect(weekly.clock.sleeps).toEqual([2000, 2000, 2000]);
    expect(weekly.messages()).toEqual(["another process syncs this warehouse: waiting for it"]);
  });

  it("waits at most twenty minutes, and stops at its signal", async () => {
    await using weekly = await startReport({ fresh: "2h" });
    using _lock = tryAcquireLock(weekly.database);
    // Each attempt takes real time, too.
    weekly.clock.onSleep = () => weekly.clock.advance(58_000);
    expect(await weekly.refresh()).toEqual([]);
    expect(weekly.clock.sleeps).toHaveLength(20);
    weekly.clock.onSleep = () => weekly.stop.abort(new Error("stopped"));
    await expect(weekly.refresh()).rejects.toThrow("stopped");
    expect(weekly.clock.sleeps).toHaveLength(21);
  });
});
