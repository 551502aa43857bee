import { parse } from "csv-parse/sync";

export interface CsvLine {
  record: readonly string[];
  /** The number of its last line in the file. */
  line: number;
}

/** Trims values; empty lines count but are left out. @throws Error that names the line */
export function parseCsvLines(text: string | Buffer): CsvLine[] {
  const found: CsvLine[] = [];
  parse(text, {
    bom: true,
    relaxColumnCount: true,
    skipEmptyLines: true,
    trim: true,
    onRecord: (record: string[], { lines: line }) => {
      found.push({ record, line });
      return null;
    },
  });
  return found;
}
