import { parse } from "node:path";
import type { Description } from "../schema/describe.ts";

/**
 * Returns the `metadata.json` of Datasette for a warehouse: what its tables, views and columns hold.
 *
 * @see https://docs.datasette.io/en/stable/metadata.html
 */
export function datasetteMetadata(database: string, described: readonly Description[]) {
  const tables = described.map(({ name, help, columns }) => {
    const texts = columns.map((column): [string, string] => [column.name, plain(column.help)]);
    return [name, { description: plain(help), columns: Object.fromEntries(texts) }];
  });
  const description =
    "Calls, what is true of each, and how complete they are. attributed_calls has one row a call.";
  return {
    title: "calltally",
    // Datasette names a database by its file.
    databases: { [parse(database).name]: { description, tables: Object.fromEntries(tables) } },
  };
}

/** Datasette shows a description as it is. */
function plain(help: string): string {
  return help.replaceAll("`", "");
}
