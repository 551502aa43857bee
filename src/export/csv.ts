import { type Duplex, Readable } from "node:stream";
import { stringify } from "csv-stringify";
import type { RollupColumn, RollupRow } from "../rollup/read.ts";
import { guardFormula } from "./guard.ts";

/**
 * Returns a rollup as CSV text in chunks: RFC 4180, UTF-8, `\r\n`, header always, an empty field for no value.
 * Keys come from visitors' links and are guarded against spreadsheet formulas.
 */
export function toCsv(columns: readonly RollupColumn[], rows: Iterable<RollupRow>): Duplex {
  return Readable.from(rows).compose(
    stringify({
      header: true,
      columns: columns.map(({ name }) => name),
      record_delimiter: "windows",
      // csv-stringify quotes for the whole delimiter only; a lone CR or LF would break the line.
      quoted_match: /[\r\n]/,
      cast: {
        number: (value, { index }) => formatNumber(value, columns[index]),
        string: (value, { index, header }) =>
          !header && columns[index]?.isKey ? guardFormula(value) : value,
      },
    }),
  );
}

function formatNumber(value: number, column: RollupColumn | undefined): string {
  return column?.decimals === undefined ? String(value) : value.toFixed(column.decimals);
}
