import { getTableName } from "drizzle-orm";
import { call_facts, callers, fact_changes } from "../schema.ts";
import type { Tx } from "../transaction.ts";
import { withoutFactLog } from "./fact-log.ts";

/**
 * Gives callers other names wherever the facts have them; no two the same. It is no change of what is true of a call, and is
 * logged as none.
 *
 * @param toName returns the new name of a caller, or the one it has
 */
export function renameCallers(tx: Tx, toName: (caller: string) => string): void {
  const { sqlite } = tx;
  sqlite.function("renamed_caller", { directOnly: true, deterministic: true }, (caller) =>
    toName(String(caller)),
  );
  withoutFactLog(tx, () => {
    for (const table of [call_facts, callers, fact_changes]) {
      sqlite.exec(`UPDATE ${getTableName(table)} SET caller = renamed_caller(caller)
        WHERE caller IS NOT NULL AND caller <> renamed_caller(caller)`);
    }
  });
}
