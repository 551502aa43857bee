import { UsageError } from "../base/errors.ts";
import type { ChangedSince } from "../config/request/changed-since.ts";
import type { Ask } from "../config/request/resolve.ts";
import { readLastRunId, readRun } from "../warehouse/runs/runs.ts";
import type { Reader } from "../warehouse/warehouse.ts";

interface Now extends Pick<Ask, "spell"> {
  /** Moment of the last change of a call. */
  untilMs: number;
  nowMs: number;
}

/**
 * Returns the moment that changes are listed after.
 * @throws UsageError for a run that has not ended, and for a time after the last change that is still to come
 */
export function toMoment(reader: Reader, since: ChangedSince, { untilMs, nowMs, spell }: Now): number {
  const option = spell("changed_since");
  if ("afterMs" in since) {
    const { afterMs } = since;
    if (afterMs <= Math.max(untilMs, nowMs)) return afterMs;
    throw new UsageError(`${option} ${new Date(afterMs).toISOString()} is in the future`, {
      hint: "The clock was set back, or the time is from another warehouse. List all calls with 1970-01-01.",
    });
  }
  const { runId } = since;
  const run = readRun(reader, runId);
  if (run?.moment_ms != null) return run.moment_ms;
  const state =
    run === undefined ? `does not exist; the last one is ${readLastRunId(reader)}` : `is ${run.status}`;
  throw new UsageError(`${option} needs a finished run, and run ${runId} ${state}`, {
    hint: "`calltally status` shows the runs. A time or a day can be given, too.",
  });
}
