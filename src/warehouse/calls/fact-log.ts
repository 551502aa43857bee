import { desc, eq, lte } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { recordOf } from "../../base/records.ts";
import { CHANGE_REASONS, type ChangeReason } from "../../sources/change-reasons.ts";
import { OUTCOME_SUMS, OUTCOMES_BY_CALL } from "../../sources/sqlite/outcome-sums.ts";
import { addToCount, countRows, readCount, setCount } from "../counts.ts";
import { about, describeTable } from "../described.ts";
import {
  findOutdated,
  isOther,
  readObjects,
  replaceOutdated,
  rowOf,
  type SchemaObjects,
} from "../stored-objects.ts";
import type { Tx } from "../transaction.ts";
import type { Reader } from "../warehouse.ts";
import { CALL_FACTS, STORED_FACTS } from "./facts.ts";
import { rules } from "./rules.ts";

const DESCRIBED = new Map(CALL_FACTS.columns.map((column) => [column.name, column]));

export const fact_changes = sqliteTable("fact_changes", {
  change_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the change."),
  call_id: about(integer().notNull(), "The call."),
  changed_at: about(text().notNull(), "When its facts were written, ISO 8601 UTC."),
  reason: about(
    text({ enum: CHANGE_REASONS }).notNull(),
    "late: the call was not here. corrected: its content changed at the service. gone or returned: the service no longer lists it, or lists it again. rules: it was attributed again. first_call: it became, or ceased to be, the first of its caller. outcomes_changed: its jobs changed.",
  ),
  rules_id: about(integer(), "The row in `rules` that caused it; null for other reasons."),
  ...recordOf(STORED_FACTS, (fact) => {
    const { type, personal } = DESCRIBED.get(fact) ?? {};
    const all =
      fact === STORED_FACTS[0] ? "; this and all following columns are null if the call was not here" : "";
    return about(
      type === "integer" ? integer() : text(),
      `\`${fact}\` in \`call_facts\` before the change${all}.`,
      personal,
    );
  }),
  ...recordOf(OUTCOME_SUMS, (sum) =>
    about(integer(), `\`${sum}\` of its jobs before they changed; null for other reasons.`),
  ),
});
export const FACT_CHANGES = describeTable(
  fact_changes,
  "Changes of facts since the earliest export in `exported_rollups`; empty if there is none.",
);

/**
 * Triggers log changes of facts, so any code that writes facts logs them in its own transaction. The triggers exist
 * only while there is a recorded export whose figures may have to be explained; without one they cost nothing.
 */

const RULES_BEING_APPLIED = "rules_being_applied";
const LOGS = "fact_logs";

const APPLIED = `(SELECT value FROM counts WHERE name = '${RULES_BEING_APPLIED}')`;
const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
const reasonText = (reason: ChangeReason) => `'${reason}'`;
const isOtherThanFirst = isOther(STORED_FACTS.filter((column) => column !== "is_first_call"));

export const LOG_TRIGGERS: SchemaObjects = {
  fact_is_new: `AFTER INSERT ON call_facts BEGIN
  INSERT INTO fact_changes (call_id, changed_at, reason) VALUES (NEW.call_id, ${NOW}, ${reasonText("late")});
END`,
  fact_has_changed: `AFTER UPDATE ON call_facts WHEN ${isOther(STORED_FACTS)} BEGIN
  INSERT INTO fact_changes (call_id, changed_at, reason, rules_id, ${STORED_FACTS.join(", ")})
  VALUES (OLD.call_id, ${NOW}, CASE WHEN ${APPLIED} IS NOT NULL THEN ${reasonText("rules")}
    WHEN OLD.is_live > NEW.is_live THEN ${reasonText("gone")} WHEN OLD.is_live < NEW.is_live THEN ${reasonText("returned")}
    WHEN ${isOtherThanFirst} THEN ${reasonText("corrected")} ELSE ${reasonText("first_call")} END, ${APPLIED}, ${rowOf("OLD", STORED_FACTS)});
END`,
  fact_is_gone: `AFTER DELETE ON call_facts BEGIN
  INSERT INTO fact_changes (call_id, changed_at, reason, ${STORED_FACTS.join(", ")})
  VALUES (OLD.call_id, ${NOW}, ${reasonText("gone")}, ${rowOf("OLD", STORED_FACTS)});
END`,
};

/** Changes what calls led to, and logs the calls for which that is something else afterwards. */
export function logOutcomeChanges<Result>(tx: Tx, change: () => Result): Result {
  const { sqlite } = tx;
  if (readFactLog(tx) === undefined) return change();
  sqlite.exec(`CREATE TEMP TABLE earlier_outcomes AS ${OUTCOMES_BY_CALL}`);
  const result = change();
  const [was, is] = ["was", "now"].map((row) =>
    OUTCOME_SUMS.map((sum) => `coalesce(${row}.${sum}, 0)`).join(", "),
  );
  sqlite.exec(`INSERT INTO fact_changes (call_id, changed_at, reason, ${STORED_FACTS.join(", ")}, ${OUTCOME_SUMS.join(", ")})
  SELECT f.call_id, ${NOW}, ${reasonText("outcomes_changed")}, ${STORED_FACTS.map((fact) => `f.${fact}`).join(", ")}, ${was}
  FROM temp.earlier_outcomes AS was FULL JOIN (${OUTCOMES_BY_CALL}) AS now ON now.call_id = was.call_id
    JOIN call_facts AS f ON f.call_id = coalesce(was.call_id, now.call_id)
  WHERE (${was}) IS NOT (${is});
  DROP TABLE temp.earlier_outcomes`);
  return result;
}

export function startFactLog(tx: Tx): number {
  replaceOutdated(tx.sqlite, "TRIGGER", LOG_TRIGGERS);
  return addToCount(tx, LOGS, 1);
}

/** Changes how facts are written, but not their meaning, without logging it. */
export function withoutFactLog({ sqlite }: Tx, change: () => void): void {
  const stored = [...readObjects(sqlite, "TRIGGER")].filter(([name]) => name in LOG_TRIGGERS);
  for (const [name] of stored) sqlite.exec(`DROP TRIGGER ${name}`);
  change();
  for (const [, statement] of stored) sqlite.exec(statement);
}

/** Returns the id of the fact log; undefined if changes are not logged, or by another version. */
export function readFactLog(warehouse: Reader): number | undefined {
  const isLogging = findOutdated(warehouse.sqlite, "TRIGGER", LOG_TRIGGERS).length === 0;
  return isLogging ? readCount(warehouse, LOGS) : undefined;
}

/** Whether all later changes are still there, so that figures from then can be explained. */
export function isLoggedSince(
  warehouse: Reader,
  { log, changeId }: { log: number; changeId: number },
): boolean {
  if (readFactLog(warehouse) !== log) return false;
  const isNext = eq(fact_changes.change_id, changeId + 1);
  return countRows(warehouse, fact_changes, isNext) > 0 || readFactState(warehouse).changeId === changeId;
}

/** Returns which facts of calls changed since the first change after `since`; none of calls that were not here. */
export function readChangedFacts(
  { sqlite }: Reader,
  since: number,
  callIds: readonly number[],
): ReadonlyMap<number, readonly string[]> {
  const others = STORED_FACTS.map((fact) => `c.${fact} IS NOT f.${fact}`).join(", ");
  const rows = sqlite
    .prepare<[number, string], [call_id: number, ...isOther: number[]]>(
      `SELECT c.call_id, ${others} FROM fact_changes AS c JOIN call_facts AS f ON f.call_id = c.call_id
      WHERE c.is_live IS NOT NULL AND c.change_id IN (SELECT min(change_id) FROM fact_changes
        WHERE change_id > ? AND call_id IN (SELECT value FROM json_each(?)) GROUP BY call_id)`,
    )
    .raw()
    .all(since, JSON.stringify(callIds));
  return new Map(
    rows.map(([callId, ...isOther]) => [callId, STORED_FACTS.filter((_, index) => isOther[index] === 1)]),
  );
}

export function readFactState({ db, sqlite }: Reader): { changeId: number; rulesId: number } {
  // The sequence also counts changes that were deleted since.
  const last = sqlite
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'fact_changes'")
    .pluck();
  const { rules_id } = rules;
  const inForce = db.select({ rules_id }).from(rules).orderBy(desc(rules_id)).limit(1).get();
  return { changeId: last.get() ?? 0, rulesId: inForce?.rules_id ?? 0 };
}

/** Attributes changes logged from now on to these rules; null for none. */
export function setRulesBeingApplied(tx: Tx, rulesId: number | null): void {
  setCount(tx, RULES_BEING_APPLIED, rulesId);
}

/** Deletes the log up to a change; without one, deletes all of it and stops logging. Returns how many changes it deleted. */
export function trimFactLog(tx: Tx, changeId: number | undefined): number {
  const { db, sqlite } = tx;
  if (changeId !== undefined) {
    return db.delete(fact_changes).where(lte(fact_changes.change_id, changeId)).run().changes;
  }
  if (readFactLog(tx) === undefined) return 0;
  for (const name of Object.keys(LOG_TRIGGERS)) sqlite.exec(`DROP TRIGGER ${name}`);
  return db.delete(fact_changes).run().changes;
}
