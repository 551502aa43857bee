import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { namesOf } from "../../base/records.ts";
import { FACT_NAMES, FACTS, type FactName, IN_HOURS, OUTCOMES } from "../../calls/facts.ts";
import { about, describeTable } from "../described.ts";
import { callers } from "./callers.ts";
import { calls } from "./calls.ts";

const BUILDERS = {
  time: () => text(),
  integer: () => integer(),
  flag: () => integer({ mode: "boolean" }).notNull(),
  text: () => text(),
  "required text": () => text().notNull(),
  outcome: () => text({ enum: OUTCOMES }).notNull(),
  "in hours": () => text({ enum: IN_HOURS }),
};

type BuilderOf<Name extends FactName> = (typeof BUILDERS)[(typeof FACTS)[Name]["type"]];

const caller_id = () => integer().references(() => callers.caller_id);

/** The columns of facts. The caller's is the row in `callers`. */
function columnsOfFacts(): { [Name in Exclude<FactName, "caller">]: ReturnType<BuilderOf<Name>> } & {
  caller_id: ReturnType<typeof caller_id>;
};
function columnsOfFacts(): object {
  return Object.fromEntries(
    FACT_NAMES.map((name) => {
      const { type, help, ...fact } = FACTS[name];
      const isCaller = name === "caller";
      const builder = isCaller ? caller_id() : BUILDERS[type]();
      return [
        isCaller ? "caller_id" : name,
        about(builder, help, "personal" in fact ? fact.personal : undefined),
      ];
    }),
  );
}

const columns = {
  call_id: about(
    integer()
      .primaryKey()
      .references(() => calls.call_id, { onDelete: "cascade" }),
    "The call in `calls`.",
  ),
  ...columnsOfFacts(),
};

const changed_ms = about(
  integer().notNull(),
  "When the content or a fact of the call last changed, or a job of it: the moment of that transaction, in milliseconds since 1970. Later transactions have later moments, even if the clock was set back.",
);

export const call_facts = sqliteTable("call_facts", { ...columns, changed_ms }, (table) => [
  index("call_facts_caller_id").on(table.caller_id),
  index("call_facts_call_started").on(table.call_started),
  // Finds the names of a campaign without a scan.
  index("call_facts_campaign_id")
    .on(table.campaign_id, table.campaign, table.is_live)
    .where(sql`${table.campaign_id} IS NOT NULL`),
]);
export const CALL_FACTS = describeTable(
  call_facts,
  "The facts of each call by the rules in force, one row per call: the source of all figures, lists and filters.",
);

/** Returns a fact as SQLite has it: 0 and 1 for false and true. */
export function toStored<Value>(value: Value | boolean): Value | number {
  return typeof value === "boolean" ? Number(value) : value;
}

/** All columns but the moment of the last change. */
export const FACT_COLUMNS = namesOf(columns);
/** The facts as columns: all but the id of the call. */
export const STORED_FACTS = FACT_COLUMNS.filter((name) => name !== "call_id");
