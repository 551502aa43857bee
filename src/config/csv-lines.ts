import { parse } from "csv-parse/sync";

interface Parsed {
  record: string[];
  raw: string;
  /** At the end of the record. */
  info: { lines: number };
}

/** Parses CSV; returns the records, without empty ones, and the line of the file in which each begins. */
export function parseCsvLines(text: string): { record: string[]; line: number }[] {
  const options = { relaxColumnCount: true, skipEmptyLines: true, trim: true, info: true, raw: true };
  // In quotes, the parser counts \r\n as two lines.
  const parsed = parse(text.replace(/\r\n?/g, "\n"), { bom: true, ...options }) as unknown as Parsed[];
  return parsed.map(({ record, raw, info }) => ({
    record,
    line: info.lines - (raw.trim().split("\n").length - 1),
  }));
}
