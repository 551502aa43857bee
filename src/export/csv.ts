import { stringify } from "csv-stringify/sync";
import type { RollupColumn, RollupRow } from "../rollup/read.ts";
import { guardFormula } from "./guard.ts";

/** Rows that are made into one chunk of text. */
const ROWS_PER_CHUNK = 1000;

/**
 * Returns a rollup as CSV text in chunks: RFC 4180, UTF-8, `\r\n`, header always, an empty field for no value.
 * Keys come from visitors' links and are guarded against spreadsheet formulas.
 *
 * A generator and no stream: whoever stops reading ends the reading of the rows, too, before anything else happens.
 */
export function* toCsv(columns: readonly RollupColumn[], rows: Iterable<RollupRow>): Generator<string> {
  yield stringifyRows(columns, [], { header: true });
  let chunk: RollupRow[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < ROWS_PER_CHUNK) continue;
    yield stringifyRows(columns, chunk);
    chunk = [];
  }
  yield stringifyRows(columns, chunk);
}

function stringifyRows(columns: readonly RollupColumn[], rows: RollupRow[], { header = false } = {}): string {
  return stringify(rows, {
    header,
    columns: columns.map(({ name }) => name),
    record_delimiter: "windows",
    // csv-stringify quotes for the whole delimiter only; a lone CR or LF would break the line.
    quoted_match: /[\r\n]/,
    cast: {
      number: (value, { index }) => formatNumber(value, columns[index]),
      string: (value, { index, header }) => (!header && columns[index]?.isKey ? guardFormula(value) : value),
    },
  });
}

function formatNumber(value: number, column: RollupColumn | undefined): string {
  return column?.decimals === undefined ? String(value) : value.toFixed(column.decimals);
}
