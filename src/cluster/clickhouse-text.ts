/** Returns a text as a literal of ClickHouse's SQL. */
export function literal(text: string): string {
  return `'${text.replace(/[\\'\0]/g, (found) => (found === "\0" ? "\\0" : `\\${found}`))}'`;
}

/** Returns a name of a table, column or database as SQL takes it. */
export function quoted(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}

/** A value in a row of a response. */
export type ClusterValue = string | number | null;

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  0: "\0",
};

/**
 * Returns what reads a line of the format TabSeparatedWithNamesAndTypes, given its line of types. Numbers are those that
 * JavaScript has; of 64 bits they are texts where they are none that it counts exactly.
 */
export function lineReader(types: string): (line: string) => ClusterValue[] {
  const isNumber = types.split("\t").map((type) => /^(Nullable\()?(U?Int|Float)\d+\)?$/.test(type));
  return (line) => line.split("\t").map((field, index) => toValue(field, isNumber[index] === true));
}

function toValue(field: string, isNumber: boolean): ClusterValue {
  if (field === "\\N") return null;
  if (isNumber) {
    const number = Number(field);
    return Math.abs(number) > Number.MAX_SAFE_INTEGER ? field : number;
  }
  return field.includes("\\")
    ? field.replace(/\\(.)/gs, (_, letter: string) => ESCAPES[letter] ?? letter)
    : field;
}
