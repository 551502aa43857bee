import type { Database } from "better-sqlite3";

/** Views or triggers, their texts by their names. */
export type SchemaObjects = Readonly<Record<string, string>>;

/** Returns the statements that make the objects which are not stored, or not with the same text. */
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
