import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCsv } from "../../src/export/csv.ts";
import { guardFormula } from "../../src/export/guard.ts";
import type { RollupColumn, RollupRow } from "../../src/rollup/read.ts";

const COLUMNS: RollupColumn[] = [
  { name: "campaign", isKey: true, decimals: undefined },
  { name: "campaign_id", isKey: true, decimals: undefined },
  { name: "calls", isKey: false, decimals: undefined },
  { name: "answer_rate", isKey: false, decimals: 4 },
  { name: "average_duration_seconds", isKey: false, decimals: 1 },
  { name: "first_call_at", isKey: false, decimals: undefined },
];
const HEADER = "campaign,campaign_id,calls,answer_rate,average_duration_seconds,first_call_at\r\n";

const write = (rows: Iterable<RollupRow>) => [...toCsv(COLUMNS, rows)].join("");
const keyRow = (key: string, id = ""): RollupRow => [key, id, 1, 1, null, null];

/** Reads as strictly as RFC 4180 allows: no other line end, no stray quote, no line of another length. */
const read = (csv: string) => parse(csv, { record_delimiter: "\r\n", bom: false });

describe("toCsv", () => {
  it("writes the header alone where there is no row", () => {
    expect(write([])).toBe(HEADER);
  });

  it("writes fixed decimals, whole numbers as they are, and nothing for no value", () => {
    const rows: RollupRow[] = [
      ["a", "1", 3, 1, 20, "2026-01-01T00:00:00.000Z"],
      ["b", "", 12_345_678_901, 0.3333, 0.1, null],
      ["c", 7, 0.3, 0, null, null],
    ];
    expect(write(rows)).toBe(
      `${HEADER}a,1,3,1.0000,20.0,2026-01-01T00:00:00.000Z\r\nb,,12345678901,0.3333,0.1,\r\nc,7,0.3,0.0000,,\r\n`,
    );
  });

  it.each([
    { key: "a,b", field: '"a,b"' },
    { key: 'say "hi"', field: '"say ""hi"""' },
    { key: '"', field: '""""' },
    { key: "a\rb", field: '"a\rb"' },
    { key: "a\nb", field: '"a\nb"' },
    { key: "a\r\nb", field: '"a\r\nb"' },
    { key: "b\r", field: '"b\r"' },
    { key: "\n", field: '"\'\n"' },
    { key: '=HYPERLINK("x")', field: '"\'=HYPERLINK(""x"")"' },
    { key: "😀 é\u0301 İ", field: "😀 é\u0301 İ" },
    { key: " padded ", field: " padded " },
    { key: "semi;colon", field: "semi;colon" },
    { key: "nul\0l", field: "nul\0l" },
    { key: "+4930123456", field: "+4930123456" },
    { key: "-1+1", field: "'-1+1" },
  ])("writes the key $key as $field", ({ key, field }) => {
    expect(write([keyRow(key)])).toBe(`${HEADER}${field},,1,1.0000,,\r\n`);
  });

  it("guards every key, and no other column", () => {
    const rows: RollupRow[] = [["=a", "@b", -1, -0.5, -2, "-no key"]];
    expect(write(rows)).toBe(`${HEADER}'=a,'@b,-1,-0.5000,-2.0,-no key\r\n`);
  });

  it("is read back by a strict reader, whatever the keys", () => {
    const key = fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }).map((value) => value.toWellFormed()),
      fc.string({ unit: fc.constantFrom(",", '"', "\r", "\n", "=", "'", " ", ";", "\\", "a"), maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(key, key), { maxLength: 20 }), (keys) => {
        const csv = write(keys.map(([name, id]) => keyRow(name, id)));
        expect(read(csv)).toEqual([
          COLUMNS.map(({ name }) => name),
          ...keys.map(([name, id]) => [guardFormula(name), guardFormula(id), "1", "1.0000", "", ""]),
        ]);
      }),
      { numRuns: 200 },
    );
  });

  it("ends the reading of rows when its reader ends early", () => {
    let isClosed = false;
    function* rows(): Generator<RollupRow> {
      try {
        for (;;) yield keyRow("endless");
      } finally {
        isClosed = true;
      }
    }
    for (const chunk of toCsv(COLUMNS, rows())) if (chunk.includes("endless")) break;
    expect(isClosed).toBe(true);
  });

  it.each([999, 1000, 1001, 2500])("loses and repeats none of %i rows", (count) => {
    const keys = Array.from({ length: count }, (_, index) => `key ${index}`);
    const [, ...lines] = read(write(keys.map((key) => keyRow(key))));
    expect(lines.map(([key]) => key)).toEqual(keys);
  });

  it("passes on what goes wrong in reading", () => {
    function* rows(): Generator<RollupRow> {
      yield keyRow("a");
      throw new Error("database disk image is malformed");
    }
    expect(() => write(rows())).toThrow("database disk image is malformed");
  });
});
