import { describe, expect, it } from "vitest";
import { describeOutcome, isSilent, nameExit } from "../../src/schedule/job-outcome.ts";

const ended = { exitCode: null, signal: null, isLate: false, error: null };

describe("describeOutcome", () => {
  it.each([
    [0, "info", "done"],
    [3, "warn", "done, but not clean: see calltally status"],
    [5, "warn", "the API is unreachable or failing: next slot"],
    [6, "warn", "another sync of the same warehouse is running: next slot"],
    [143, "info", "stopped"],
    [1, "error", "failed with exit code 1"],
    [4, "error", "failed with exit code 4"],
    [7, "error", "failed with exit code 7"],
    [8, "error", "failed with exit code 8"],
    [139, "error", "failed with exit code 139"],
  ])("tells a crash from what will pass: exit %i is %s", (exitCode, level, message) => {
    expect(describeOutcome({ ...ended, exitCode }, false)).toEqual({ level, message });
  });

  it("names the signal, the deadline, and what kept it from starting", () => {
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
      { level: "error", message: "stopped at its deadline, CALLTALLY_JOB_MINUTES" },
      { level: "info", message: "done" },
      { level: "error", message: "cannot be started: spawn EAGAIN" },
    ]);
  });
});

describe("nameExit, isSilent", () => {
  it.each([
    [{ ...ended, exitCode: 0 }, "0", false],
    [{ ...ended, exitCode: 5 }, "5", false],
    [{ ...ended, exitCode: 143 }, "143", false],
    [{ ...ended, exitCode: 1 }, "1", true],
    [{ ...ended, exitCode: 2 }, "2", true],
    [{ ...ended, exitCode: 134 }, "134", true],
    [{ ...ended, signal: "SIGSEGV" as const }, "SIGSEGV", true],
    [{ ...ended, error: new Error("spawn EAGAIN") }, "none", true],
  ])("tell how it ended, and whether it could say so: %j", (outcome, name, silent) => {
    expect([nameExit(outcome), isSilent(outcome)]).toEqual([name, silent]);
  });
});
