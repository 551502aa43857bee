import { parse } from "csv-parse/sync";

export interface CsvLine {
  /** The number of its first line, from 1 on: quoted texts may have several. */
  line: number;
  cells: string[];
}

const DELIMITERS = [",", ";", "\t"];
const MAX_HEAD = 1_000_000;
const LINE_BREAKS = /\r\n|\n|\r/g;
/** How programs keep spreadsheets from changing a value: `="20533716084"`. */
const FORMULA = /^="(.*)"$/s;

/**
 * Visits the lines of a CSV text, also blank ones, without keeping them.
 * @param options.isStrict whether quotes within a cell are errors @default false
 * @throws Error for a quote that is not closed
 */
export function forEachLine(
  text: string,
  { delimiter, to = -1, isStrict = false }: { delimiter: string; to?: number; isStrict?: boolean },
  see: (line: CsvLine) => void,
): void {
  let line = 1;
  parse(text, {
    delimiter,
    to,
    ltrim: true,
    // Otherwise a stray quote would end the reading.
    rtrim: isStrict,
    relaxQuotes: !isStrict,
    relaxColumnCount: true,
    // Titles may have other line ends than the rows below them.
    recordDelimiter: ["\r\n", "\n", "\r"],
    onRecord: (cells: string[]) => {
      see({ line, cells: cells.map((cell) => FORMULA.exec(cell.trim())?.[1] ?? cell.trim()) });
      // Not the parser's own count, which is wrong after a line break in quotes.
      line += 1 + cells.reduce((sum, cell) => sum + (cell.match(LINE_BREAKS)?.length ?? 0), 0);
      return null;
    },
  });
}

/** Returns the lines at the beginning that may be the header, by each delimiter: comma, semicolon, tab. */
export function* possibleHeaders(text: string, to: number): Generator<CsvLine & { delimiter: string }> {
  const head = text.slice(0, MAX_HEAD); // the parser copies all of its text
  for (const delimiter of DELIMITERS) {
    const first: CsvLine[] = [];
    try {
      forEachLine(head, { delimiter, to }, (line) => void first.push(line));
    } catch {
      // By a wrong delimiter, quotes may be anywhere.
    }
    for (const line of first) yield { ...line, delimiter };
  }
}
