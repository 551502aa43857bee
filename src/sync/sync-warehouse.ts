import { EXIT, UsageError } from "../base/errors.ts";
import { ApiError } from "../service/api/api-errors.ts";
import { readLastVerifiedPass, readPause, type SyncRun, updateRun } from "../warehouse/runs/runs.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import { finish } from "./finish.ts";
import { judgeReading } from "./judge-reading.ts";
import { fail, startOrResume } from "./ledger.ts";
import { choosePlan, type Plan } from "./plan.ts";
import { type Run, readAll, readIncremental } from "./read-calls.ts";
import { PageStore } from "./store.ts";

/**
 * Reads calls into the warehouse by the plan, and returns the run as recorded in `sync_runs`. If an incremental sync cannot
 * be trusted, a full pass follows, unless `force` is "incremental".
 *
 * @throws UsageError if `force` is "incremental" and no incremental sync is possible
 */
export async function syncWarehouse(run: Run): Promise<SyncRun> {
  const {
    warehouse,
    clock,
    force,
    claim,
    keeping,
    recordingSignature: signature = new Set(),
    fileCheck,
  } = run;
  if (!run.now) assertWelcome(warehouse, clock.now());
  const plan = planRun(run);

  const startedMs = clock.now();
  const { runId, ...start } = startOrResume(warehouse, plan, startedMs);
  const entry = { runId, pid: process.pid, startedMs };
  try {
    if (fileCheck !== undefined && fileCheck !== "later")
      updateRun(warehouse, runId, { file_checked_at: fileCheck });
    const store = new PageStore(warehouse, entry, start.earlier.length, { claim, signature, keeping });
    let mostBefore = 0;
    if (plan.mode === "incremental") {
      const reading = await readIncremental(run, store, plan.newestAt);
      const judged = judgeReading(run, runId, reading);
      const isTrusted = judged.judgement.verdict !== "unverified";
      if (isTrusted || force === "incremental") return finish(run, entry, store, judged);
      mostBefore = reading.evidence.totals.most;
      // Deletes the pages first: they must never be resumed as the beginning of a full pass.
      store.startOver(start.sort);
      updateRun(warehouse, runId, { mode: "full", plan_reason: judged.judgement.verdict_reason });
    }
    const reading = await readAll(run, store, { ...start, mostBefore });
    return finish(run, entry, store, judgeReading(run, runId, reading));
  } catch (error) {
    try {
      fail(run, entry, error);
    } catch {
      // The first error has the reason, such as a full disk; the next run closes this one as killed.
    }
    throw error;
  }
}

/** @throws ApiError if the service asked the last run for a pause that is not over */
function assertWelcome(warehouse: Reader, nowMs: number): void {
  const until = readPause(warehouse, nowMs);
  if (until === undefined) return;
  throw new ApiError(EXIT.unreachable, `The API asked for a pause until ${until}: no request was sent`, {
    hint: ({ syncNow }) =>
      `Run it again after that time${syncNow === undefined ? "" : `, or use ${syncNow}`}.`,
  });
}

function planRun({ warehouse, clock, fullEveryHours, force }: Run): Plan {
  const last = readLastVerifiedPass(warehouse);
  if (force === "full") return { mode: "full", reason: "requested" };
  if (force === undefined) return choosePlan(last, clock.now(), fullEveryHours);
  const plan = choosePlan(last, clock.now(), Number.POSITIVE_INFINITY);
  if (plan.mode === "incremental") return { ...plan, reason: "requested" };
  throw new UsageError(`Cannot read incrementally: ${plan.reason}`, {
    hint: ({ fullSync }) => `Run ${fullSync}.`,
  });
}
