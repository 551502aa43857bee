import type { Warehouse } from "../../../src/warehouse/warehouse.ts";

// Rows of features for tests of the core, which import none. Use with `hasCapability`.

type Store = Pick<Warehouse, "sqlite">;
type Cells = Readonly<Record<string, string | number | null>>;

function insert({ sqlite }: Store, table: string, cells: Cells): void {
  const names = Object.keys(cells);
  sqlite
    .prepare(
      `INSERT OR REPLACE INTO ${table} (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`,
    )
    .run(cells);
}

const NEWS = "(SELECT coalesce(max(news), 0) + 1 FROM notices)";

/** Stores a notice, which is the latest news. */
export function storeNotice(warehouse: Store, key: object, notice: Cells): void {
  insert(warehouse, "notices", { ...notice, key: JSON.stringify(key), news: 0 });
  warehouse.sqlite.exec(`UPDATE notices SET news = ${NEWS} WHERE news = 0`);
}

interface End {
  ended_at: string;
  end_reason: string;
  end_noticed_at: string;
}

/** Ends a notice, which is the latest news. */
export function storeEnd({ sqlite }: Store, notice_id: number, end: End): void {
  sqlite
    .prepare(
      `UPDATE notices SET ended_at = @ended_at, end_reason = @end_reason, end_noticed_at = @end_noticed_at,
      news = ${NEWS} WHERE notice_id = @notice_id`,
    )
    .run({ ...end, notice_id });
}

interface Found {
  key: object;
  reasons: readonly object[];
}

export function storeRestatement(warehouse: Store, { key, reasons }: Found, cells: Cells): void {
  const json = { key: JSON.stringify(key), reasons: JSON.stringify(reasons) };
  insert(warehouse, "restatements", { ...cells, ...json });
}
