import { max } from "drizzle-orm";
import { call_facts, STORED_FACTS } from "./calls/facts.ts";
import { campaigns } from "./campaign-table.ts";
import { isOther, type SchemaObjects } from "./stored-objects.ts";
import type { Tx } from "./transaction.ts";
import type { Reader } from "./warehouse.ts";

// A change of a call is dated by its transaction: triggers see every change, whatever writes, and cost only where something
// changes. New calls come with their moment.

const MOMENT = "(SELECT moment_ms FROM moment)";
const dated = (where: string) => `UPDATE call_facts SET changed_ms = ${MOMENT} WHERE ${where};`;
const JOB = ["call_id", "stage", "amount_micros"];

export const MOMENT_TRIGGERS: SchemaObjects = {
  // Statements for many rows date them on their own, which takes less time.
  date_facts: `AFTER UPDATE ON call_facts WHEN NEW.changed_ms = OLD.changed_ms AND ${isOther(STORED_FACTS)} BEGIN ${dated("call_id = NEW.call_id")} END`,
  date_content: `AFTER UPDATE OF row_hash ON calls WHEN NEW.row_hash <> OLD.row_hash BEGIN ${dated("call_id = NEW.call_id")} END`,
  date_caller: `AFTER UPDATE OF caller ON callers BEGIN ${dated("caller_id = NEW.caller_id")} END`,
  date_new_job: `AFTER INSERT ON outcomes BEGIN ${dated("call_id = NEW.call_id")} END`,
  date_changed_job: `AFTER UPDATE ON outcomes WHEN ${isOther(JOB)} BEGIN ${dated("call_id IN (OLD.call_id, NEW.call_id)")} END`,
  date_removed_job: `AFTER DELETE ON outcomes BEGIN ${dated("call_id = OLD.call_id")} END`,
};

/** Returns the moment of the last change of a call, or of its campaign's name. Reads the facts of all calls. */
export function readLastChange({ db }: Reader): number {
  const ofCalls = db.select({ last: max(call_facts.changed_ms) }).from(call_facts);
  const ofNames = db.select({ last: max(campaigns.changed_ms) }).from(campaigns);
  return Math.max(ofCalls.get()?.last ?? 0, ofNames.get()?.last ?? 0);
}

/** Dates all calls, where something changes that none of the triggers sees. */
export function dateAllCalls({ sqlite }: Tx): void {
  sqlite.exec(dated("true"));
}
