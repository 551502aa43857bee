import { and, eq } from "drizzle-orm";
import type { ImportLedger } from "../../intake/ledger.ts";
import { spend } from "../../warehouse/spend.ts";
import { readImports, type SpendImport, spend_imports } from "./spend-imports.ts";

export const SPEND_LEDGER: ImportLedger<SpendImport> = {
  command: "spend",
  read: readImports,
  remove: ({ db }, { number, imported_at, file, source }, removed_at) => {
    db.delete(spend)
      .where(and(eq(spend.imported_at, imported_at), eq(spend.file, file), eq(spend.source, source)))
      .run();
    db.update(spend_imports).set({ removed_at }).where(eq(spend_imports.import_id, number)).run();
  },
  hasLost: (earlier, { first_day, last_day }) =>
    earlier.first_day <= last_day && earlier.last_day >= first_day && earlier.rows < earlier.had_rows,
};
