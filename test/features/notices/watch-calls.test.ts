import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Notice } from "../../../src/features/notice.ts";
import { HORIZON_MS } from "../../../src/features/notices/judge-calls.ts";
import { readNotices } from "../../../src/features/notices/notice-table.ts";
import type { SyncOptions } from "../../../src/sync/sync-options.ts";
import { openReader } from "../../../src/warehouse/file/open.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { type ServedCall, startCallService } from "../../support/services/call-service.ts";
import { type DrawnCall, drawCalls, type Outage, startOfYear } from "./drawn-years.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The third Monday, 9 o'clock. */
const MONDAY_9 = 14 * 24 + 9;
const CUT: Outage = { number: 0, fromHour: MONDAY_9, hours: 50, share: 0 };
/** Always the same, since chance has its part in what is noticed. */
const seed = fc.sample(fc.integer(), { numRuns: 1, seed: 1 })[0] ?? 0;

const toServed = (call: DrawnCall, index: number): ServedCall => ({
  call_id: index + 1,
  call_started: new Date(call.startedMs).toISOString(),
  caller_id: `+1512666${1000 + (index % 5000)}`,
  tracking_number: call.tracking_number,
  duration: 60,
  disposition: "ANSWERED",
  dni_data: { utm_source: call.source, campaign_name: call.campaign },
});

/** Serves the calls of a small business that have begun, and syncs at moments of the year. */
async function startBusiness() {
  const numbers = [
    { daily: 30, source: "google", campaign: "Emergency" },
    { daily: 30, source: "bing", campaign: "Winter" },
  ];
  const drawn = drawCalls({ numbers, zone: "UTC", days: 21, outages: [CUT], seed });
  const all = drawn.filter(({ startedMs }) => startedMs > startOfYear() - HORIZON_MS).map(toServed);
  const service = await startCallService([]);
  const sync = async (hour: number, options: Partial<SyncOptions> = {}) => {
    const nowMs = startOfYear() + hour * HOUR_MS + 20 * MINUTE_MS;
    service.calls = all.filter(({ call_started }) => Date.parse(call_started) < nowMs).reverse();
    const clock = new FakeClock(new Date(nowMs).toISOString());
    const news: Notice[] = [];
    const run = await service.sync({
      onNotice: (notice) => news.push(notice),
      limit: 1000,
      fullEveryHours: 1000,
      notices: true,
      timezone: "UTC",
      clock,
      ...options,
    });
    return { run, news };
  };
  return { service, sync, file: service.database, [Symbol.asyncDispose]: service[Symbol.asyncDispose] };
}

const open = (file: string) => {
  using reader = openReader(file);
  return readNotices(reader);
};

describe("watchCalls", () => {
  it("reports once that a number went silent, on the same day, and once that it has calls again", async () => {
    await using business = await startBusiness();
    const { sync, file } = business;
    const found: [hour: number, news: Notice[]][] = [];
    await sync(MONDAY_9 - 100);
    for (let hour = MONDAY_9 - 4; hour <= MONDAY_9 + 110; hour += 6) {
      const { run, news } = await sync(hour);
      expect(run.verdict).toMatch(/exact|verified|probable/);
      if (news.length > 0) found.push([hour, news]);
    }
    expect(found).toHaveLength(2);
    const [[startHour, [started]], [endHour, [ended]]] = found as [[number, Notice[]], [number, Notice[]]];
    expect(startHour).toBeLessThan(15 * 24);
    expect(endHour).toBeGreaterThanOrEqual(MONDAY_9 + 50);
    const silent = { dimension: "tracking_number", key: { tracking_number: "+15125551000" }, kind: "silent" };
    expect(started?.data).toMatchObject({ ...silent, calls: 0, ended_at: null });
    expect(ended?.data).toMatchObject({ ...silent, end_reason: "calls again" });
    expect(ended?.describe("UTC")).toMatch(
      /^\+15125551000: calls again since \d Apr \d{4} \d\d:\d\d, after no call since 31 Mar \d{4} 0\d:\d\d, [\d.]+ expected$/,
    );
    expect(open(file)).toEqual([]);
  });

  it("ends open notices silently when notices are switched off", async () => {
    await using business = await startBusiness();
    const { sync, file } = business;
    await sync(MONDAY_9 - 100);
    expect((await sync(MONDAY_9 + 20)).news).toHaveLength(1);
    expect((await sync(MONDAY_9 + 21, { notices: false })).news).toEqual([]);
    expect(open(file)).toEqual([]);
  });

  it("judges nothing if notices are switched off", async () => {
    await using business = await startBusiness();
    await business.sync(MONDAY_9 - 100);
    const { run } = await business.sync(MONDAY_9 + 20, { notices: false });
    expect([run.judged_until, open(business.file)]).toEqual([null, []]);
  });
});
