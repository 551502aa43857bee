import type { RollupColumn, RollupRow } from "../rollup/read.ts";
import { toDelimited } from "./delimited.ts";

/** Returns a rollup as CSV text in chunks; its keys come from visitors' links. */
export function toCsv(columns: readonly RollupColumn[], rows: Iterable<RollupRow>): Iterable<string> {
  const table = {
    columns: columns.map(({ name, isKey, decimals }) => ({
      name,
      type: isKey ? ("text" as const) : ("decimal" as const),
      decimals,
    })),
    rows,
  };
  return toDelimited(table, { delimiter: "," });
}
