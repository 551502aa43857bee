import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import { DELIMITERS, PROFILES, TABLE_FORMATS } from "../../../src/config/request/option-values.ts";
import type { FormatOptions } from "../../../src/config/request/resolve.ts";
import { encodeTable } from "../../../src/export/formats/encode-table.ts";
import type { Value } from "../../../src/export/table.ts";
import {
  arbitraryRows,
  COLUMNS,
  encode,
  readDelimited,
  readJson,
  readLines,
  readNdjson,
  readParquet,
  roundRows,
  textRow,
} from "../../support/figures/tables.ts";

const BOM = "\uFEFF";

/** Every way to write a table. */
const WAYS: FormatOptions[] = TABLE_FORMATS.flatMap((format): FormatOptions[] => {
  if (format !== "csv") return [{ format }];
  const profiles = [undefined, ...PROFILES];
  return profiles.flatMap((profile) => DELIMITERS.map((delimiter) => ({ format, profile, delimiter })));
});

/** Reads what was written in any format. */
async function readBack(content: Buffer, { format, profile, delimiter }: FormatOptions): Promise<Value[][]> {
  if (format === "json") return readJson(content);
  if (format === "ndjson") return readNdjson(content);
  if (format === "parquet") return readParquet(content);
  const text = profile === "excel" ? content.subarray(Buffer.byteLength(BOM)) : content;
  const point = profile === "excel" && delimiter === ";" ? "," : ".";
  return readDelimited(text, delimiter, point);
}

/** Returns a text without a possible guard; that of a visitor who wrote `'=1` is indistinguishable. */
const unguard = (text: string): string => text.replaceAll("'", "");

/** Returns the text that a field of a profile represents. */
function undo(field: string, profile: FormatOptions["profile"]): string {
  if (profile === "machine") return field;
  const excelText = profile === "excel" ? /^="([^"]*)"$/.exec(field) : null;
  return excelText?.[1] ?? unguard(field);
}

const mapTexts = (rows: readonly (readonly Value[])[], change: (text: string) => Value): Value[][] =>
  rows.map((row) =>
    row.map((value, index) => (typeof value === "string" && index === 1 ? change(value) : value)),
  );

const withExcelTimes = (row: readonly Value[]): Value[] =>
  row.map((value, index) =>
    COLUMNS[index]?.type === "time" && value !== null ? String(value).slice(0, 19).replace("T", " ") : value,
  );

describe("encodeTable", () => {
  it("writes times for Excel as local times of the zone", async () => {
    const columns = [{ name: "call_started", type: "time" } as const];
    const table = { columns, rows: [["2026-11-20T05:30:00.000Z"], [null]] };
    const written = await encodeTable(table, { format: "csv", profile: "excel" }, "America/Bogota");
    expect(Buffer.concat([...written].map((chunk) => Buffer.from(chunk))).toString()).toBe(
      `${BOM}call_started\r\n2026-11-20 00:30:00\r\n""\r\n`,
    );
  });

  it.each(WAYS)("writes as $format for $profile with $delimiter what reads back equal", async (way) => {
    const { format, profile } = way;
    await fc.assert(
      fc.asyncProperty(arbitraryRows, async (rows) => {
        const content = await encode({ columns: COLUMNS, rows }, way);
        const read = await readBack(content, way);
        if (format === "parquet") expect(read).toEqual(rows);
        else if (format === "json" || format === "ndjson") expect(read).toEqual(roundRows(rows));
        else {
          const timed = profile === "excel" ? roundRows(rows).map(withExcelTimes) : roundRows(rows);
          const expected = mapTexts(timed, (text) => (profile === "machine" ? text : unguard(text)));
          expect(mapTexts(read, (text) => undo(text, profile) || null)).toEqual(
            mapTexts(expected, (text) => (text === "" ? null : text)),
          );
        }
        expect((await encode({ columns: COLUMNS, rows }, way)).equals(content)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it.each(WAYS)("writes the total as the last line as $format for $profile with $delimiter", async (way) => {
    const rows = [textRow("Google"), textRow("Bing")];
    const total = textRow("(total)");
    const written = await encode({ columns: COLUMNS, rows, totals: [{ kind: "total", values: total }] }, way);
    expect(await readBack(written, way)).toEqual(
      await readBack(await encode({ columns: COLUMNS, rows: [...rows, total] }, way), way),
    );
    const alone = await encode(
      { columns: COLUMNS, rows: [], totals: [{ kind: "total", values: total }] },
      way,
    );
    expect(alone).toEqual(await encode({ columns: COLUMNS, rows: [total] }, way));
  });

  it("writes exactly these bytes", async () => {
    const names = COLUMNS.map(({ name }) => name);
    const table = { columns: COLUMNS, rows: [textRow("+49 30")] };
    const write = async (options: FormatOptions) => (await encode(table, options)).toString();
    const lines = (by: string, field: string) =>
      `${names.join(by)}\r\n${names.map((name) => (name === "campaign" ? field : "")).join(by)}\r\n`;
    const object = JSON.stringify(
      Object.fromEntries(names.map((name) => [name, name === "campaign" ? "+49 30" : null])),
    );
    expect([
      await write({ format: "csv" }),
      await write({ format: "csv", delimiter: "\t", profile: "machine" }),
      await write({ format: "csv", delimiter: ";", profile: "excel" }),
      await write({ format: "json" }),
      await write({ format: "ndjson" }),
    ]).toEqual([
      lines(",", "'+49 30"),
      lines("\t", "+49 30"),
      BOM + lines(";", '"=""+49 30"""'),
      `[\n${object}\n]\n`,
      `${object}\n`,
    ]);
  });

  it.each(WAYS)("writes a table without rows as $format for $profile", async (way) => {
    const content = await encode({ columns: COLUMNS, rows: [] }, way);
    expect(await readBack(content, way)).toEqual([]);
    if (way.format === "json") expect(content.toString()).toBe("[]\n");
    if (way.format === "ndjson") expect(content.toString()).toBe("");
  });

  it.each(TABLE_FORMATS)(
    "loses and repeats no row in %s, whatever the size of its chunks",
    async (format) => {
      for (const count of [999, 1000, 1001, 20_000, 20_001]) {
        const rows = Array.from({ length: count }, (_, index) => [index, "a", null, null, null]);
        const read = await readBack(await encode({ columns: COLUMNS, rows }, { format }), { format });
        expect(read).toEqual(rows);
      }
    },
  );

  it.each(TABLE_FORMATS)(
    "reads no row of %s before it is needed, and none after its reader ends",
    async (format) => {
      const state = { read: 0, isClosed: false };
      function* endless(): Generator<Value[]> {
        try {
          for (;;) {
            state.read++;
            yield textRow("endless");
          }
        } finally {
          state.isClosed = true;
        }
      }
      const content = await encodeTable({ columns: COLUMNS, rows: endless() }, { format });
      expect(state).toEqual({ read: 0, isClosed: false });
      for (const _chunk of content) if (state.read > 0) break;
      expect(state).toEqual({ read: format === "parquet" ? 20_000 : 1000, isClosed: true });
    },
  );

  it.each(TABLE_FORMATS)("passes on an error while reading rows for %s", async (format) => {
    function* rows(): Generator<Value[]> {
      yield textRow("a");
      throw new Error("database disk image is malformed");
    }
    await expect(encode({ columns: COLUMNS, rows: rows() }, { format })).rejects.toThrow("malformed");
  });

  it("writes types, nulls and their counts into the Parquet metadata", async () => {
    const rows = [textRow("a"), [1, null, 0.5, 1.5, "2026-11-20T05:30:00.001Z"]];
    const content = await encode({ columns: COLUMNS, rows }, { format: "parquet" });
    const { schema, num_rows, created_by } = parquetMetadata(new Uint8Array(content).buffer);
    expect({ num_rows, created_by }).toEqual({ num_rows: 2n, created_by: "calltally" });
    expect(
      schema.slice(1).map(({ name, type, logical_type, repetition_type }) => ({
        name,
        type,
        logical_type,
        repetition_type,
      })),
    ).toEqual(
      [
        { name: "call_id", type: "INT64" },
        { name: "campaign", type: "BYTE_ARRAY", logical_type: { type: "STRING" } },
        { name: "answer_rate", type: "DOUBLE" },
        { name: "seconds", type: "DOUBLE" },
        {
          name: "call_started",
          type: "INT64",
          logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
        },
      ].map((element) => ({ logical_type: undefined, repetition_type: "OPTIONAL", ...element })),
    );
  });

  it("starts a new row group in Parquet before too much text is in memory", async () => {
    const rows = Array.from({ length: 40 }, () => textRow("x".repeat(1024 * 1024)));
    const content = await encode({ columns: COLUMNS, rows }, { format: "parquet" });
    const { row_groups } = parquetMetadata(new Uint8Array(content).buffer);
    expect(row_groups.map(({ num_rows }) => num_rows)).toEqual([16n, 16n, 8n]);
  });

  it.each([
    { row: [1.5, null, null, null, null], cell: "1.5 calls" },
    { row: [null, null, null, null, "yesterday"], cell: "yesterday" },
  ])("refuses $cell in a column of Parquet that cannot hold it", async ({ row }) => {
    await expect(encode({ columns: COLUMNS, rows: [row] }, { format: "parquet" })).rejects.toThrow();
  });

  it("quotes an empty single field, since readers skip empty lines", async () => {
    const content = await encode(
      { columns: [{ name: "gclid", type: "text" }], rows: [["a"], [null], [""]] },
      {
        format: "csv",
      },
    );
    expect(content.toString()).toBe('gclid\r\na\r\n""\r\n""\r\n');
    expect(readLines(content)).toEqual([["gclid"], ["a"], [""], [""]]);
  });
});
