import { spend } from "../../../src/warehouse/spend.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";

type Stored = "spend_id" | "file" | "imported_at" | "currency";
interface Currency {
  /** ISO 4217. @default EUR */
  currency?: string | null;
}
export type SpentRow = Omit<typeof spend.$inferSelect, Stored> & Currency;
/** A row of costs; what it leaves out is unknown. */
type SomeSpentRow = Omit<typeof spend.$inferInsert, Stored> & Currency;

/** Stores costs as an import leaves them; no import is recorded, and none is replaced. */
export function storeSpend(
  { db }: Warehouse,
  rows: readonly SomeSpentRow[],
  { file = "spend.csv", importedAt = "2026-10-01T00:00:00.000Z" } = {},
): void {
  for (const row of rows) {
    const stored = { file, imported_at: importedAt, currency: row.currency ?? "EUR" };
    db.insert(spend)
      .values({ ...row, ...stored })
      .run();
  }
}
