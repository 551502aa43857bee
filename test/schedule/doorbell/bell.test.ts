import { afterEach, describe, expect, it, vi } from "vitest";
import { parseCron } from "../../../src/schedule/cron.ts";
import { Bell } from "../../../src/schedule/doorbell/bell.ts";
import { keepSchedule } from "../../../src/schedule/keep-schedule.ts";
import { keepLines } from "../../support/log-lines.ts";
import { VirtualClock } from "../virtual-clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

const MINUTE_MS = 60_000;

/** An hourly sync at 7 past, which takes some time, and a bell that starts it at most once a minute. */
function start(now: string, { takesMs = 0 } = {}) {
  const clock = new VirtualClock(now);
  const stop = new AbortController();
  const bell = new Bell(MINUTE_MS);
  const runs: string[] = [];
  const cron = parseCron("7 * * * *", "UTC");
  const kept = keepSchedule([{ name: "sync", cron, isBehind: false, judgedMs: clock.now(), bell }], {
    clock,
    random: () => 0,
    jitterMs: 0,
    log: keepLines().log,
    signal: stop.signal,
    run: async () => {
      bell.answer(clock.now());
      runs.push(new Date(clock.now()).toISOString().slice(11, 19));
      if (takesMs > 0) await clock.sleep(takesMs);
      return false;
    },
  });
  const end = async () => {
    stop.abort();
    await Promise.all([kept, clock.pass(MINUTE_MS)]);
  };
  return { clock, bell, runs, end };
}

describe("Bell", () => {
  it("starts a sync immediately, without a slot and without a change to the slots", async () => {
    const { clock, bell, runs, end } = start("2026-11-20T03:00:00Z");
    await clock.pass(10_500);
    bell.ring();
    await clock.pass(10 * MINUTE_MS);
    await end();
    expect(runs).toEqual(["03:00:10", "03:07:00"]);
  });

  it("starts one sync a minute, and one more for all rings meanwhile", async () => {
    const { clock, bell, runs, end } = start("2026-11-20T03:10:00Z");
    for (let second = 0; second < 90; second++) {
      bell.ring();
      await clock.pass(1000);
    }
    await clock.pass(10 * MINUTE_MS);
    await end();
    expect(runs).toEqual(["03:10:00", "03:11:00", "03:12:00"]);
    // One started immediately, two waited; all others came during one of them.
    expect([bell.rings, bell.coalesced]).toEqual([90, 87]);
  });

  it("starts exactly one more sync after a storm of 1,000 rings during a run, when that run has ended", async () => {
    const { clock, bell, runs, end } = start("2026-11-20T03:10:00Z", { takesMs: 3 * MINUTE_MS });
    bell.ring();
    await clock.pass(MINUTE_MS);
    for (let ring = 0; ring < 1000; ring++) bell.ring();
    await clock.pass(20 * MINUTE_MS);
    await end();
    expect(runs).toEqual(["03:10:00", "03:13:00"]);
  });

  it("counts the sync of a slot as the response to waiting rings, and waits a minute after it", async () => {
    const { clock, bell, runs, end } = start("2026-11-20T03:06:30Z");
    bell.ring();
    await clock.pass(1000);
    bell.ring();
    await clock.pass(5 * MINUTE_MS);
    expect(runs).toEqual(["03:06:30", "03:07:00"]);
    bell.ring();
    await clock.pass(MINUTE_MS);
    await end();
    expect(runs).toEqual(["03:06:30", "03:07:00", "03:11:31"]);
  });

  it("rings without delay when the clock is set back", async () => {
    const { clock, bell, runs, end } = start("2026-11-20T03:10:00Z");
    bell.ring();
    await clock.pass(1000);
    clock.jump(-30 * MINUTE_MS);
    bell.ring();
    await clock.pass(MINUTE_MS);
    await end();
    expect(runs).toEqual(["03:10:00", "02:41:01"]);
  });

  it("wakes the waiting schedule only once for a storm", async () => {
    const { clock, bell, runs, end } = start("2026-11-20T03:10:00Z");
    bell.ring();
    await clock.pass(1000);
    const { sleeps } = clock;
    for (let ring = 0; ring < 1000; ring++) bell.ring();
    await clock.pass(1000);
    expect(clock.sleeps - sleeps).toBe(1);
    await clock.pass(MINUTE_MS);
    await end();
    expect(runs).toEqual(["03:10:00", "03:11:00"]);
  });
});
