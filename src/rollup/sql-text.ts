export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A list of any length as a table of one column. */
export function listText(values: readonly (string | number)[]): string {
  return `(SELECT value FROM json_each(${literal(JSON.stringify(values))}))`;
}

export function groupBy(names: readonly string[]): string {
  return names.length > 0 ? `GROUP BY ${names.join(", ")}\n` : "";
}

export function groupByFirst(columns: readonly string[]): string {
  return groupBy(columns.map((_, index) => String(index + 1)));
}
