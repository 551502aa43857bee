/** Returns a text as SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns texts as SQL, for a list in parentheses. */
export function literals(texts: readonly string[]): string {
  return texts.map(literal).join(", ");
}
