import { afterEach, describe, expect, it, vi } from "vitest";
import { parseCron } from "../../src/schedule/cron.ts";
import { keepSchedule, type ScheduledJob, type ScheduleOptions } from "../../src/schedule/keep-schedule.ts";
import { keepLines } from "../support/log-lines.ts";
import { VirtualClock } from "./virtual-clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const job = (name: string, expression: string, { timezone = "UTC", isBehind = false } = {}) => ({
  name,
  cron: parseCron(expression, timezone),
  isBehind,
});

/** A running schedule with its own clock; stop it with `stop`. */
function start(
  jobs: ReturnType<typeof job>[],
  now: string,
  options: Partial<ScheduleOptions<ScheduledJob>> & {
    takesMs?: number;
    judgedAgoMs?: number;
    unfinished?: boolean[];
  } = {},
) {
  const clock = new VirtualClock(now);
  const stop = new AbortController();
  const { log, lines, messages } = keepLines();
  const runs: string[] = [];
  const { takesMs = 0, judgedAgoMs = 0, unfinished = [], ...rest } = options;
  const judged = jobs.map((each): ScheduledJob => ({ ...each, judgedMs: clock.now() - judgedAgoMs }));
  const kept = keepSchedule(judged, {
    clock,
    random: () => 0,
    jitterMs: 0,
    log,
    signal: stop.signal,
    run: async ({ name }) => {
      runs.push(`${name} ${new Date(clock.now()).toISOString().slice(0, 19)}`);
      await clock.sleep(takesMs);
      return unfinished.shift() ?? false;
    },
    ...rest,
  });
  return {
    clock,
    runs,
    lines,
    messages,
    kept,
    stop: async () => {
      stop.abort();
      await kept;
    },
  };
}

describe("keepSchedule", () => {
  it("runs each job on its slots, and none after the signal", async () => {
    const jobs = [job("sync", "7 * * * *"), job("export", "30 5 * * *")];
    const schedule = start(jobs, "2026-11-20T03:30:00Z");
    await schedule.clock.pass(3 * HOUR_MS);
    await schedule.stop();
    await schedule.clock.pass(DAY_MS);
    expect(schedule.runs).toEqual([
      "sync 2026-11-20T04:07:00",
      "sync 2026-11-20T05:07:00",
      "export 2026-11-20T05:30:00",
      "sync 2026-11-20T06:07:00",
    ]);
  });

  it("retries unfinished work at increasing intervals until it is done", async () => {
    const jobs = [job("report", "0 7 * * *"), job("sync", "8 * * * *")];
    const schedule = start(jobs, "2026-11-20T06:59:00Z", { unfinished: [true, true] });
    await schedule.clock.pass(HOUR_MS);
    await schedule.stop();
    const again = { level: 30, job: "report", msg: "its last run is unfinished: resuming it" };
    expect(schedule.lines).toEqual([again, again]);
    // The sync has its slot meanwhile: the report's work is left undone.
    expect(schedule.runs).toEqual([
      "report 2026-11-20T07:00:00",
      "report 2026-11-20T07:05:00",
      "sync 2026-11-20T07:08:00",
      "report 2026-11-20T07:15:00",
    ]);
  });

  it("stops after five runs for a slot, or at the next slot if that comes first", async () => {
    const always = Array<boolean>(100).fill(true);
    const daily = start([job("report", "0 7 * * *")], "2026-11-20T06:59:00Z", { unfinished: [...always] });
    await daily.clock.pass(DAY_MS + 7 * MINUTE_MS);
    await daily.stop();
    const times = ["07:00", "07:05", "07:15", "07:35", "08:15"].map((time) => `report 2026-11-20T${time}:00`);
    expect(daily.runs).toEqual([...times, "report 2026-11-21T07:00:00", "report 2026-11-21T07:05:00"]);
    const often = start([job("report", "*/7 * * * *")], "2026-11-20T06:59:00Z", { unfinished: [...always] });
    await often.clock.pass(16 * MINUTE_MS);
    await often.stop();
    const minutes = ["00", "05", "07", "12", "14"].map((minute) => `report 2026-11-20T07:${minute}:00`);
    expect(often.runs).toEqual(minutes);
  });

  it("does not delay overdue jobs because of a retry", async () => {
    const jobs = ["first", "second"].map((name) => job(name, "0 7 * * *", { isBehind: true }));
    const schedule = start(jobs, "2026-11-20T08:00:00Z", { unfinished: [true] });
    await schedule.clock.pass(6 * MINUTE_MS);
    await schedule.stop();
    expect(schedule.runs).toEqual([
      "first 2026-11-20T08:00:00",
      "second 2026-11-20T08:00:00",
      "first 2026-11-20T08:05:00",
    ]);
  });

  it("never runs a job twice at the same time: it skips and logs slots that come meanwhile", async () => {
    const schedule = start([job("sync", "* * * * *")], "2026-11-20T03:00:30Z", { takesMs: 150_000 });
    await schedule.clock.pass(7 * MINUTE_MS);
    expect(schedule.runs).toEqual([
      "sync 2026-11-20T03:01:00",
      "sync 2026-11-20T03:04:00",
      "sync 2026-11-20T03:07:00",
    ]);
    const left = { level: 30, job: "sync", msg: "slot skipped: the job was running" };
    expect(schedule.lines).toEqual([
      { ...left, slot: "2026-11-20T03:02:00.000Z" },
      { ...left, slot: "2026-11-20T03:05:00.000Z" },
    ]);
    await Promise.all([schedule.clock.pass(HOUR_MS), schedule.stop()]);
  });

  it("runs overdue jobs once, in order, then on their slots", async () => {
    const jobs = [
      job("sync", "7 * * * *", { isBehind: true }),
      job("export", "30 5 * * *", { isBehind: true }),
      job("insights", "15 4 * * *"),
    ];
    const schedule = start(jobs, "2026-11-20T03:00:00Z", { takesMs: 10 * MINUTE_MS });
    await schedule.clock.pass(90 * MINUTE_MS);
    expect(schedule.runs).toEqual([
      "sync 2026-11-20T03:00:00",
      "export 2026-11-20T03:10:00",
      "sync 2026-11-20T04:07:00",
      "insights 2026-11-20T04:15:00",
    ]);
    const late = { level: 30, msg: "missed a slot: running now" };
    expect(schedule.lines).toEqual([
      { ...late, job: "sync" },
      { ...late, job: "export" },
    ]);
    await Promise.all([schedule.clock.pass(HOUR_MS), schedule.stop()]);
  });

  it("does not miss a slot that comes while it starts", async () => {
    const schedule = start([job("sync", "7 * * * *")], "2026-11-20T03:07:00.010Z", { judgedAgoMs: 20 });
    await schedule.clock.pass(1000);
    expect(schedule.runs).toEqual(["sync 2026-11-20T03:07:00"]);
    await schedule.stop();
  });

  it("does not begin overdue jobs after the signal", async () => {
    const jobs = [
      job("sync", "7 * * * *", { isBehind: true }),
      job("export", "30 5 * * *", { isBehind: true }),
    ];
    const schedule = start(jobs, "2026-11-20T03:00:00Z", { takesMs: MINUTE_MS });
    await schedule.clock.pass(1000);
    await Promise.all([schedule.stop(), schedule.clock.pass(HOUR_MS)]);
    expect(schedule.runs).toEqual(["sync 2026-11-20T03:00:00"]);
  });

  it("delays starts by a share of the jitter, and by at most half the time to the next slot", async () => {
    const onTime = { random: () => 0.5, jitterMs: 40_000 };
    const hourly = start([job("sync", "7 * * * *")], "2026-11-20T03:00:00Z", onTime);
    await hourly.clock.pass(2 * HOUR_MS);
    expect(hourly.runs).toEqual(["sync 2026-11-20T03:07:20", "sync 2026-11-20T04:07:20"]);
    const often = start([job("sync", "*/10 * * * * *")], "2026-11-20T03:00:00Z", {
      random: () => 0.8,
      jitterMs: HOUR_MS,
    });
    await often.clock.pass(25_000);
    expect(often.runs).toEqual(["sync 2026-11-20T03:00:14", "sync 2026-11-20T03:00:24"]);
    await Promise.all([hourly.stop(), often.stop()]);
  });

  it("runs once within half a minute after the machine has slept through slots", async () => {
    const schedule = start([job("sync", "7 * * * *")], "2026-11-20T03:10:00Z");
    await schedule.clock.pass(MINUTE_MS);
    schedule.clock.jump(5 * HOUR_MS); // while timers stood still
    await schedule.clock.pass(30_000);
    expect(schedule.runs).toEqual(["sync 2026-11-20T08:11:30"]);
    expect(schedule.lines).toEqual([
      {
        level: 40,
        job: "sync",
        slot: "2026-11-20T04:07:00.000Z",
        msg: "late, because the machine slept or its clock changed: running once",
      },
    ]);
    await schedule.clock.pass(HOUR_MS);
    expect(schedule.runs.slice(1)).toEqual(["sync 2026-11-20T09:07:00"]);
    await schedule.stop();
  });

  it("runs once when the clock is set forward by a year, without stepping through each second", async () => {
    const each = job("sync", "* * * * * *");
    let asked = 0;
    const next = (afterMs: number) => {
      asked++;
      return each.cron.next(afterMs);
    };
    const schedule = start([{ ...each, cron: { ...each.cron, next } }], "2026-11-20T03:00:00.500Z");
    await schedule.clock.pass(1000);
    expect(schedule.runs).toEqual(["sync 2026-11-20T03:00:01"]);
    schedule.clock.jump(365 * DAY_MS);
    await schedule.clock.pass(2000);
    expect(schedule.runs.slice(1)).toEqual(["sync 2027-11-20T03:00:02", "sync 2027-11-20T03:00:03"]);
    expect(asked).toBeLessThan(40);
    await schedule.stop();
  });

  it("fails rather than hangs in tests where a slot never ends", async () => {
    const cron = { ...job("sync", "7 * * * *").cron, next: (afterMs: number) => afterMs };
    const schedule = start([{ ...job("sync", "7 * * * *"), cron }], "2026-11-20T03:00:00Z");
    await expect(schedule.kept).rejects.toThrow("the clock is read again and again at one moment");
  });

  it.each([
    {
      change: "spring, when 02:00 to 03:00 does not exist",
      from: "2026-03-08T00:00:10Z",
      nightly: ["2026-03-08T08:30:00", "2026-03-09T07:30:00"],
      hours: 33,
    },
    {
      change: "autumn, when 01:00 to 02:00 occurs twice",
      from: "2026-11-01T00:00:10Z",
      nightly: ["2026-11-01T08:30:00", "2026-11-02T08:30:00"],
      hours: 33,
    },
  ])(
    "runs each slot once, on time, over the change of the clock in $change",
    async ({ from, nightly, hours }) => {
      const timezone = "America/Chicago";
      const jobs = [job("nightly", "30 2 * * *", { timezone }), job("hourly", "17 * * * *", { timezone })];
      const schedule = start(jobs, from);
      await schedule.clock.pass(hours * HOUR_MS);
      await schedule.stop();
      const timesOf = (name: string) =>
        schedule.runs.filter((run) => run.startsWith(name)).map((run) => run.slice(name.length + 1));
      expect(timesOf("nightly")).toEqual(nightly);
      const first = Date.parse(from.replace(":00:10", ":17:00"));
      expect(timesOf("hourly")).toEqual(
        Array.from({ length: hours }, (_, hour) =>
          new Date(first + hour * HOUR_MS).toISOString().slice(0, 19),
        ),
      );
    },
  );

  it("runs a time that occurs twice in autumn only once", async () => {
    const schedule = start(
      [job("sync", "30 1 * * *", { timezone: "America/Chicago" })],
      "2026-11-01T05:00:10Z",
    );
    await schedule.clock.pass(DAY_MS);
    expect(schedule.runs).toEqual(["sync 2026-11-01T06:30:00"]);
    await schedule.stop();
  });

  it("starts on the second of a slot between two checks, by node-cron's ring", async () => {
    const schedule = start([job("sync", "19 7 4 * * *")], "2026-11-20T04:06:50Z");
    await schedule.clock.pass(28_999);
    expect(schedule.runs).toEqual([]);
    await schedule.clock.pass(1);
    expect(schedule.runs).toEqual(["sync 2026-11-20T04:07:19"]);
    await schedule.stop();
  });

  it.each([
    // A small step of the clock, which is seen half a minute later: past slots are not repeated.
    { setBackMs: 30_000, next: "sync 2026-11-20T05:07:00" },
    { setBackMs: 90_000, next: "sync 2026-11-20T05:07:00" },
    { setBackMs: 90_001, next: "sync 2026-11-20T04:07:00" },
    { setBackMs: 30 * MINUTE_MS, next: "sync 2026-11-20T04:07:00" },
    { setBackMs: 365 * DAY_MS, next: "sync 2025-11-20T05:07:00" },
  ])("continues within an hour when the clock is set back by $setBackMs ms", async ({ setBackMs, next }) => {
    const schedule = start([job("sync", "7 * * * *")], "2026-11-20T04:06:50Z", { takesMs: 1 });
    await schedule.clock.pass(10_000);
    expect(schedule.runs).toEqual(["sync 2026-11-20T04:07:00"]);
    await schedule.clock.pass(1);
    schedule.clock.jump(-setBackMs);
    await schedule.clock.pass(HOUR_MS + 2 * MINUTE_MS);
    expect(schedule.runs[1]).toBe(next);
    await schedule.stop();
  });

  it("sleeps for at most half a minute, and no shorter than necessary", async () => {
    const schedule = start([job("sync", "0 0 1 1 *")], "2026-11-20T03:00:00Z");
    await schedule.clock.pass(HOUR_MS);
    expect(schedule.clock.sleeps).toBe(121);
    await schedule.stop();
  });

  it.each([
    { lateMs: 60_000, jitterMs: 0, isSaid: false },
    { lateMs: 60_001, jitterMs: 0, isSaid: true },
    { lateMs: 100_000, jitterMs: 40_000, isSaid: false },
    { lateMs: 100_001, jitterMs: 40_000, isSaid: true },
  ])(
    "logs a start $lateMs ms late with a jitter of $jitterMs ms: $isSaid",
    async ({ lateMs, jitterMs, isSaid }) => {
      const schedule = start([job("sync", "7 * * * *")], "2026-11-20T03:06:50Z", { jitterMs });
      await schedule.clock.pass(1000);
      schedule.clock.jump(lateMs - 20_000);
      await schedule.clock.pass(29_000); // node-cron is silent; the next check is 20 s after the slot
      expect(schedule.runs).toHaveLength(1);
      expect(schedule.messages().some((message) => message.startsWith("late"))).toBe(isSaid);
      await schedule.stop();
    },
  );

  it("reports when each job starts next: at its slot, delayed by its share, or when it is retried", async () => {
    const next: string[] = [];
    const schedule = start([job("report", "0 * * * *")], "2026-11-20T06:59:50Z", {
      random: () => 0.25,
      jitterMs: 40_000,
      unfinished: [true],
      onNext: ({ name }, nextMs) => {
        const line = `${name} ${new Date(nextMs).toISOString().slice(11, 23)}`;
        if (next.at(-1) !== line) next.push(line);
      },
    });
    await schedule.clock.pass(10 * MINUTE_MS);
    await schedule.stop();
    expect(schedule.runs).toEqual(["report 2026-11-20T07:00:10", "report 2026-11-20T07:05:10"]);
    expect(next).toEqual(["report 07:00:10.000", "report 07:05:10.000", "report 08:00:10.000"]);
  });

  it("ends with all jobs when a run throws or the clock fails", async () => {
    const broken = new Error("broken");
    const jobs = [job("sync", "7 * * * *"), job("export", "8 * * * *")];
    const runs: string[] = [];
    const schedule = start(jobs, "2026-11-20T03:06:50Z", {
      run: async ({ name }) => {
        runs.push(name);
        throw broken;
      },
    });
    const ended = expect(schedule.kept).rejects.toBe(broken);
    await schedule.clock.pass(HOUR_MS);
    await ended;
    expect(runs).toEqual(["sync"]);
    const clock = { now: () => 0, sleep: () => Promise.reject(broken) };
    await expect(start(jobs, "2026-11-20T03:06:50Z", { clock }).kept).rejects.toBe(broken);
  });
});
