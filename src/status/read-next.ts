import { attempt } from "../base/errors.ts";
import type { Settings } from "../config/load-settings.ts";
import { parseCron } from "../schedule/cron.ts";
import { choosePlan } from "../sync/plan.ts";
import { readLastVerifiedPass, readPause } from "../warehouse/runs/runs.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

const HOUR_MS = 3_600_000;

export function readNext(warehouse: Warehouse, settings: Settings, nowMs: number) {
  const { fullEveryHours, syncCron, exportCron, insightsCron, insightIds, timezone } = settings;
  const last = readLastVerifiedPass(warehouse);
  const plan = choosePlan(last, nowMs, fullEveryHours);
  const dueMs = Date.parse(last?.finished_at ?? "") + fullEveryHours * HOUR_MS;
  const slot = (expression: string) => nextSlot(expression, timezone, nowMs);
  return {
    /** The mode of the next sync, and why. */
    plan: plan.mode,
    plan_reason: plan.reason,
    /** When a full pass is due by age. */
    full_pass_due: plan.mode === "full" ? null : new Date(dueMs).toISOString(),
    /** When the pause that the service asked for ends. */
    not_before: readPause(warehouse, nowMs) ?? null,
    /** The next times of `calltally schedule`, if it runs. */
    sync: slot(syncCron),
    export: slot(exportCron),
    insights: insightIds.length > 0 ? slot(insightsCron) : null,
  };
}

/** Returns the next time of a cron expression; null for an invalid one, which `calltally doctor` and `schedule` report. */
export function nextSlot(expression: string, timezone: string, nowMs: number): string | null {
  return attempt(() => new Date(parseCron(expression, timezone).next(nowMs)).toISOString()) ?? null;
}
