import type { Database } from "better-sqlite3";

/** SQL texts of views or triggers, by name. */
export type SchemaObjects = Readonly<Record<string, string>>;

/** Lists columns of the row that a trigger has before, or after, a change. */
export function rowOf(row: "OLD" | "NEW", columns: readonly string[]): string {
  return columns.map((column) => `${row}.${column}`).join(", ");
}

/** Whether an update changes one of the columns. */
export function isOther(columns: readonly string[]): string {
  return `(${rowOf("OLD", columns)}) IS NOT (${rowOf("NEW", columns)})`;
}

/** Returns statements that create the objects which are missing, or stored with another text. */
export function findOutdated(sqlite: Database, type: "TRIGGER" | "VIEW", objects: SchemaObjects) {
  const stored = readObjects(sqlite, type);
  return Object.entries(objects)
    .map(([name, text]) => ({ name, statement: `CREATE ${type} ${name} ${text}` }))
    .filter(({ name, statement }) => stored.get(name) !== statement);
}

export function replaceOutdated(sqlite: Database, type: "TRIGGER" | "VIEW", objects: SchemaObjects): void {
  for (const { name, statement } of findOutdated(sqlite, type, objects))
    sqlite.exec(`DROP ${type} IF EXISTS ${name}; ${statement}`);
}

export function readObjects(sqlite: Database, type: "TRIGGER" | "VIEW"): Map<string, string> {
  const read = sqlite.prepare<[string], [name: string, sql: string]>(
    "SELECT name, sql FROM sqlite_schema WHERE type = lower(?)",
  );
  return new Map(read.raw().all(type));
}
