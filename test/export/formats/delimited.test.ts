import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localTime } from "../../../src/calendar/local-time.ts";
import { type DelimitedOptions, toDelimited } from "../../../src/export/formats/delimited.ts";
import { guardFormula, toExcelText } from "../../../src/export/formats/guard.ts";
import type { Column, Value } from "../../../src/export/table.ts";
import { DELIMITERS, PROFILES } from "../../../src/request/option-values.ts";
import { draws } from "../../support/draws.ts";

const COLUMNS: Column[] = [
  { name: "campaign", type: "text" },
  { name: "campaign_id", type: "text" },
  { name: "calls", type: "integer" },
  { name: "answer_rate", type: "decimal", decimals: 4 },
  { name: "average_duration_seconds", type: "decimal", decimals: 1 },
  { name: "first_call_at", type: "time" },
];
const HEADER = "campaign,campaign_id,calls,answer_rate,average_duration_seconds,first_call_at\r\n";

const write = (rows: Iterable<readonly Value[]>, options: DelimitedOptions = { delimiter: "," }) =>
  [...toDelimited({ columns: COLUMNS, rows }, options)].join("");

describe("toDelimited", () => {
  it("writes fixed decimals, whole numbers unchanged, and nothing for null", () => {
    const rows: Value[][] = [
      ["a", "1", 3, 1, 20, "2026-01-01T00:00:00.000Z"],
      ["b", "", 12_345_678_901, 0.3333, 0.1, null],
      ["c", 7, 0.3, 0, null, null],
    ];
    expect(write(rows)).toBe(
      `${HEADER}a,1,3,1.0000,20.0,2026-01-01T00:00:00.000Z\r\nb,,12345678901,0.3333,0.1,\r\nc,7,0.3,0.0000,,\r\n`,
    );
  });

  it("starts with a byte order mark for Excel, and protects text that looks like a number", () => {
    const rows: Value[][] = [["=a", "+49301", -1, -0.5, -2, null]];
    expect(write(rows, { delimiter: ";", profile: "excel" })).toBe(
      `\uFEFF${HEADER.replaceAll(",", ";")}'=a;"=""+49301""";-1;-0,5000;-2,0;\r\n`,
    );
  });
});

/** The cells as csv-stringify writes whole rows. */
function writeRows(
  columns: readonly Column[],
  rows: Value[][],
  { delimiter, profile }: DelimitedOptions,
): string {
  const isExcel = profile === "excel";
  const toLocal = localTime("UTC");
  const writeNumber = (text: string) => {
    if (isExcel && /^-?\d{16,}$/.test(text)) return `="${text}"`;
    return isExcel && delimiter === ";" ? text.replace(".", ",") : text;
  };
  const writeText = profile === "machine" ? (text: string) => text : isExcel ? toExcelText : guardFormula;
  const lines = { delimiter, record_delimiter: "\r\n", quoted_match: /[\r\n]/ };
  const header = stringify([columns.map(({ name }) => name)], { ...lines, bom: isExcel });
  return (
    header +
    stringify(rows, {
      ...lines,
      quoted_empty: columns.length === 1,
      cast: {
        number: (value, { index }) => {
          const decimals = columns[index]?.decimals;
          return writeNumber(decimals === undefined ? String(value) : value.toFixed(decimals));
        },
        string: (value, { index }) => {
          const type = columns[index]?.type;
          if (type === "time" && isExcel) return toLocal(value).local;
          return type === "text" ? writeText(value) : value;
        },
      },
    })
  );
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab ",;|\t\r\n=+-@1.\0\uFEFF') }),
  fc.constantFrom("", '\r"\n', '"\n', '\r"', "MAR1", "1.5", "+49 30", "\uFF1D1", "😀"),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1e21),
);
const time = fc
  .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
  .map((date) => date.toISOString());
const CELLS: Record<Column["type"], fc.Arbitrary<Value>> = {
  text: fc.oneof({ weight: 5, arbitrary: text }, number),
  integer: number,
  decimal: number,
  boolean: fc.constantFrom(0, 1),
  time,
  "local time": time.map((utc) => utc.slice(0, 19).replace("T", " ")),
  date: time.map((utc) => utc.slice(0, 10)),
};
const column = fc.record(
  {
    name: text.map((name) => `n${name}`),
    type: fc.constantFrom("text", "integer", "decimal", "boolean", "time", "local time", "date"),
    decimals: fc.nat(4),
  },
  { requiredKeys: ["name", "type"] },
);
const table = fc.array(column, { minLength: 1, maxLength: 5 }).chain((columns: Column[]) =>
  fc.record({
    columns: fc.constant(columns),
    rows: fc.array(fc.tuple(...columns.map(({ type }) => fc.option(CELLS[type]))), { maxLength: 8 }),
  }),
);

it("toDelimited writes the same bytes as csv-stringify for whole rows", () => {
  fc.assert(
    fc.property(
      table,
      fc.record({
        delimiter: fc.constantFrom(...DELIMITERS),
        profile: fc.constantFrom(undefined, ...PROFILES),
      }),
      ({ columns, rows }, options) => {
        expect([...toDelimited({ columns, rows }, options)].join("")).toBe(writeRows(columns, rows, options));
      },
    ),
    { numRuns: draws(5000) },
  );
});
