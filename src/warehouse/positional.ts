import type { Database } from "better-sqlite3";
import { is, Param, Placeholder, type Query, type SQL, sql } from "drizzle-orm";

/** A statement that Drizzle wrote, to be bound by position: for rows by the million that takes half the time. */
interface Positional {
  text: string;
  /** Which value stands at each position. */
  names: readonly string[];
}

/**
 * Takes the text of a statement of Drizzle's whose values are placeholders all.
 *
 * @throws TypeError where one is not, since it would be lost
 */
function toPositional(query: { toSQL: () => Query }): Positional {
  const { sql: text, params } = query.toSQL();
  const names = params.map((param) => {
    const value = is(param, Param) ? param.value : param;
    if (is(value, Placeholder)) return value.name;
    throw new TypeError(`Cannot bind ${String(value)} by position in: ${text}`);
  });
  return { text, names };
}

/** Prepares a statement that writes one row, whose values it takes by the names of its placeholders. */
export function prepareWrite<const Name extends string>(
  sqlite: Database,
  query: { toSQL: () => Query },
): (row: Readonly<Record<Name, string | number | boolean | null>>) => void {
  const { text, names } = toPositional(query);
  const statement = sqlite.prepare(text);
  return (row: Readonly<Record<string, string | number | boolean | null>>) => {
    const values: (string | number | null)[] = [];
    for (const name of names) {
      const value = row[name] ?? null;
      values.push(typeof value === "boolean" ? Number(value) : value);
    }
    statement.run(values);
  };
}

/** Prepares a SELECT; its rows are arrays of the columns' values, in their order. */
export function prepareRead<Row>(
  sqlite: Database,
  query: { toSQL: () => Query },
): (...values: (string | number)[]) => Row[] {
  const { text } = toPositional(query);
  const statement = sqlite.prepare<(string | number)[], Row>(text).raw();
  return (...values) => statement.all(...values);
}

/** A placeholder for each column, under its name. */
export function placeholders<const Name extends string>(
  names: readonly Name[],
): Record<Name, Placeholder<Name>>;
export function placeholders(names: readonly string[]): Record<string, Placeholder> {
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
}

/** What an upsert sets: each column to what the insert would have written. */
export function excluded<const Name extends string>(names: readonly Name[]): Record<Name, SQL>;
export function excluded(names: readonly string[]): Record<string, SQL> {
  return Object.fromEntries(names.map((name) => [name, sql.raw(`excluded.${name}`)]));
}

/** The elements of the JSON array that a placeholder stands for. */
export function elementsOf(name: string): SQL {
  return sql`(SELECT value FROM json_each(${sql.placeholder(name)}))`;
}
