import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/base/errors.ts";
import {
  describeOutcome,
  isFailing,
  isForPerson,
  isSilent,
  judgeExit,
  levelOf,
  nameExit,
  toExitCode,
} from "../../src/schedule/job-outcome.ts";

const ended = { exitCode: null, signal: null, isLate: false, error: null };

describe("describeOutcome", () => {
  it.each([
    [0, "info", "done"],
    [3, "warn", "done with problems: see calltally status"],
    [5, "warn", "the API is unreachable or failing: next slot"],
    [6, "warn", "another sync of the same warehouse is running: next slot"],
    [130, "info", "stopped"],
    [143, "info", "stopped"],
    [2, "error", "failed with exit code 2"],
    [9, "error", "failed with exit code 9"],
    [1, "error", "failed with exit code 1"],
    [4, "error", "failed with exit code 4"],
    [7, "error", "failed with exit code 7"],
    [8, "error", "failed with exit code 8"],
    [139, "error", "failed with exit code 139"],
  ])("distinguishes a crash from a temporary failure: exit %i is %s", (exitCode, level, message) => {
    expect(describeOutcome({ ...ended, exitCode }, false)).toEqual({ level, message });
  });

  it("names the signal, the deadline, and the error that prevented the start", () => {
    const killed = { ...ended, signal: "SIGKILL" } as const;
    expect([
      describeOutcome(killed, false),
      describeOutcome(killed, true),
      describeOutcome({ ...ended, exitCode: 143, isLate: true }, false),
      describeOutcome({ ...ended, exitCode: 0, isLate: true }, false),
      describeOutcome({ ...ended, error: new Error("spawn EAGAIN") }, false),
    ]).toEqual([
      { level: "error", message: "killed by SIGKILL" },
      { level: "info", message: "stopped by SIGKILL" },
      { level: "error", message: "stopped at its deadline (setting job_minutes)" },
      { level: "info", message: "done" },
      { level: "error", message: "cannot be started: spawn EAGAIN" },
    ]);
  });
});

describe("nameExit, isSilent, toExitCode", () => {
  it.each([
    ...[0, 3, 5, 9, 130, 143].map((exitCode) => [{ exitCode }, String(exitCode), false, exitCode] as const),
    ...[1, 2, 134].map((exitCode) => [{ exitCode }, String(exitCode), true, exitCode] as const),
    [{ exitCode: 0, isLate: true }, "0", false, 0] as const,
    [{ exitCode: 143, isLate: true }, "143", true, 143] as const,
    [{ signal: "SIGKILL" }, "SIGKILL", true, 137] as const,
    [{ signal: "SIGTERM" }, "SIGTERM", true, 143] as const,
    [{ error: new Error("spawn EAGAIN") }, "none", true, 127] as const,
  ])("name the end %j: as %s, silent %s, with the exit code %i of a shell", (end, name, silent, code) => {
    const outcome = { ...ended, ...end };
    expect([nameExit(outcome), isSilent(outcome), toExitCode(outcome)]).toEqual([name, silent, code]);
  });
});

describe("levelOf, judgeExit", () => {
  it("define for each exit code the log level and the result", () => {
    const said = Object.entries(EXIT).map(([name, code]) => [name, levelOf(code), judgeExit(code)]);
    expect(said).toEqual([
      ["done", "info", "success"],
      ["failed", "error", "failure"],
      ["usage", "error", "failure"],
      ["unverified", "warn", "success"],
      ["refused", "error", "failure"],
      ["unreachable", "warn", "failure"],
      ["locked", "warn", "neither"],
      ["storage", "error", "failure"],
      ["contract", "error", "failure"],
      ["undelivered", "error", "failure"],
      ["sigint", "info", "neither"],
      ["sigterm", "info", "neither"],
    ]);
    expect([judgeExit(137), judgeExit(99)]).toEqual(["failure", "failure"]);
  });
});

describe("isFailing", () => {
  const started_at = "2026-11-20T12:00:00.000Z";
  const record = {
    job: "sync",
    started_at,
    finished_at: null,
    exit_code: null,
    error: null,
    succeeded_at: null,
    failed_runs: 0,
  };
  const judge = (changes: { finished_at?: string; failing_since?: string }, afterMs: number) =>
    isFailing(
      { ...record, failing_since: null, ...changes },
      { nowMs: Date.parse(started_at) + afterMs, deadlineMs: 60_000 },
    );

  it("detects a job that failed or exceeded its time", () => {
    const finished_at = "2026-11-20T12:00:10.000Z";
    expect([judge({}, 0), judge({}, 60_000), judge({}, 60_001)]).toEqual([false, false, true]);
    expect(judge({ finished_at }, 60_001)).toBe(false);
    for (const end of [{}, { finished_at }])
      expect(judge({ ...end, failing_since: finished_at }, 0)).toBe(true);
  });
});

describe("isForPerson", () => {
  const since = "2026-11-20T15:00:00.000Z";

  it.each([
    [{ failing_since: since, exit_code: EXIT.storage }, true],
    [{ failing_since: since, exit_code: EXIT.unreachable }, false],
    [{ failing_since: since, exit_code: null }, false],
    // It has succeeded since.
    [{ failing_since: null, exit_code: EXIT.storage }, false],
    [undefined, false],
  ])("of the last run %j is %j", (last, is) => {
    expect(isForPerson(last)).toBe(is);
  });
});
