import type { SyncRun } from "../warehouse/runs.ts";
import type { Cron } from "./cron.ts";

export interface Health {
  status: "ok" | "failing";
  /** Why it is failing. */
  reason?: string;
  /** The last sync whose copy can be trusted. */
  last_good_sync?: { run_id: number; finished_at: string | null; verdict: SyncRun["verdict"] };
}

export interface HealthFacts {
  lastGoodRun: Pick<SyncRun, "run_id" | "finished_at" | "verdict"> | undefined;
  /** When syncs are due. */
  cron: Cron;
  /** Time a job may take, milliseconds. */
  deadlineMs: number;
  nowMs: number;
}

/**
 * Judges whether the copy is kept up to date: a sync may fail, but not for longer than two slots, and the time that the
 * second may take.
 */
export function judgeHealth({ lastGoodRun, cron, deadlineMs, nowMs }: HealthFacts): Health {
  if (!lastGoodRun?.finished_at) return { status: "failing", reason: "no sync has succeeded yet" };
  const { run_id, finished_at, verdict } = lastGoodRun;
  const last_good_sync = { run_id, finished_at, verdict };
  const dueMs = cron.next(cron.next(Date.parse(finished_at))) + deadlineMs;
  if (nowMs <= dueMs) return { status: "ok", last_good_sync };
  const due = new Date(dueMs).toISOString();
  return { status: "failing", reason: `the next successful sync was due by ${due}`, last_good_sync };
}
