import { asc, desc, eq, lt, lte, sql } from "drizzle-orm";
import type { ChangeReason } from "../../rollup/change-reasons.ts";
import { counts, exported_rollups, fact_changes, rules } from "../schema.ts";
import { type Tx, writeTransaction } from "../transaction.ts";
import type { Warehouse } from "../warehouse.ts";
import { FACTS } from "./call-facts.ts";

/*
 * Changes of facts are logged by triggers, so whatever code writes facts logs them in its own transaction. The triggers are
 * there only while an export is remembered whose figures may have to be explained: until then, they cost nothing.
 */

type Store = Pick<Warehouse, "db" | "sqlite">;

const RULES_BEING_APPLIED = "rules_being_applied";
const LOGS = "fact_logs";

const APPLIED = `(SELECT value FROM counts WHERE name = '${RULES_BEING_APPLIED}')`;
const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
const reasonText = (reason: ChangeReason) => `'${reason}'`;
const rowOf = (row: "OLD" | "NEW", columns: readonly string[]) =>
  columns.map((column) => `${row}.${column}`).join(", ");
const isOther = (columns: readonly string[]) =>
  `(${rowOf("OLD", columns)}) IS NOT (${rowOf("NEW", columns)})`;
const isOtherThanFirst = isOther(FACTS.filter((column) => column !== "is_first_call"));

const TRIGGERS: Record<string, string> = {
  fact_is_new: `AFTER INSERT ON call_facts BEGIN
  INSERT INTO fact_changes (call_id, changed_at, reason) VALUES (NEW.call_id, ${NOW}, ${reasonText("late")});
END`,
  fact_has_changed: `AFTER UPDATE ON call_facts WHEN ${isOther(FACTS)} BEGIN
  INSERT INTO fact_changes (call_id, changed_at, reason, rules_id, ${FACTS.join(", ")})
  VALUES (OLD.call_id, ${NOW}, CASE WHEN ${APPLIED} IS NOT NULL THEN ${reasonText("rules")}
    WHEN OLD.is_live > NEW.is_live THEN ${reasonText("gone")} WHEN OLD.is_live < NEW.is_live THEN ${reasonText("returned")}
    WHEN ${isOtherThanFirst} THEN ${reasonText("corrected")} ELSE ${reasonText("first_call")} END, ${APPLIED}, ${rowOf("OLD", FACTS)});
END`,
  fact_is_gone: `AFTER DELETE ON call_facts BEGIN
  INSERT INTO fact_changes (call_id, changed_at, reason, ${FACTS.join(", ")})
  VALUES (OLD.call_id, ${NOW}, ${reasonText("gone")}, ${rowOf("OLD", FACTS)});
END`,
};
const STATEMENTS = Object.entries(TRIGGERS).map(([name, text]) => ({
  name,
  statement: `CREATE TRIGGER ${name} ${text}`,
}));

/**
 * Begins to log changes of facts, unless they are logged already.
 *
 * @returns the number of the log: changes since then are all in it as long as {@link readFactLog} returns the same
 */
export function beginFactLog(warehouse: Warehouse): number {
  const known = readFactLog(warehouse);
  if (known !== undefined) return known;
  return writeTransaction(warehouse, () => {
    const another = readFactLog(warehouse);
    if (another !== undefined) return another;
    const { db, sqlite } = warehouse;
    // What changed while nothing was logged is not known.
    db.delete(exported_rollups).run();
    for (const { name, statement } of STATEMENTS) sqlite.exec(`DROP TRIGGER IF EXISTS ${name}; ${statement}`);
    return db
      .insert(counts)
      .values({ name: LOGS, value: 1 })
      .onConflictDoUpdate({ target: counts.name, set: { value: sql`${counts.value} + 1` } })
      .returning({ value: counts.value })
      .get().value;
  });
}

/** Makes a change of how facts are written, not of what they say, without logging it. */
export function withoutFactLog({ sqlite }: Tx, change: () => void): void {
  const stored = sqlite
    .prepare<[], [name: string, sql: string]>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .raw()
    .all()
    .filter(([name]) => name in TRIGGERS);
  for (const [name] of stored) sqlite.exec(`DROP TRIGGER ${name}`);
  change();
  for (const [, statement] of stored) sqlite.exec(statement);
}

/** Returns the number of the log of facts; undefined where changes are not logged, or not as this version logs them. */
export function readFactLog({ db, sqlite }: Store): number | undefined {
  const stored = new Map(
    sqlite
      .prepare<[], [name: string, sql: string]>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      .raw()
      .all(),
  );
  if (STATEMENTS.some(({ name, statement }) => stored.get(name) !== statement)) return undefined;
  return db.select({ value: counts.value }).from(counts).where(eq(counts.name, LOGS)).get()?.value;
}

/** Whether all changes after one are there still, so that figures from then can be explained. */
export function isLoggedSince(
  { db, sqlite }: Store,
  { log, changeId }: { log: number; changeId: number },
): boolean {
  if (readFactLog({ db, sqlite }) !== log) return false;
  const next = db
    .select()
    .from(fact_changes)
    .where(eq(fact_changes.change_id, changeId + 1))
    .get();
  return next !== undefined || readFactState({ db, sqlite }).changeId === changeId;
}

/** Returns the number of the last change of facts, and of the rules that they follow. */
export function readFactState({ db, sqlite }: Store): { changeId: number; rulesId: number } {
  // Of changes that are deleted since, it tells as well.
  const last = sqlite
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'fact_changes'")
    .pluck();
  const { rules_id } = rules;
  const inForce = db.select({ rules_id }).from(rules).orderBy(desc(rules_id)).limit(1).get();
  return { changeId: last.get() ?? 0, rulesId: inForce?.rules_id ?? 0 };
}

/** Makes what is logged from now on the doing of some rules; of none, with null. */
export function setRulesBeingApplied({ db }: Tx, rulesId: number | null): void {
  db.delete(counts).where(eq(counts.name, RULES_BEING_APPLIED)).run();
  if (rulesId !== null) db.insert(counts).values({ name: RULES_BEING_APPLIED, value: rulesId }).run();
}

/** A rollup that is not written again for so long is forgotten, and with it what would explain it. */
const MOST_DAYS = 400;

/**
 * Forgets rollups that nobody writes any more, and deletes what is logged that explains no rollup; where none is left, it
 * stops logging.
 */
export function pruneFactLog({ db, sqlite }: Tx, nowMs: number): void {
  const oldest = new Date(nowMs - MOST_DAYS * 86_400_000).toISOString();
  db.delete(exported_rollups).where(lt(exported_rollups.exported_at, oldest)).run();
  const { change_id } = exported_rollups;
  const earliest = db.select({ change_id }).from(exported_rollups).orderBy(asc(change_id)).limit(1).get();
  if (earliest !== undefined) {
    db.delete(fact_changes).where(lte(fact_changes.change_id, earliest.change_id)).run();
  } else if (readFactLog({ db, sqlite }) !== undefined) {
    for (const { name } of STATEMENTS) sqlite.exec(`DROP TRIGGER ${name}`);
    db.delete(fact_changes).run();
  }
}
