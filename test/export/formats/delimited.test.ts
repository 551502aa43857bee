import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, it } from "vitest";
import { localTime } from "../../../src/base/calendar/local-time.ts";
import { DELIMITERS, PROFILES } from "../../../src/config/request/option-values.ts";
import { type DelimitedOptions, toDelimited } from "../../../src/export/formats/delimited.ts";
import { guardFormula, toExcelText } from "../../../src/export/formats/guard.ts";
import type { Column, Value } from "../../../src/export/table.ts";
import { draws } from "../../support/draws.ts";

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

it.each(["x\ry", "x\ny", "x,y", 'x"y'])("toDelimited quotes the text %j", (text) => {
  const columns: Column[] = ["a", "b"].map((name) => ({ name, type: "text" }));
  const written = [...toDelimited({ columns, rows: [[text, "z"]] }, { delimiter: "," })].join("");
  expect(written).toBe(`a,b\r\n"${text.replace('"', '""')}",z\r\n`);
});
