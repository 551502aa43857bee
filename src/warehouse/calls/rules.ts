import { desc, eq } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { type AttributionRules, toRulesJson } from "../../calls/attribution/attribution-rules.ts";
import { ATTRIBUTION_VERSION } from "../../calls/attribution/derive-facts.ts";
import { rulesSchema } from "../../calls/attribution/rules-schema.ts";
import { about, describeTable } from "../described.ts";
import type { Tx } from "../transaction.ts";
import type { Reader } from "../warehouse.ts";

export const rules = sqliteTable("rules", {
  rules_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the change."),
  since: about(text().notNull(), "Since when, ISO 8601 UTC."),
  version: about(integer().notNull(), "Version of the program's own part of the rules."),
  rules: about(
    text().notNull(),
    "JSON: answered, missed, qualified_seconds, duration_unit, aliases of utm values and of fields, lines of topics and of channels, opening hours.",
  ),
  calls: about(integer().notNull(), "Calls whose attribution was recomputed."),
  caller_key: about(text(), "Fingerprint of the key of callers' digests; null where numbers are used."),
});
export const RULES = describeTable(rules, "The rules behind the facts; the last row is in force.");

const byName = z.record(z.string(), z.unknown());

export function readRulesInForce({ db }: Reader) {
  const row = db.select().from(rules).orderBy(desc(rules.rules_id)).limit(1).get();
  if (row === undefined) throw new Error("The warehouse has no rules");
  const { version, since, caller_key } = row;
  const read: AttributionRules = rulesSchema.parse(JSON.parse(row.rules));
  return {
    rules: caller_key === null ? read : { ...read, caller_digests: true },
    version,
    since,
    caller_key,
  };
}

/** Returns the settings that differ between two rows, separated by commas; `program` for the program's own part. */
export function describeRulesChange({ db }: Reader, beforeId: number, nowId: number): string | null {
  const [before = {}, now = {}] = [beforeId, nowId].map((id): Record<string, unknown> => {
    const row = db.select().from(rules).where(eq(rules.rules_id, id)).get();
    return row === undefined
      ? {}
      : {
          ...byName.parse(JSON.parse(toRulesJson(rulesSchema.parse(JSON.parse(row.rules))))),
          program: row.version,
        };
  });
  const names = Object.keys(now).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
  return names.length === 0 ? null : names.join(", ");
}

/** Whether facts follow these rules, however callers are known. */
export function followsRules(
  { rules, version }: ReturnType<typeof readRulesInForce>,
  others: AttributionRules,
): boolean {
  return version === ATTRIBUTION_VERSION && toRulesJson(rules) === toRulesJson(others);
}

export function insertRules(
  { db }: Tx,
  inForce: AttributionRules,
  { since, calls, callerKey = null }: { since: string; calls: number; callerKey?: string | null },
): number {
  const { caller_digests: _, ...stored } = inForce;
  return db
    .insert(rules)
    .values({
      since,
      version: ATTRIBUTION_VERSION,
      rules: JSON.stringify(stored),
      calls,
      caller_key: callerKey,
    })
    .returning({ rules_id: rules.rules_id })
    .get().rules_id;
}
