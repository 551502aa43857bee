import type { Warehouse } from "../../src/warehouse/warehouse.ts";

type Row = Record<string, unknown>;

/** The change of a row: each changed column with its old and new value, or a whole new row; null if it was deleted. */
export type RowChange = Record<string, unknown> | null;

/** Returns what a function changes in any table, by table and row; not the moment of the change. */
export function findChanges(
  { sqlite }: Warehouse,
  work: () => void,
): Record<string, Record<string, RowChange>> {
  const before = readTables(sqlite);
  work();
  return compare(before, readTables(sqlite));
}

/** Like `findChanges`, for an asynchronous function. */
export async function awaitChanges(
  { sqlite }: Warehouse,
  work: () => Promise<void>,
): Promise<Record<string, Record<string, RowChange>>> {
  const before = readTables(sqlite);
  await work();
  return compare(before, readTables(sqlite));
}

type Tables = Map<string, Map<string, Row>>;

function readTables(sqlite: Warehouse["sqlite"]): Tables {
  const names = sqlite
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'moment'",
    )
    .pluck()
    .all();
  return new Map(
    names.map((name) => {
      const rows = sqlite.prepare<[], Row>(`SELECT rowid AS "row", * FROM "${name}"`).all();
      return [name, new Map(rows.map(({ row, changed_ms: _, ...columns }) => [String(row), columns]))];
    }),
  );
}

function compare(before: Tables, after: Tables) {
  const changes: Record<string, Record<string, RowChange>> = {};
  for (const [table, rows] of after) {
    const old = before.get(table) ?? new Map<string, Row>();
    for (const id of new Set([...old.keys(), ...rows.keys()])) {
      const change = compareRows(old.get(id), rows.get(id));
      if (change !== undefined) changes[table] = { ...changes[table], [id]: change };
    }
  }
  return changes;
}

function compareRows(before: Row | undefined, after: Row | undefined): RowChange | undefined {
  if (after === undefined) return null;
  if (before === undefined) return after;
  const changed = Object.keys(after).filter((column) => !Object.is(before[column], after[column]));
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((column) => [column, [before[column], after[column]]]));
}
