/** A SELECT in SQLite's words, or a part of one, and the values it names. */
export interface SqlText {
  sql: string;
  values: Record<string, string | number>;
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function groupBy(names: readonly string[]): string {
  return names.length > 0 ? `GROUP BY ${names.join(", ")}\n` : "";
}
