/** A table or view in words. */
export interface Description {
  name: string;
  kind: "table" | "view";
  /** What a row is, one sentence. */
  help: string;
  columns: readonly ColumnDescription[];
}

export interface ColumnDescription {
  name: string;
  /** As SQLite has it: integer, real, text or blob. */
  type: string;
  /** Meaning and unit. */
  help: string;
}

const TABLE = /^export const (\w+) = sqliteTable\(/;
const COLUMN = /^ +(\w+): (integer|real|text|blob)\(/;
const COMMENT = /^ *\/\*\* (.+) \*\/$/;

/**
 * Reads tables, columns and what they mean from the source of `schema.ts`, as the formatter leaves it: a doc comment
 * above each.
 *
 * @throws Error at a table or column without a comment, and at a comment that stands above neither
 */
export function parseSchema(source: string): Description[] {
  const tables: (Description & { columns: ColumnDescription[] })[] = [];
  let comment: string | undefined;
  const take = (name: string): string => {
    if (comment === undefined) throw new Error(`schema.ts: ${name} has no comment`);
    const taken = comment;
    comment = undefined;
    return taken;
  };
  for (const line of joinComments(source).split("\n")) {
    const [, words] = COMMENT.exec(line) ?? [];
    const [, table] = TABLE.exec(line) ?? [];
    const [, column, type] = COLUMN.exec(line) ?? [];
    if (comment !== undefined && table === undefined && column === undefined) {
      throw new Error(`schema.ts: above no table and no column: ${comment}`);
    }
    if (words !== undefined) comment = words;
    if (table !== undefined) tables.push({ name: table, kind: "table", help: take(table), columns: [] });
    if (column !== undefined && type !== undefined) {
      const help = take(column);
      const last = tables.at(-1);
      if (last === undefined) throw new Error(`schema.ts: ${column} is in no table`);
      last.columns.push({ name: column, type, help });
    }
  }
  if (comment !== undefined) throw new Error(`schema.ts: above no table and no column: ${comment}`);
  return tables;
}

/** Puts each doc comment on one line. */
function joinComments(source: string): string {
  return source.replaceAll("\r\n", "\n").replace(/\/\*\*[\s\S]*?\*\//g, (comment) => {
    const words = comment
      .slice(3, -2)
      .split("\n")
      .map((line) => line.replace(/^\s*\*/, "").trim());
    return `/** ${words.join(" ").trim()} */`;
  });
}
