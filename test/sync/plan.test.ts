import { describe, expect, it } from "vitest";
import { choosePlan } from "../../src/sync/plan.ts";

const NOW = "2026-10-02T12:00:00.000Z";
const lastPass = (finished_at: string | null, call_order: "newest" | "oldest" | "unknown" | null) => ({
  run_id: 7,
  finished_at,
  call_order,
});
const HOUR_AGO = "2026-10-02T11:00:00.000Z";

describe("choosePlan", () => {
  it.each([
    { title: "there was none", last: undefined, reason: "no full pass has been verified yet" },
    {
      title: "its end is not known",
      last: lastPass(null, "newest"),
      reason: "no full pass has been verified yet",
    },
    {
      title: "it is as old as allowed",
      last: lastPass("2026-10-01T12:00:00.000Z", "newest"),
      reason: "the last verified full pass is older than 24 h",
    },
    {
      title: "it is dated in the future, as by a clock that was set back",
      last: lastPass("2026-10-02T12:00:00.001Z", "newest"),
      reason: "the last verified full pass is dated in the future",
    },
    {
      title: "it met the calls in no order",
      last: lastPass(HOUR_AGO, "unknown"),
      reason: "the service lists the calls in no order of time",
    },
    {
      title: "it is of a calltally that did not look at the order",
      last: lastPass(HOUR_AGO, null),
      reason: "the service lists the calls in no order of time",
    },
  ])("reads all when of the last verified full pass $title", ({ last, reason }) => {
    expect(choosePlan(last, Date.parse(NOW), 24)).toEqual({ mode: "full", reason });
  });

  it.each([
    { order: "newest", newestAt: "front", finished: HOUR_AGO },
    { order: "oldest", newestAt: "end", finished: HOUR_AGO },
    { order: "newest", newestAt: "front", finished: "2026-10-01T12:00:00.001Z" },
    { order: "newest", newestAt: "front", finished: NOW },
  ] as const)(
    "reads the news alone from the $newestAt when it found the $order first ($finished)",
    (given) => {
      expect(choosePlan(lastPass(given.finished, given.order), Date.parse(NOW), 24)).toEqual({
        mode: "incremental",
        newestAt: given.newestAt,
        reason: `run 7 found the ${given.order} calls first`,
      });
    },
  );

  it("reads all each time when a full pass is always due", () => {
    expect(choosePlan(lastPass(NOW, "newest"), Date.parse(NOW), 0).mode).toBe("full");
  });
});
