export function literal(text: string): string {
  return `'${text.replace(/[\\'\0]/g, (found) => (found === "\0" ? "\\0" : `\\${found}`))}'`;
}

export function quoted(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}

export type ClusterValue = string | number | null;

/** A row by column names; 64-bit numbers are texts. */
export type ClusterRow = Readonly<Record<string, ClusterValue>>;
