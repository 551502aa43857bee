export function literal(text: string): string {
  return `'${text.replace(/[\\'\0]/g, (character) => (character === "\0" ? "\\0" : `\\${character}`))}'`;
}

export function quoted(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}

export type ClusterValue = string | number | null;

/** Values in the order of the columns; 64-bit numbers are texts, unless a profile says otherwise. */
export type ClusterRow = readonly ClusterValue[];
