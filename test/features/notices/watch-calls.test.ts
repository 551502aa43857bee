import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { HORIZON_MS } from "../../../src/features/notices/judge-calls.ts";
import { type Notice, readNotices } from "../../../src/notices/notice-table.ts";
import { describeNotice } from "../../../src/notices/notice-words.ts";
import { openReader } from "../../../src/warehouse/open.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { honestly, type ServedCall, startListService } from "../../support/list-service.ts";
import { syncFrom } from "../../support/row-service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { type DrawnCall, drawCalls, type Outage, startOfYear } from "./drawn-years.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The third Monday, 9 o'clock. */
const MONDAY_9 = 14 * 24 + 9;
const CUT: Outage = { number: 0, fromHour: MONDAY_9, hours: 50, share: 0 };
const seed = fc.sample(fc.integer(), { numRuns: 1 })[0] ?? 0;

const toServed = (call: DrawnCall, index: number): ServedCall => ({
  call_id: index + 1,
  call_started: new Date(call.startedMs).toISOString(),
  caller_id: `+1512666${1000 + (index % 5000)}`,
  tracking_number: call.tracking_number,
  duration: 60,
  disposition: "ANSWERED",
  dni_data: { utm_source: call.source, campaign_name: call.campaign },
});

/** One service for all tests: the origin of a warehouse has its address. */
const service = await startListService([]);
afterAll(() => service[Symbol.asyncDispose]());
/** The warehouse after a sync four days before the cut, which takes most of the time of a test. */
let synced: Promise<Buffer> | undefined;

/** A business whose calls are cut off on Monday, synced before. */
async function startCutBusiness() {
  synced ??= syncBeforeCut();
  const business = startBusiness();
  writeFileSync(business.file, await synced);
  return business;
}

async function syncBeforeCut(): Promise<Buffer> {
  using business = startBusiness();
  await business.sync(MONDAY_9 - 100);
  return readFileSync(business.file);
}

/** Serves the calls of a small business that have begun, and syncs at moments of the year. */
function startBusiness(outages: readonly Outage[] = [CUT]) {
  const folder = makeTempFolder();
  const numbers = [
    { daily: 30, source: "google", campaign: "Emergency" },
    { daily: 30, source: "bing", campaign: "Winter" },
  ];
  const drawn = drawCalls({ numbers, zone: "UTC", days: 21, outages, seed });
  const all = drawn.filter(({ startedMs }) => startedMs > startOfYear() - HORIZON_MS).map(toServed);
  service.tell = honestly;
  const file = join(folder.path, "calls.db");
  const sync = async (hour: number, options: Parameters<typeof syncFrom>[2] & { lateMs?: number } = {}) => {
    const { lateMs = 0, ...others } = options;
    const nowMs = startOfYear() + hour * HOUR_MS + 20 * MINUTE_MS;
    const isListed = ({ call_started }: ServedCall) => Date.parse(call_started) < nowMs - lateMs;
    service.calls = all.filter(isListed).reverse();
    const clock = new FakeClock(new Date(nowMs).toISOString());
    const news: Notice[] = [];
    const run = await syncFrom(service, folder.path, {
      onNotice: (notice) => news.push(notice),
      ...{ limit: 1000, fullEveryHours: 1000, notices: true, timezone: "UTC", clock },
      ...others,
    });
    return { run, news };
  };
  return {
    ...{ sync, file },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const open = (file: string): Notice[] => {
  using reader = openReader(file);
  return readNotices(reader);
};

describe("watchCalls", () => {
  it("reports once that a number went silent, on the same day, and once that it has calls again", async () => {
    using business = await startCutBusiness();
    const { sync, file } = business;
    const found: [hour: number, news: Notice[]][] = [];
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
    expect(started).toMatchObject({ ...silent, calls: 0, ended_at: null });
    expect(ended).toMatchObject({ ...silent, end_reason: "calls again" });
    const words = describeNotice(ended as Notice, "UTC");
    expect(words).toMatch(
      /^\+15125551000: calls again since \d Apr \d{4} \d\d:\d\d, after no call since 31 Mar \d{4} 0\d:\d\d, [\d.]+ expected$/,
    );
    expect(open(file)).toEqual([]);
  });

  it("judges each hour once, and nothing after a sync that may have missed calls", async () => {
    using business = await startCutBusiness();
    const { sync, file } = business;
    expect((await sync(MONDAY_9 + 20)).run.judged_until).toBe(
      new Date(startOfYear() + (MONDAY_9 + 20) * HOUR_MS).toISOString(),
    );
    const again = await sync(MONDAY_9 + 20.5);
    expect([again.run.judged_until, again.news]).toEqual([null, []]);
    service.tell = (asked, calls) => ({
      rows: calls.slice(asked.offset, asked.offset + asked.limit),
      total: calls.length + 7,
    });
    const doubtful = await sync(MONDAY_9 + 24, { force: "full" });
    expect([doubtful.run.verdict, doubtful.run.judged_until]).toEqual(["probable", null]);
    expect(open(file)).toHaveLength(1);
  });

  it("ends open notices silently when notices are switched off", async () => {
    using business = await startCutBusiness();
    const { sync, file } = business;
    expect((await sync(MONDAY_9 + 20)).news).toHaveLength(1);
    expect((await sync(MONDAY_9 + 21, { notices: false })).news).toEqual([]);
    expect(open(file)).toEqual([]);
  });

  it("judges nothing if notices are switched off", async () => {
    using business = await startCutBusiness();
    const { run } = await business.sync(MONDAY_9 + 20, { notices: false });
    expect([run.judged_until, open(business.file)]).toEqual([null, []]);
  });

  it("does not mistake late listing by hours for silence", async () => {
    using business = startBusiness([]);
    const lateMs = 5 * HOUR_MS;
    let judged = 0;
    for (let hour = MONDAY_9 - 72; hour < MONDAY_9 + 12; hour += 3) {
      const { run, news } = await business.sync(hour, { lateMs });
      expect(news, `run ${run.run_id}`).toEqual([]);
      if (run.judged_until !== null) judged += 1;
    }
    expect(judged).toBeGreaterThan(8);
  });

  it.each([
    { title: "three hours ahead", aheadMs: 3 * HOUR_MS },
    { title: "three hours behind", aheadMs: -3 * HOUR_MS },
  ])("judges hours by the clock of the service: $title", async ({ aheadMs }) => {
    using business = startBusiness([]);
    const { sync } = business;
    // In the middle of a day: mistaking the calls of three hours for late ones would find many.
    let hour = MONDAY_9 - 90;
    service.tell = (asked, calls) => ({
      rows: calls.slice(asked.offset, asked.offset + asked.limit),
      timestamp: new Date(startOfYear() + hour * HOUR_MS + 20 * MINUTE_MS + aheadMs).toISOString(),
    });
    await sync(hour, { lateMs: -aheadMs });
    hour = MONDAY_9 + 20;
    const { run, news } = await sync(hour, { lateMs: -aheadMs });
    const judged = startOfYear() + hour * HOUR_MS + aheadMs;
    expect([run.judged_until, news]).toEqual([new Date(judged).toISOString(), []]);
  });
});
