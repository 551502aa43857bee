import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Cron } from "./cron.ts";
import type { Bell } from "./doorbell/bell.ts";
import { setSlotTimer } from "./slot-timer.ts";

/** How often to look for slots that node-cron skips: timers ignore the time a machine sleeps, and changes of its clock. */
const CHECK_MS = 30_000;
/** If the clock is set back by more than this, past slots run again: otherwise nothing would run until it caught up. */
const SET_BACK_MS = 60_000;
/** When an unfinished run is resumed, each time that it fails again: for a little more than an hour. */
const AGAIN_AFTER_MS: readonly number[] = [5, 10, 20, 40].map((minutes) => minutes * 60_000);
const LATE_MS = 60_000;

export interface ScheduledJob {
  name: string;
  cron: Cron;
  /** Whether a slot has passed since the job was last done, so it runs at once. */
  isBehind: boolean;
  /** When that was judged, milliseconds since 1970-01-01 UTC; later slots are still to come. */
  judgedMs: number;
  /** Starts it between its slots. @default only its slots */
  bell?: Bell | undefined;
}

export interface ScheduleOptions<J extends ScheduledJob> {
  clock: Clock;
  random: () => number;
  /** Starts are delayed by up to this, but at most half the time to the next slot. */
  jitterMs: number;
  log: Log;
  signal: AbortSignal;
  /** Runs a job to its end; never throws. Returns whether to resume it before its next slot. */
  run: (job: J) => Promise<boolean>;
  onNext?: (job: J, nextMs: number) => void;
}

/**
 * Runs jobs on their slots until the signal aborts. A job never runs twice at once: slots during a run are skipped.
 * After any number of slots missed by sleep or a clock change, a job runs once. Jobs that are behind at the start run
 * at once, one after the other, in the given order.
 */
export async function keepSchedule<J extends ScheduledJob>(jobs: readonly J[], options: ScheduleOptions<J>) {
  // After an unexpected error of one job, the others must not continue as if all were well.
  const broken = new AbortController();
  const stoppable = { ...options, signal: AbortSignal.any([options.signal, broken.signal]) };
  let caughtUp = Promise.resolve(false);
  const loops = jobs.map((job) => {
    if (!job.isBehind) return keepJob(job, false, stoppable);
    caughtUp = caughtUp.then(async () => {
      if (stoppable.signal.aborted) return false;
      options.log.info({ job: job.name }, "missed a slot: running now");
      return await options.run(job);
    });
    return caughtUp.then((isUnfinished) => keepJob(job, isUnfinished, stoppable));
  });
  try {
    await Promise.all(loops);
  } finally {
    broken.abort();
  }
}

async function keepJob<J extends ScheduledJob>(job: J, wasUnfinished: boolean, options: ScheduleOptions<J>) {
  const { name, cron, isBehind, judgedMs } = job;
  const { clock, log, signal, run } = options;
  let isUnfinished = wasUnfinished;
  let resumed = 0;
  for (let sinceMs = isBehind ? clock.now() : judgedMs; !signal.aborted; sinceMs = clock.now()) {
    const afterMs = isUnfinished ? AGAIN_AFTER_MS[resumed] : undefined;
    const againMs = afterMs === undefined ? undefined : clock.now() + afterMs;
    const slotMs = await waitForSlot(job, { sinceMs, againMs }, options);
    if (slotMs === undefined) return;
    resumed = slotMs === againMs ? resumed + 1 : 0;
    if (resumed > 0) log.info({ job: name }, "its last run is unfinished: resuming it");
    const startedMs = clock.now();
    if (startedMs - slotMs > LATE_MS + options.jitterMs) {
      const slot = new Date(slotMs).toISOString();
      log.warn({ job: name, slot }, "late, because the machine slept or its clock changed: running once");
    }
    isUnfinished = await run(job);
    const passedMs = cron.next(startedMs);
    if (passedMs <= clock.now() && !signal.aborted) {
      log.info({ job: name, slot: new Date(passedMs).toISOString() }, "slot skipped: the job was running");
    }
  }
}

/** A ring of the bell counts as a slot. Returns undefined when the signal aborts. */
async function waitForSlot<J extends ScheduledJob>(
  job: J,
  { sinceMs, againMs }: { sinceMs: number; againMs: number | undefined },
  { clock, random, jitterMs, signal, onNext }: ScheduleOptions<J>,
): Promise<number | undefined> {
  const { cron, bell } = job;
  const share = random();
  for (let fromMs = sinceMs; ; ) {
    const nowMs = clock.now();
    if (fromMs - nowMs > SET_BACK_MS) fromMs = nowMs;
    const slotMs = cron.next(fromMs);
    const startMs = slotMs + share * Math.min(jitterMs, (cron.next(slotMs) - slotMs) / 2);
    if (nowMs >= startMs) return slotMs;
    if (againMs !== undefined && nowMs >= againMs) return againMs;
    const ringMs = bell?.dueMs(nowMs);
    if (ringMs !== undefined && nowMs >= ringMs) return nowMs;
    onNext?.(job, Math.min(startMs, ringMs ?? startMs, againMs ?? startMs));
    const checkMs = Math.min(ringMs ?? Number.POSITIVE_INFINITY, againMs ?? Number.POSITIVE_INFINITY);
    using timer = setSlotTimer(startMs);
    const woken = [signal, timer.due, ...(ringMs === undefined && bell !== undefined ? [bell.rung] : [])];
    try {
      await clock.sleep(Math.min(Math.ceil(checkMs - nowMs), CHECK_MS), AbortSignal.any(woken));
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!woken.some(({ aborted }) => aborted)) throw error;
    }
  }
}
