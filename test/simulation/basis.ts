import { COMPARED, findDifference } from "./looks.ts";
import type { TrueCall } from "./service.ts";
import type { Basis, Ran, World } from "./types.ts";

const HOUR_MS = 3_600_000;

/**
 * Keeps the truth as read by the last run: by a proven full pass without changes meanwhile. A run that read
 * anything else makes it unknown, unless there was nothing new to read.
 */
export function keepBasis(world: World, ran: Ran): void {
  const { hasLagged } = ran;
  const [run] = world.read(
    "SELECT run_id, status, verdict, mode, resumed FROM sync_runs ORDER BY run_id DESC LIMIT 1",
  );
  if (run === undefined) return;
  const runId = Number(run.run_id);
  if (runId === world.lastRun) return;
  if (run.status === "done") world.lastRun = runId;
  const sinceMs = ran.startedAt - (world.service.changedMs - world.startMs);
  // Pages of an interrupted run may be an hour older.
  const isKnown = world.basis !== undefined && sinceMs > ran.startedAt - world.basis.readAt && !hasLagged;
  if (isKnown && run.status === "done") {
    world.basis = { runId, readAt: ran.startedAt, calls: countedCalls(world) };
    return;
  }
  const isQuiet = sinceMs > (run.resumed === null || run.resumed === 0 ? 0 : 2 * HOUR_MS);
  const isProven = run.mode === "full" && (run.verdict === "exact" || run.verdict === "verified");
  if (run.status !== "done" || !isQuiet || hasLagged || !isProven) {
    world.basis = undefined;
    return;
  }
  world.count("bases");
  world.basis = { runId, readAt: ran.startedAt, calls: countedCalls(world) };
}

/** The listed calls, and those that the warehouse does not yet count as gone. */
export function countedCalls({ service, read }: Pick<World, "service" | "read">): Basis["calls"] {
  const calls = new Map<number, TrueCall>(service.calls);
  for (const row of read(`SELECT call_id, ${COMPARED.join()} FROM calls WHERE gone_at IS NULL`)) {
    const id = Number(row.call_id);
    if (!service.removed.has(id)) continue;
    // Its last version was never served, or only to a process that was killed.
    const versions = service.served.get(id) ?? [];
    const stored = versions.find((version) => findDifference(version, row) === undefined) ?? versions[0];
    if (stored !== undefined) calls.set(id, stored);
  }
  return calls;
}
