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
  /** Is told how far it is. */
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
}

/** How many calls have their facts. */
export interface AttributionProgress {
  read: number;
  total: number;
}

/** Whether the facts of a warehouse are not those that some rules would make. */
export function needsAttribution(warehouse: Warehouse, rules: AttributionRules): boolean {
  const inForce = readRules(warehouse);
  return inForce === undefined || !isInForce(inForce, rules);
}

/**
 * Makes the facts of all calls anew by other rules, whole or not at all; nobody else may write meanwhile. Returns how many
 * calls that were, undefined where the facts are those of the rules already.
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

/** Makes the facts of all calls anew, a batch at a time; yields how far it is. Run it in one transaction. */
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
