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
    expect(judgeAt(sync, now)).toEqual({
      job: "sync",
      status,
      ...(!isOk && { reason: `the next successful sync ${due}` }),
      last_success: SUCCESS,
      last_exit_code: 0,
      last_error: null,
    });
    expect(judgeAt(failed, now)).toEqual({
      job: "export",
      status,
      ...(!isOk && { reason: `the next successful export ${due}; its last error: Cannot write x` }),
      last_success: SUCCESS,
      last_exit_code: 7,
      last_error: "Cannot write x",
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

  it("judges a job failing as soon as it was not delivered, or not made", () => {
    const error = "Cannot deliver the report weekly: no sync has finished yet";
    const report = { ...failed, job: "report:weekly", exitCode: 9, error, failingSince: SUCCESS };
    expect(judgeAt(report, SUCCESS)).toMatchObject({ status: "ok" });
    expect(judgeAt({ ...report, isUndelivered: true }, SUCCESS)).toMatchObject({
      status: "failing",
      reason: `the last report:weekly was not made; its last error: ${error}`,
    });
    expect(judgeAt({ ...report, isUndelivered: true, error: null }, SUCCESS)).toMatchObject({
      status: "failing",
      reason: "the last report:weekly was not delivered",
    });
  });

  it.each([
    { exitCode: 2, reason: "the last export could not use its settings" },
    { exitCode: 4, reason: "the last export was refused" },
  ])("judges a job failing as soon as $reason", ({ exitCode, reason }) => {
    const state = { ...failed, exitCode, error: `failed with exit code ${exitCode}` };
    expect(judgeAt(state, SUCCESS)).toMatchObject({
      status: "failing",
      reason: `${reason}; its last error: failed with exit code ${exitCode}`,
    });
  });

  it("judges a sync failing as soon as its warehouse cannot be read or synced into", () => {
    expect(judgeAt({ ...sync, exitCode: 7 }, SUCCESS)).toMatchObject({
      status: "failing",
      reason: "the last sync could not use the warehouse or the disk",
    });
    const never = { ...sync, succeededAt: null };
    const problem = "cannot read the warehouse: it is damaged";
    expect(judgeJob(never, { ...limits, nowMs: Date.parse(SUCCESS), problem })).toMatchObject({
      status: "failing",
      reason: problem,
    });
  });

  it("judges a sync failing until its first success", () => {
    const never = { ...sync, exitCode: null, succeededAt: null };
    const state = { job: "sync", last_success: null, last_exit_code: null };
    expect(judgeAt(never, SUCCESS)).toEqual({
      ...state,
      status: "failing",
      reason: "no sync has succeeded yet",
      last_error: null,
    });
    expect(judgeAt({ ...never, error: "refused", failingSince: SUCCESS }, SUCCESS)).toEqual({
      ...state,
      status: "failing",
      reason: "no sync has succeeded yet; its last error: refused",
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
  it("is failing if one job is, and lists the reasons", () => {
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
    expect(summarizeHealth([judgeAt(sync, late), judgeAt(failed, late)], undefined).reason).toMatch(
      /^the next successful sync was due by .*; the next successful export was due by /,
    );
    expect(summarizeHealth([judgeAt(sync, SUCCESS)], undefined)).toEqual({
      status: "ok",
      jobs: [judgeAt(sync, SUCCESS)],
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

  it("of a single account without a name is the health of that account", () => {
    expect(summarizeAccounts([[undefined, ok]])).toBe(ok);
    const failing = ill("why");
    expect(summarizeAccounts([[undefined, failing]])).toBe(failing);
  });

  it("is failing if one account is, and lists the reasons", () => {
    expect(
      summarizeAccounts([
        ["acme", ok],
        ["beta", ok],
      ]),
    ).toEqual({ status: "ok", accounts: { acme: ok, beta: ok } });
    expect(
      summarizeAccounts([
        ["acme", ill("a; b")],
        ["beta", ok],
        ["gamma", ill("c")],
      ]),
    ).toEqual({
      status: "failing",
      reason: "acme: a; b; gamma: c",
      accounts: { acme: ill("a; b"), beta: ok, gamma: ill("c") },
    });
    expect(summarizeAccounts([])).toEqual({ status: "ok", accounts: {} });
  });
});
