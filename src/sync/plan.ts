import type { CallOrder } from "./time-order.ts";

const HOUR_MS = 3_600_000;

/** The last full pass that was verified. */
export interface LastFullPass {
  run_id: number;
  finished_at: string | null;
  call_order: CallOrder | null;
}

export type Plan =
  | { mode: "full"; reason: string }
  | { mode: "incremental"; newestAt: "front" | "end"; reason: string };

/** Chooses how to read: from the live end alone where that is safe, else all. */
export function choosePlan(last: LastFullPass | undefined, nowMs: number, fullEveryHours: number): Plan {
  if (last === undefined || last.finished_at === null) {
    return { mode: "full", reason: "no full pass has been verified yet" };
  }
  const ageHours = (nowMs - Date.parse(last.finished_at)) / HOUR_MS;
  if (ageHours >= fullEveryHours) {
    return { mode: "full", reason: `the last verified full pass is older than ${fullEveryHours} h` };
  }
  // A clock that was set back must not put off full passes.
  if (ageHours < 0) return { mode: "full", reason: "the last verified full pass is dated in the future" };
  if (last.call_order === "newest" || last.call_order === "oldest") {
    const newestAt = last.call_order === "newest" ? "front" : "end";
    return {
      mode: "incremental",
      newestAt,
      reason: `run ${last.run_id} found the ${last.call_order} calls first`,
    };
  }
  return { mode: "full", reason: "the service lists the calls in no order of time" };
}
