import { setImmediate } from "node:timers/promises";
import { asc, getTableColumns, gt, sql } from "drizzle-orm";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { CallFactsTable } from "./call-facts.ts";
import { readCallCount } from "./call-table.ts";
import { settleCallers } from "./first-load.ts";
import type { Warehouse } from "./open.ts";
import { insertRules, isInForce, readRules } from "./rules.ts";
import { call_facts, callers, calls } from "./schema.ts";
import { updateViews } from "./views.ts";

const BATCH_ROWS = 1000;
/** Below every identifier, which are safe integers. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER - 1;

export interface ApplyRulesOptions {
  nowMs: number;
  signal?: AbortSignal | undefined;
  /** Receives the progress. */
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
}

/** Progress of recomputing the facts, in calls. */
export interface AttributionProgress {
  read: number;
  total: number;
}

/** Whether the facts of a warehouse differ from those that the given rules would give. */
export function needsAttribution(warehouse: Warehouse, rules: AttributionRules): boolean {
  const inForce = readRules(warehouse);
  return inForce === undefined || !isInForce(inForce, rules);
}

/**
 * Recomputes the facts of all calls by the given rules, in one transaction that keeps out other writers. Returns the number
 * of calls, or undefined if the facts already follow those rules.
 *
 * @throws the reason of the signal
 */
export async function applyRules(
  warehouse: Warehouse,
  rules: AttributionRules,
  { nowMs, signal, onAttributed }: ApplyRulesOptions,
): Promise<number | undefined> {
  const { sqlite, assertInPlace } = warehouse;
  if (!needsAttribution(warehouse, rules)) {
    sqlite.transaction(() => updateViews(sqlite, rules)).immediate();
    return undefined;
  }
  assertInPlace();
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    let done = 0;
    for (const progress of attributeAll(warehouse, rules, nowMs)) {
      onAttributed?.(progress);
      done = progress.read;
      await setImmediate();
      signal?.throwIfAborted();
    }
    sqlite.exec("COMMIT");
    return done;
  } finally {
    // A full disk has ended it already.
    if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
  }
}

/** Recomputes the facts of all calls in batches, and yields the progress. Run it in one transaction. */
export function* attributeAll(
  warehouse: Pick<Warehouse, "db" | "sqlite">,
  rules: AttributionRules,
  nowMs: number,
): Generator<AttributionProgress, void, void> {
  const { db, sqlite } = warehouse;
  const { row_hash, served_hash, first_run_id, changed_run_id, recording_url, extra, ...columns } =
    getTableColumns(calls);
  const select = db
    .select(columns)
    .from(calls)
    .where(gt(calls.call_id, sql.placeholder("last")))
    .orderBy(asc(calls.call_id))
    .limit(BATCH_ROWS)
    .prepare();
  db.delete(callers).run();
  db.delete(call_facts).run();
  const facts = new CallFactsTable(warehouse, rules, { isFirstLoad: true });
  const total = readCallCount({ db });
  let read = 0;
  for (let last = BEFORE_ALL; ; ) {
    const batch = select.all({ last });
    facts.write(batch.map((call) => ({ call, isNew: true, isLive: call.gone_at === null })));
    read += batch.length;
    last = batch.at(-1)?.call_id ?? last;
    if (batch.length < BATCH_ROWS) break;
    yield { read, total };
  }
  settleCallers(warehouse);
  insertRules(warehouse, rules, { since: new Date(nowMs).toISOString(), calls: read });
  updateViews(sqlite, rules);
  yield { read, total };
}
