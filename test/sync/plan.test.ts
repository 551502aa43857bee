import { describe, expect, it } from "vitest";
import { readKeys, type Sort } from "../../src/service/paging/order-key.ts";
import { callOrderOf, choosePlan } from "../../src/sync/plan.ts";

const NOW = "2026-10-02T12:00:00.000Z";
const lastPass = (finished_at: string | null, order_key: string | null, sort: Sort | null = "own") => ({
  run_id: 7,
  finished_at,
  order_key,
  sort,
});
const HOUR_AGO = "2026-10-02T11:00:00.000Z";

describe("choosePlan", () => {
  it.each([
    { title: "does not exist", last: undefined, reason: "no full pass has been verified yet" },
    {
      title: "has an unknown end",
      last: lastPass(null, "call_started desc"),
      reason: "no full pass has been verified yet",
    },
    {
      title: "is as old as allowed",
      last: lastPass("2026-10-01T12:00:00.000Z", "call_started desc"),
      reason: "the last verified full pass is older than 24 h",
    },
    {
      title: "is dated in the future, as after the clock was set back",
      last: lastPass("2026-10-02T12:01:00.001Z", "call_started desc"),
      reason: "the last verified full pass is dated in the future",
    },
    {
      title: "met the calls in no order",
      last: lastPass(HOUR_AGO, "insight_name asc then call_id asc"),
      reason: "the service does not list the calls in order of time",
    },
    {
      title: "met the calls in the requested order",
      last: lastPass(HOUR_AGO, "call_started desc", "source_name asc"),
      reason: "the service does not list the calls in order of time",
    },
    {
      title: "met the calls only in the order of their ids, which may be any order of time",
      last: lastPass(HOUR_AGO, "call_id desc"),
      reason: "the service does not list the calls in order of time",
    },
    {
      title: "is from a calltally that did not record the order",
      last: lastPass(HOUR_AGO, null),
      reason: "the service does not list the calls in order of time",
    },
  ])("reads everything if the last verified full pass $title", ({ last, reason }) => {
    expect(choosePlan(last, Date.parse(NOW), 24)).toEqual({ mode: "full", reason });
  });

  it.each([
    { key: "call_started desc", newestAt: "front", finished: HOUR_AGO, words: "newest start first" },
    { key: "call_started asc", newestAt: "end", finished: HOUR_AGO, words: "oldest start first" },
    {
      key: "call_started desc",
      newestAt: "front",
      finished: "2026-10-01T12:00:00.001Z",
      words: "newest start first",
    },
    { key: "call_id desc, call_started desc", newestAt: "front", finished: NOW, words: "newest start first" },
  ] as const)("reads only new calls from the $newestAt if the order was $key ($finished)", (given) => {
    expect(choosePlan(lastPass(given.finished, given.key), Date.parse(NOW), 24)).toEqual({
      mode: "incremental",
      newestAt: given.newestAt,
      keys: readKeys(given.key).filter(({ name }) => name.startsWith("call_started")),
      reason: `run 7 found the ${given.words}`,
    });
  });

  it("reads everything each time if a full pass is always due", () => {
    expect(choosePlan(lastPass(NOW, "call_started desc"), Date.parse(NOW), 0).mode).toBe("full");
  });
});

describe("callOrderOf", () => {
  it.each([
    { keys: "call_id desc, call_started desc", order: "newest" },
    { keys: "insight_name asc then call_id asc, call_started asc", order: "oldest" },
    { keys: "insight_name asc then call_id asc", order: "unknown" },
    { keys: "", order: "unknown" },
  ])("names which calls come first in an order by $keys: $order", ({ keys, order }) => {
    expect(callOrderOf(readKeys(keys))).toBe(order);
  });
});
