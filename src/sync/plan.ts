import { ageOf, isFuture } from "../base/clock.ts";
import { describeKeys, type OrderKey, readKeys, type Sort } from "../service/paging/order-key.ts";

const HOUR_MS = 3_600_000;

export interface LastFullPass {
  run_id: number;
  finished_at: string | null;
  order_key: string | null;
  sort: Sort | null;
}

export type Plan =
  | { mode: "full"; reason: string }
  | { mode: "incremental"; newestAt: "front" | "end"; keys: readonly OrderKey[]; reason: string };

/** Chooses an incremental sync if it is safe, otherwise a full pass. */
export function choosePlan(last: LastFullPass | undefined, nowMs: number, fullEveryHours: number): Plan {
  if (last === undefined || last.finished_at === null) {
    return { mode: "full", reason: "no full pass has been verified yet" };
  }
  if (isFuture(last.finished_at, nowMs)) {
    return { mode: "full", reason: "the last verified full pass is dated in the future" };
  }
  const ageHours = ageOf(last.finished_at, nowMs) / HOUR_MS;
  if (ageHours >= fullEveryHours) {
    return { mode: "full", reason: `the last verified full pass is older than ${fullEveryHours} h` };
  }
  // An order by id alone does not show where the look-back ends.
  const keys = readKeys(last.order_key).filter(({ name }) => name.startsWith("call_started"));
  const newestAt = keys[0]?.newestAt;
  if (newestAt === undefined || last.sort !== "own") {
    return { mode: "full", reason: "the service does not list the calls in order of time" };
  }
  return {
    mode: "incremental",
    newestAt,
    keys,
    reason: `run ${last.run_id} found the ${describeKeys(keys)}`,
  };
}

export function callOrderOf(keys: readonly OrderKey[]): "newest" | "oldest" | "unknown" {
  const newestAt = keys.find((key) => key.newestAt !== undefined)?.newestAt;
  return newestAt === undefined ? "unknown" : newestAt === "front" ? "newest" : "oldest";
}
