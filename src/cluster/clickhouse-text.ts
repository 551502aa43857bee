/** Returns a text as a literal of ClickHouse's SQL. */
export function literal(text: string): string {
  return `'${text.replace(/[\\'\0]/g, (found) => (found === "\0" ? "\\0" : `\\${found}`))}'`;
}

/** Returns a name of a table, column or database as SQL takes it. */
export function quoted(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}

export type ClusterValue = string | number | null;

/** A row of a response by the names of its columns; numbers of 64 bits are texts. */
export type ClusterRow = Readonly<Record<string, ClusterValue>>;
