import { getTableName } from "drizzle-orm";
import { call_facts, callers, fact_changes } from "../schema.ts";
import type { Warehouse } from "../warehouse.ts";
import { withoutFactLog } from "./fact-log.ts";

/**
 * Gives callers other names wherever the facts have them; no two the same. It is no change of what is true of a call, and is
 * logged as none. Call it in a transaction that writes.
 *
 * @param toName returns the new name of a caller, or the one it has
 */
export function renameCallers(
  { sqlite }: Pick<Warehouse, "sqlite">,
  toName: (caller: string) => string,
): void {
  sqlite.function("renamed_caller", { directOnly: true, deterministic: true }, (caller) =>
    toName(String(caller)),
  );
  withoutFactLog({ sqlite }, () => {
    for (const table of [call_facts, callers, fact_changes]) {
      sqlite.exec(`UPDATE ${getTableName(table)} SET caller = renamed_caller(caller)
        WHERE caller IS NOT NULL AND caller <> renamed_caller(caller)`);
    }
  });
}
