import { stringify } from "csv-stringify/sync";
import type { Delimiter, Profile } from "./choices.ts";
import { inChunks } from "./chunks.ts";
import { toExcelText } from "./excel.ts";
import { guardFormula } from "./guard.ts";
import type { Column, Table } from "./table.ts";

export interface DelimitedOptions {
  delimiter: Delimiter;
  profile?: Profile | undefined;
}

/**
 * Yields a table as delimited text: RFC 4180 but for the delimiter, UTF-8, `\r\n`, header always, an empty field for no
 * value and for an empty text.
 *
 * A generator and no stream: whoever stops reading ends the reading of the rows, too, before anything else happens.
 */
export function* toDelimited(
  { columns, rows }: Table,
  { delimiter, profile }: DelimitedOptions,
): Generator<string> {
  const writeText = textWriter(profile);
  // csv-stringify quotes for the whole line end only; a lone CR or LF would break the line.
  const lines = { delimiter, record_delimiter: "\r\n", quoted_match: /[\r\n]/ };
  yield stringify([columns.map(({ name }) => name)], { ...lines, bom: profile === "excel" });
  for (const chunk of inChunks(rows)) {
    yield stringify(chunk, {
      ...lines,
      quoted_empty: columns.length === 1, // many readers skip a line that is empty
      cast: {
        number: (value, { index }) => formatNumber(value, columns[index]),
        string: (value, { index }) => (columns[index]?.type === "text" ? writeText(value) : value),
      },
    });
  }
}

function textWriter(profile: Profile | undefined): (text: string) => string {
  if (profile === "machine") return (text) => text;
  return profile === "excel" ? toExcelText : guardFormula;
}

function formatNumber(value: number, column: Column | undefined): string {
  return column?.decimals === undefined ? String(value) : value.toFixed(column.decimals);
}
