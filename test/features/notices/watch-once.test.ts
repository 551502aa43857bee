import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import {
  endNotice,
  insertNotice,
  readAllNotices,
  readNotices,
} from "../../../src/features/notices/notice-table.ts";
import { stopWatching, watchCalls } from "../../../src/features/notices/watch-calls.ts";
import { readRun, type SyncRun, updateRun } from "../../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeSpend } from "../../support/warehouses/spend.ts";
import { locked, markGone, newWarehouse, storeRun } from "../../support/warehouses/warehouse.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = Date.parse("2026-11-19T00:20:00.000Z");
const iso = (hoursAgo: number) => new Date(NOW_MS - hoursAgo * HOUR_MS).toISOString();
const HOUR = "2026-11-19T00:00:00.000Z";

/** Calls to two numbers and of two campaigns in each hour of ten weeks; the first ones end 30 hours ago. */
const CALLS: readonly Call[] = Array.from({ length: 70 * 24 }, (_, hour) => hour + 0.5).flatMap(
  (ago, index) => {
    const of = (first: number, tracking_number: string, campaign: string) =>
      makeCall({
        call_id: 4 * index + first,
        call_started: iso(ago),
        tracking_number,
        utm_source: "google",
        campaign_name: campaign,
      });
    return [
      ...(ago > 30 ? [of(1, "+1", "Winter"), of(2, "+3", "Brand")] : [of(2, "+3", "Winter")]),
      of(3, "+2", "Winter"),
    ];
  },
);

/** Forty calls at a time. */
const callsAt = (hoursAgo: number, firstId = 1) =>
  Array.from({ length: 40 }, (_, index) =>
    makeCall({ call_id: firstId + index, call_started: iso(hoursAgo), tracking_number: "+1" }),
  );

let stored: Buffer | undefined;

/** A warehouse of these calls: from a sync that read them, after one that read none. */
function openCalls(): Warehouse & { folder: string } {
  if (stored === undefined) {
    using warehouse = newWarehouse();
    storeRun(warehouse, [], { startedAt: iso(80 * 24), finishedAt: iso(80 * 24) });
    storeRun(warehouse, CALLS, { startedAt: iso(0), finishedAt: iso(0) });
    warehouse.sqlite.pragma("wal_checkpoint(TRUNCATE)");
    stored = readFileSync(warehouse.path);
  }
  return newWarehouse([], stored);
}

function watch(warehouse: Warehouse, runId = 2, nowMs = NOW_MS) {
  const news: object[] = [];
  const run = readRun(warehouse, runId);
  if (run === undefined) throw new Error(`There is no run ${runId}`);
  const watched = watchCalls(locked(warehouse), run, {
    timezone: "UTC",
    nowMs,
    onNotice: ({ data }) => news.push(data),
  });
  return { watched, news };
}

/** Judges again after a third sync, an hour later, that read no calls. */
function watchNextHour(warehouse: Warehouse) {
  storeRun(warehouse, [], { startedAt: iso(-1), finishedAt: iso(-1) });
  return watch(warehouse, 3);
}

const NOTICE = {
  notice_id: 1,
  dimension: "tracking_number" as const,
  key: { tracking_number: "+1" },
  kind: "silent" as const,
  since: "2026-11-17T18:00:00.000Z",
  calls: 0,
  expected: 30,
  judged_until: HOUR,
  news: 1,
  noticed_at: iso(0),
  run_id: 2,
  ended_at: null,
  end_reason: null,
  end_noticed_at: null,
};

describe("watchCalls", () => {
  it("stores a notice, reports it once, and judges each hour once", () => {
    using warehouse = openCalls();
    const { watched, news } = watch(warehouse);
    expect(watched.judged_until).toBe(HOUR);
    expect(news).toEqual([NOTICE]);
    expect(readAllNotices(warehouse)).toEqual([NOTICE]);
    storeRun(warehouse, [], { startedAt: iso(-0.5), finishedAt: iso(-0.5) });
    expect(watch(warehouse, 3)).toMatchObject({ watched: { judged_until: null }, news: [] });
    storeRun(warehouse, [], { startedAt: iso(-1), finishedAt: iso(-1) });
    expect(watch(warehouse, 4)).toMatchObject({
      watched: { judged_until: "2026-11-19T01:00:00.000Z" },
      news: [],
    });
  });

  it.each<[what: string, run: Partial<SyncRun>, judged: string | null]>([
    ["withheld calls", { calls_withheld: 1 }, null],
    ["rejected rows", { calls_rejected: 11, calls_read: 1000 }, null],
    ["few rejected rows", { calls_rejected: 10, calls_read: 1000, calls_withheld: 0 }, HOUR],
    ["an unverified run", { verdict: "unverified" }, null],
    ["a service whose clock is ahead", { clock_ahead_ms: 2 * HOUR_MS }, "2026-11-19T02:00:00.000Z"],
    ["a run that began late in an hour", { started_at: iso(0.1) }, "2026-11-18T23:00:00.000Z"],
    ["a run that began a quarter past", { started_at: "2026-11-19T00:15:00.000Z" }, HOUR],
  ])("judges up to the hour that was read: with %s", (_, run, judged) => {
    using warehouse = openCalls();
    updateRun(warehouse, 2, run);
    expect(watch(warehouse).watched.judged_until).toBe(judged);
  });

  it("judges again after an earlier run with a wrong clock", () => {
    using warehouse = openCalls();
    updateRun(warehouse, 1, { judged_until: "2027-01-01T00:00:00.000Z" });
    expect(watch(warehouse).watched.judged_until).toBe(HOUR);
  });

  it("judges nothing after an earlier run or with few recent calls", () => {
    using warehouse = openCalls();
    expect(watch(warehouse, 1).watched.judged_until).toBeNull();
    storeRun(warehouse, [], { startedAt: iso(-1), finishedAt: iso(-1) });
    expect(watch(warehouse, 2).watched.judged_until).toBeNull();
    using few = newWarehouse();
    storeRun(few, [], { startedAt: iso(500), finishedAt: iso(500) });
    const recent = CALLS.slice(0, 19);
    storeRun(few, recent, { startedAt: iso(0), finishedAt: iso(0) });
    expect(watch(few).watched.judged_until).toBeNull();
    storeRun(few, CALLS.slice(19, 20), { startedAt: iso(0), finishedAt: iso(0) });
    expect(watch(few, 3).watched.judged_until).not.toBeNull();
  });

  it.each([
    ["2.5 hours", 2.5, "2026-11-18T21:00:00.000Z"],
    ["at most a day, if it lists calls later still", 30, "2026-11-18T00:00:00.000Z"],
  ])("waits as long as the service lists calls late: %s", (_, late, judged) => {
    using warehouse = newWarehouse();
    storeRun(warehouse, [], { startedAt: iso(3), finishedAt: iso(3) });
    storeRun(warehouse, callsAt(3 + late), { startedAt: iso(0), finishedAt: iso(0) });
    expect(watch(warehouse).watched.judged_until).toBe(judged);
  });

  it("does not wait if the service listed calls late more than two weeks ago", () => {
    using warehouse = newWarehouse();
    const run = (hoursAgo: number, calls: Call[]) =>
      storeRun(warehouse, calls, { startedAt: iso(hoursAgo), finishedAt: iso(hoursAgo) });
    run(15 * 24, []);
    run(14 * 24 + 23, callsAt(15 * 24 + 2.5));
    run(5, []);
    run(0, callsAt(4, 41));
    expect(watch(warehouse, 4).watched.judged_until).toBe(HOUR);
  });

  it("ends notices and records their start", () => {
    using warehouse = openCalls();
    const many = {
      ...NOTICE,
      kind: "few",
      key: '{"tracking_number":"+2"}',
      since: iso(100),
      run_id: 1,
    } as const;
    const { notice_id: _, news: __, ...given } = many;
    writeTransaction(warehouse, (tx) => insertNotice(tx, given));
    const { news } = watch(warehouse);
    expect(news).toMatchObject([
      { notice_id: 2, kind: "silent" },
      {
        notice_id: 1,
        ended_at: expect.stringMatching(/:00:00\.000Z$/),
        end_reason: "as before",
        end_noticed_at: iso(0),
      },
    ]);
    expect(watchNextHour(warehouse).news).toEqual([]);
  });

  it.each([
    [100, [{ ...NOTICE, notice_id: 2, news: 3 }]],
    [1, []],
  ])("neither compares nor judges the time of a notice that ended %i hours ago", (endedAgo, expected) => {
    using warehouse = openCalls();
    const { notice_id: _, news: __, ...given } = NOTICE;
    writeTransaction(warehouse, (tx) => {
      insertNotice(tx, { ...given, key: '{"tracking_number":"+1"}', since: iso(200), run_id: 1 });
      const end = { ended_at: iso(endedAgo), end_reason: "calls again", end_noticed_at: iso(0) } as const;
      endNotice(tx, 1, end);
    });
    expect(watch(warehouse).news).toEqual(expected);
  });

  it("reports once that all calls stopped", () => {
    using warehouse = openCalls();
    const missing = CALLS.filter(({ call_started }) => (call_started ?? "") > iso(30));
    markGone(
      warehouse,
      missing.map(({ call_id }) => call_id),
    );
    const all = { dimension: "all", key: {}, kind: "silent", calls: 0, expected: 90 };
    expect(watch(warehouse).news).toMatchObject([all]);
    expect(watchNextHour(warehouse).news).toEqual([]);
    expect(readNotices(warehouse)).toMatchObject([all]);
  });

  it("watches campaigns with spend on the days of their spend", () => {
    using warehouse = openCalls();
    const rows = Array.from({ length: 80 }, (_, day) => ({
      day: iso(day * 24).slice(0, 10),
      source: "Google",
      medium: "cpc",
      campaign: "Brand",
      campaign_id: null,
      cost_micros: 5_000_000,
      currency: "USD",
      clicks: null,
      impressions: null,
    }));
    storeSpend(warehouse, rows, { importedAt: iso(0) });
    const { news } = watch(warehouse);
    expect(news).toMatchObject([
      { dimension: "tracking_number", key: { tracking_number: "+1" }, kind: "silent" },
      { dimension: "campaign", key: { campaign: "Brand", campaign_id: null }, kind: "silent" },
    ]);
    expect(watchNextHour(warehouse).news).toEqual([]);
    warehouse.sqlite.exec("UPDATE spend SET cost_micros = 0; UPDATE sync_runs SET judged_until = NULL");
    expect(watch(warehouse, 3).news).toMatchObject([
      { dimension: "campaign", end_reason: "nothing to compare with" },
    ]);
  });
});

describe("stopWatching", () => {
  it("ends open notices silently", () => {
    using warehouse = openCalls();
    stopWatching(locked(warehouse), NOW_MS);
    watch(warehouse);
    stopWatching(locked(warehouse), NOW_MS + HOUR_MS);
    expect(readNotices(warehouse)).toEqual([]);
    const ended = { ended_at: iso(-1), end_reason: "switched off", end_noticed_at: iso(-1) };
    expect(readAllNotices(warehouse)).toEqual([{ ...NOTICE, ...ended, news: 2 }]);
  });
});
