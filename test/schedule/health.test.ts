import { describe, expect, it } from "vitest";
import { parseCron } from "../../src/schedule/cron.ts";
import { type Health, judgeJob, summarizeAccounts, summarizeHealth } from "../../src/schedule/health.ts";
import type { JobState } from "../../src/schedule/job-state.ts";

const limits = { cron: parseCron("7 * * * *", "UTC"), deadlineMs: 3_600_000 };
const SUCCESS = "2026-11-20T12:08:00.000Z";
const sync: JobState = {
  job: "sync",
  isSync: true,
  sinceMs: Date.parse(SUCCESS),
  exitCode: 0,
  error: null,
  succeededAt: SUCCESS,
  failingSince: null,
  isUndelivered: false,
};
const failed: JobState = {
  ...sync,
  job: "export",
  isSync: false,
  exitCode: 7,
  error: "Cannot write x",
  failingSince: "2026-11-20T13:07:00.000Z",
};
const judgeAt = (state: JobState, now: string) => judgeJob(state, { ...limits, nowMs: Date.parse(now) });

describe("judgeJob", () => {
  it.each([
    { now: SUCCESS, status: "ok" },
    { now: "2026-11-20T15:07:00.000Z", status: "ok" }, // slots at 13:07 and 14:07, and an hour for the second
    { now: "2026-11-20T15:07:00.001Z", status: "failing" },
    { now: "2027-11-20T15:07:00.000Z", status: "failing" },
  ])("allows a job two slots and its maximum duration: $status at $now", ({ now, status }) => {
    const due = "was due by 2026-11-20T15:07:00.000Z";
    const isOk = status === "ok";
    const last_error = "Cannot write x";
    expect(judgeAt(sync, now)).toEqual({
      job: "sync",
      status,
      last_success: SUCCESS,
      last_exit_code: 0,
      last_error: null,
      ...(!isOk && { reason: `the next successful sync ${due}` }),
    });
    expect(judgeAt(failed, now)).toEqual({
      job: "export",
      status,
      last_success: SUCCESS,
      last_exit_code: 7,
      last_error,
      ...(!isOk && { reason: `the next successful export ${due}; its last error: ${last_error}` }),
    });
  });

  it("ignores a success in the future, and counts two slots of another job from when it was first watched", () => {
    const future = { ...sync, succeededAt: "2031-11-20T12:08:00.000Z" };
    expect(judgeAt(future, SUCCESS)).toMatchObject({
      status: "failing",
      reason: "the last good sync is dated in the future",
    });
    const other = { ...failed, succeededAt: future.succeededAt, failingSince: future.succeededAt };
    expect(judgeAt(other, "2026-11-20T15:07:00.000Z").status).toBe("ok");
    expect(judgeAt(other, "2026-11-20T15:07:00.001Z").status).toBe("failing");
  });

  const error = "Cannot deliver the report weekly: no sync has finished yet";
  const report = { ...failed, job: "report:weekly", exitCode: 9, error, failingSince: SUCCESS };

  it.each<[problem: string, state: JobState, reason: string]>([
    [
      "it was not made",
      { ...report, isUndelivered: true },
      `the last report:weekly was not made; its last error: ${error}`,
    ],
    [
      "it was not delivered",
      { ...report, isUndelivered: true, error: null },
      "the last report:weekly was not delivered",
    ],
    [
      "its settings are wrong",
      { ...failed, exitCode: 2 },
      "the last export could not use its settings; its last error: Cannot write x",
    ],
    [
      "it was refused",
      { ...failed, exitCode: 4 },
      "the last export was refused; its last error: Cannot write x",
    ],
    [
      "its warehouse cannot be synced into",
      { ...sync, exitCode: 7 },
      "the last sync could not use the warehouse or the disk",
    ],
  ])("judges a job failing as soon as %s", (_problem, state, reason) => {
    expect(judgeAt(state, SUCCESS)).toMatchObject({ status: "failing", reason });
    expect(judgeAt({ ...state, exitCode: 9, isUndelivered: false }, SUCCESS).status).toBe("ok");
  });

  it("judges a sync failing as soon as its warehouse cannot be read", () => {
    const problem = "cannot read the warehouse: it is damaged";
    const judged = judgeJob(
      { ...sync, succeededAt: null },
      { ...limits, nowMs: Date.parse(SUCCESS), problem },
    );
    expect(judged).toMatchObject({ status: "failing", reason: problem });
  });

  it("judges a sync failing until its first success", () => {
    const never = { ...sync, exitCode: null, succeededAt: null };
    const state = { job: "sync", status: "failing", last_success: null, last_exit_code: null };
    const reason = "no sync has succeeded yet";
    expect(judgeAt(never, SUCCESS)).toEqual({ ...state, reason, last_error: null });
    expect(judgeAt({ ...never, error: "refused", failingSince: SUCCESS }, SUCCESS)).toEqual({
      ...state,
      reason: `${reason}; its last error: refused`,
      last_error: "refused",
    });
  });

  it("allows another job the same time for its first success: since its first failure, or since it is watched", () => {
    const never = { ...failed, succeededAt: null };
    const from = (state: JobState) => [
      judgeAt(state, "2026-11-20T15:07:00.000Z").status,
      judgeAt(state, "2026-11-20T15:07:00.001Z").status,
      judgeAt(state, "2026-11-20T16:07:00.001Z").status,
    ];
    expect(from(never)).toEqual(["ok", "ok", "failing"]);
    expect(from({ ...never, failingSince: null })).toEqual(["ok", "failing", "failing"]);
  });
});

describe("summarizeHealth", () => {
  it("reports a failure if one job fails, with all reasons", () => {
    const late = "2026-11-20T15:07:00.001Z";
    const good = { run_id: 5, finished_at: SUCCESS, verdict: "probable" } as const;
    const jobs = [judgeAt(sync, SUCCESS), judgeAt(failed, late)];
    expect(summarizeHealth(jobs, good)).toEqual({
      status: "failing",
      reason:
        "the next successful export was due by 2026-11-20T15:07:00.000Z; its last error: Cannot write x",
      last_good_sync: good,
      jobs,
    });
    // Nothing else is reported about the run.
    const run = { ...good, mode: "full" };
    expect(summarizeHealth([], run)).toEqual({ status: "ok", last_good_sync: good, jobs: [] });
    const both = summarizeHealth([judgeAt(sync, late), judgeAt(failed, late)], undefined);
    expect(both.reason).toBe(
      "the next successful sync was due by 2026-11-20T15:07:00.000Z; the next successful export was due by 2026-11-20T15:07:00.000Z; its last error: Cannot write x",
    );
  });
});

describe("summarizeAccounts", () => {
  const ok: Health = { status: "ok", jobs: [] };
  const ill = (reason: string): Health => ({ status: "failing", reason, jobs: [] });

  const summarize = (accounts: Record<string, Health>) => summarizeAccounts(Object.entries(accounts));

  it("returns the health of a single account without a name", () => {
    for (const health of [ok, ill("why")]) expect(summarizeAccounts([[undefined, health]])).toBe(health);
  });

  it("reports a failure if one account fails, with all reasons", () => {
    const well = { acme: ok, beta: ok };
    expect(summarize(well)).toEqual({ status: "ok", accounts: well });
    const some = { acme: ill("a; b"), beta: ok, gamma: ill("c") };
    expect(summarize(some)).toEqual({ status: "failing", reason: "acme: a; b; gamma: c", accounts: some });
    expect(summarize({})).toEqual({ status: "ok", accounts: {} });
  });
});
