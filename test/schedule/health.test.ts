import { describe, expect, it } from "vitest";
import { parseCron } from "../../src/schedule/cron.ts";
import { judgeHealth } from "../../src/schedule/health.ts";

const cron = parseCron("7 * * * *", "UTC");
const deadlineMs = 3_600_000;
const lastGoodRun = { run_id: 5, finished_at: "2026-11-20T12:08:00.000Z", verdict: "probable" } as const;

describe("judgeHealth", () => {
  it.each([
    { now: "2026-11-20T12:08:00.000Z", status: "ok" },
    { now: "2026-11-20T15:07:00.000Z", status: "ok" }, // slots at 13:07 and 14:07, and an hour for the second
    { now: "2026-11-20T15:07:00.001Z", status: "failing" },
    { now: "2027-11-20T15:07:00.000Z", status: "failing" },
    { now: "2025-11-20T15:07:00.000Z", status: "ok" },
  ])("gives a sync two slots and its time: $status at $now", ({ now, status }) => {
    const health = judgeHealth({ lastGoodRun, cron, deadlineMs, nowMs: Date.parse(now) });
    expect(health).toMatchObject({ status, last_good_sync: lastGoodRun });
    expect(health.reason).toBe(
      status === "ok" ? undefined : "the next successful sync was due by 2026-11-20T15:07:00.000Z",
    );
  });

  it("is failing as long as no sync was good", () => {
    const nowMs = Date.parse("2026-11-20T12:08:00.000Z");
    expect(judgeHealth({ lastGoodRun: undefined, cron, deadlineMs, nowMs })).toEqual({
      status: "failing",
      reason: "no sync has succeeded yet",
    });
  });
});
