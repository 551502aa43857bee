import { getTableName } from "drizzle-orm";
import type { Tx } from "../transaction.ts";
import { callers } from "./callers.ts";
import { fact_changes, withoutFactLog } from "./fact-log.ts";
import { call_facts } from "./facts.ts";

/** Renames callers wherever the facts have them, without logging it as a change of the facts. */
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
