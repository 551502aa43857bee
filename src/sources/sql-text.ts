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

/** The currency, and the fewest digits after the point (at least two) that show every amount in full. */
export function formText(micros: string): string {
  const digits = [2, 3, 4, 5].map((count) => `WHEN ${micros} % ${10 ** (6 - count)} = 0 THEN ${count}`);
  return `min(currency) AS currency, max(CASE WHEN ${micros} IS NULL THEN 2 ${digits.join(" ")} ELSE 6 END) AS decimals`;
}
