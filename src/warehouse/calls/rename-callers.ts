import { eq } from "drizzle-orm";
import type { Tx } from "../transaction.ts";
import { callers, indexCallers } from "./callers.ts";
import { fact_changes, withoutFactLog } from "./fact-log.ts";
import { call_facts } from "./facts.ts";
import { readUnsettled, settleCallers } from "./first-load.ts";

/** Renames callers; those who then have the name of another become one with it. Nothing is logged as a change of facts. */
export function renameCallers(tx: Tx, toName: (caller: string) => string): void {
  const { db, sqlite } = tx;
  indexCallers(tx);
  sqlite.function("renamed_caller", { directOnly: true, deterministic: true }, (caller) =>
    toName(String(caller)),
  );
  const isOther = "own.caller <> renamed_caller(own.caller)";
  sqlite.exec(`UPDATE OR IGNORE callers AS own SET caller = renamed_caller(own.caller) WHERE ${isOther}`);
  const same = sqlite
    .prepare<[], { former: number; other: number }>(
      `SELECT own.caller_id AS former, other.caller_id AS other
        FROM callers AS own JOIN callers AS other ON other.caller = renamed_caller(own.caller) WHERE ${isOther}`,
    )
    .all();
  if (same.length === 0) return;
  withoutFactLog(tx, () => {
    for (const { former, other } of same) {
      for (const table of [call_facts, fact_changes])
        db.update(table).set({ caller_id: other }).where(eq(table.caller_id, former)).run();
      db.delete(callers).where(eq(callers.caller_id, former)).run();
    }
    if (readUnsettled(tx) === 0) settleCallers(tx);
  });
}
