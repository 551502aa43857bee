import { ApiError } from "../api/api-errors.ts";
import { EXIT, UsageError } from "../base/errors.ts";
import { readLastVerifiedPass, readPause, type SyncRun, updateRun } from "../warehouse/runs/runs.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { finish } from "./finish.ts";
import { judgeReading } from "./judge-reading.ts";
import { fail, startOrResume } from "./ledger.ts";
import { choosePlan, type Plan } from "./plan.ts";
import { type Run, readAll, readIncremental } from "./read-calls.ts";
import { PageStore } from "./store.ts";

/**
 * Reads calls into the warehouse as the plan says, and returns the run as it stands in the ledger. An incremental read
 * that cannot be trusted is followed by a full pass, unless it was asked for.
 *
 * @throws UsageError where an incremental read was asked for and cannot be made
 */
export async function syncWarehouse(run: Run): Promise<SyncRun> {
  const {
    warehouse,
    clock,
    force,
    claim,
    keeping,
    recordingSignature: signature = new Set(),
    fileCheckedAt,
  } = run;
  if (!run.now) assertWelcome(warehouse, clock.now());
  const plan = planRun(run);

  const startedMs = clock.now();
  const { runId, ...start } = startOrResume(warehouse, plan, startedMs);
  const entry = { runId, pid: process.pid, startedMs };
  try {
    if (fileCheckedAt !== undefined) updateRun(warehouse, runId, { file_checked_at: fileCheckedAt });
    const store = new PageStore(warehouse, entry, start.earlier.length, { claim, signature, keeping });
    if (plan.mode === "incremental") {
      const reading = await readIncremental(run, store, plan.newestAt);
      const judged = judgeReading(run, runId, reading);
      const isTrusted = judged.judgement.verdict !== "unverified";
      if (isTrusted || force === "incremental") return finish(run, entry, store, judged);
      // Its pages first: those of half a walk must never be taken for the beginning of a full one.
      store.startOver(start.sort);
      updateRun(warehouse, runId, { mode: "full", plan_reason: judged.judgement.verdict_reason });
    }
    const reading = await readAll(run, store, start);
    return finish(run, entry, store, judgeReading(run, runId, reading));
  } catch (error) {
    try {
      fail(run, entry, error);
    } catch {
      // The first error says why, such as a full disk; the next run closes this one as killed.
    }
    throw error;
  }
}

/** The service may have asked the last run to stay away for longer than that run could wait. */
function assertWelcome(warehouse: Warehouse, nowMs: number): void {
  const until = readPause(warehouse, nowMs);
  if (until === undefined) return;
  throw new ApiError(EXIT.unreachable, `The API asked for a pause until ${until}: no request was sent`, {
    hint: "Run it again after that time, or use `calltally sync --now`.",
  });
}

function planRun({ warehouse, clock, fullEveryHours, force }: Run): Plan {
  const last = readLastVerifiedPass(warehouse);
  if (force === "full") return { mode: "full", reason: "requested" };
  if (force === undefined) return choosePlan(last, clock.now(), fullEveryHours);
  const plan = choosePlan(last, clock.now(), Number.POSITIVE_INFINITY);
  if (plan.mode === "incremental") return { ...plan, reason: "requested" };
  throw new UsageError(`Cannot read incrementally: ${plan.reason}`, { hint: "Run `calltally sync --full`." });
}
