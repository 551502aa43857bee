import { describe, expect, it } from "vitest";
import { emptyStatistics, noteEnd, toJobState } from "../../src/schedule/job-state.ts";
import type { JobEnd, JobRecord } from "../../src/warehouse/runs/job-table.ts";
import type { SyncRun } from "../../src/warehouse/runs/runs.ts";
import { snapshotOf } from "./snapshot.ts";

const EXPORT = { name: "export", isSync: false };
const SINCE = Date.parse("2026-11-20T00:00:00.000Z");
const at = (time: string) => `2026-11-20T${time}:00.000Z`;

const record: JobRecord = {
  job: "export",
  started_at: at("05:30"),
  finished_at: at("05:31"),
  exit_code: 7,
  error: "Cannot write x",
  succeeded_at: at("04:31"),
  failing_since: at("05:31"),
  failed_runs: 1,
};

const end = (changes: Partial<JobEnd>): JobEnd => ({
  job: "export",
  startedAt: at("06:30"),
  finishedAt: at("06:32"),
  exitCode: 0,
  result: "success",
  error: null,
  ...changes,
});

/** What the schedule knows of a job that ended so. */
function seen(...ends: JobEnd[]) {
  const statistics = emptyStatistics("export", SINCE);
  for (const each of ends) noteEnd(statistics, String(each.exitCode), each);
  return statistics;
}

const FROM_RECORD = {
  job: "export",
  isSync: false,
  sinceMs: SINCE,
  exitCode: 7,
  error: "Cannot write x",
  succeededAt: at("04:31"),
  failingSince: at("05:31"),
  isUndelivered: false,
};
const jobs = new Map([["export", record]]);

describe("toJobState", () => {
  it("returns an empty state for a job that never ran", () => {
    const unknown = { exitCode: null, error: null, succeededAt: null, failingSince: null };
    const nothing = { ...FROM_RECORD, ...unknown };
    expect(toJobState(EXPORT, seen(), undefined)).toEqual(nothing);
    expect(toJobState(EXPORT, seen(), snapshotOf())).toEqual(nothing);
    for (const snapshot of [snapshotOf({ jobs }), undefined]) {
      expect(toJobState({ name: "sync", isSync: true }, seen(), snapshot)).toEqual({
        ...nothing,
        job: "sync",
        isSync: true,
      });
    }
  });

  it("takes the state from the warehouse, and from the schedule what the warehouse lacks", () => {
    expect(toJobState(EXPORT, seen(), snapshotOf({ jobs }))).toEqual(FROM_RECORD);
    const failed = end({ exitCode: 5, result: "failure", error: "unreachable" });
    const later = { exitCode: 5, error: "unreachable", failingSince: at("06:32") };
    expect(toJobState(EXPORT, seen(failed), snapshotOf({ jobs }))).toEqual({ ...FROM_RECORD, ...later });
    for (const snapshot of [undefined, snapshotOf()]) {
      const never = { ...FROM_RECORD, ...later, succeededAt: null };
      expect(toJobState(EXPORT, seen(failed), snapshot)).toEqual(never);
    }
    // The job's own record of the same run is more detailed, even if no later.
    for (const startedAt of [at("05:30"), at("05:31")]) {
      const same = seen({ ...failed, startedAt });
      expect(toJobState(EXPORT, same, snapshotOf({ jobs }))).toEqual(FROM_RECORD);
    }
    const running = new Map([["export", { ...record, finished_at: null }]]);
    expect(toJobState(EXPORT, seen(failed), snapshotOf({ jobs: running }))).toMatchObject(later);
  });

  it("forgets a failure that the warehouse did not record, once the work was done by hand", () => {
    const refused = seen(end({ exitCode: 4, result: "failure", error: "refused" }));
    const stateAt = (time: string) =>
      toJobState(EXPORT, refused, snapshotOf({ lastDone: new Map([["export", at(time)]]) })).exitCode;
    expect([stateAt("06:32"), stateAt("06:33")]).toEqual([4, null]);
  });

  it("marks a job as undelivered if a report was not delivered to all and is not retried", () => {
    const undelivered = seen(end({ exitCode: 9, result: "failure" }));
    const unfinished = snapshotOf({ unfinished: new Set(["export"]) });
    const judged = [undefined, snapshotOf(), unfinished].map(
      (snapshot) => toJobState(EXPORT, undelivered, snapshot).isUndelivered,
    );
    expect(judged).toEqual([true, true, false]);
  });

  it("takes the later of two successes", () => {
    const succeededAt = (time: string) =>
      toJobState(EXPORT, seen(end({ startedAt: at("01:00"), finishedAt: at(time) })), snapshotOf({ jobs }))
        .succeededAt;
    expect([succeededAt("04:30"), succeededAt("04:32")]).toEqual([at("04:31"), at("04:32")]);
  });

  it("takes as the success of a sync the time of the last trusted pass, not of its end", () => {
    const run: Pick<SyncRun, "finished_at"> = { finished_at: at("02:00") };
    const lastGoodRun = run as SyncRun;
    const sync = { name: "export", isSync: true };
    expect(toJobState(sync, seen(end({})), snapshotOf({ jobs, lastGoodRun })).succeededAt).toBe(at("02:00"));
    expect(toJobState(sync, seen(end({})), snapshotOf({ jobs })).succeededAt).toBe(null);
  });
});

describe("emptyStatistics, noteEnd", () => {
  it("count runs by exit code, and keep the latest values", () => {
    expect(emptyStatistics("export", SINCE)).toEqual({
      job: "export",
      sinceMs: SINCE,
      runs: new Map([["0", 0]]),
      isRunning: false,
      lastMs: undefined,
      last: undefined,
      nextMs: undefined,
    });
    const statistics = { ...seen(end({})), isRunning: true };
    const failure = { exitCode: 7, result: "failure", error: "full" } as const;
    const failed = end({ ...failure, startedAt: at("07:30"), finishedAt: at("07:45") });
    noteEnd(statistics, "7", failed);
    noteEnd(statistics, "7", { ...failed, startedAt: at("08:30"), finishedAt: at("08:33") });
    expect(statistics).toEqual({
      job: "export",
      sinceMs: SINCE,
      runs: new Map([
        ["0", 1],
        ["7", 2],
      ]),
      isRunning: false,
      lastMs: 180_000,
      last: {
        exit_code: 7,
        error: "full",
        succeeded_at: at("06:32"),
        failing_since: at("07:45"),
        failed_runs: 2,
        started_at: at("08:30"),
        finished_at: at("08:33"),
      },
      nextMs: undefined,
    });
  });
});
