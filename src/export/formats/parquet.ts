import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { type Column, linesOf, type Table, type Value } from "../table.ts";

/** A row group is in memory until it is written; these two bound it. */
const MAX_GROUP_ROWS = 20_000;
const MAX_GROUP_CHARACTERS = 16 * 1024 * 1024;

const STORAGE: Record<
  Column["type"],
  {
    schema: Omit<SchemaElement, "name">;
    toStored: (value: string | number) => string | number | bigint | boolean | Date;
  }
> = {
  text: {
    schema: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
    toStored: String,
  },
  integer: { schema: { type: "INT64" }, toStored: BigInt },
  decimal: { schema: { type: "DOUBLE" }, toStored: Number },
  boolean: { schema: { type: "BOOLEAN" }, toStored: Boolean },
  time: {
    schema: {
      type: "INT64",
      converted_type: "TIMESTAMP_MILLIS",
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
    },
    toStored: toDate,
  },
  // Without a converted type, which older readers would take for UTC.
  "local time": {
    schema: { type: "INT64", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "MILLIS" } },
    toStored: (value) => toDate(`${String(value).replace(" ", "T")}Z`),
  },
  date: {
    schema: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
    toStored: toDate,
  },
};

function toDate(value: string | number): Date {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) throw new RangeError(`"${value}" is not a time`);
  return date;
}

/** Yields one row group at a time. @throws RangeError for an integer that is not whole and a malformed time */
export function* toParquet(table: Table): Generator<Buffer> {
  const { columns } = table;
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({ writer: bytes, schema: toSchema(columns), createdBy: "calltally" });
  for (const group of inGroups(linesOf(table))) {
    parquet.write({ columnData: toColumnData(columns, group), rowGroupSize: group.length });
    yield takeBytes(bytes);
  }
  parquet.finish();
  yield takeBytes(bytes);
}

function toSchema(columns: readonly Column[]): SchemaElement[] {
  return [
    { name: "root", num_children: columns.length },
    ...columns.map(
      ({ name, type }): SchemaElement => ({
        name,
        repetition_type: "OPTIONAL",
        ...STORAGE[type].schema,
      }),
    ),
  ];
}

function* inGroups(rows: Table["rows"]): Generator<(readonly Value[])[]> {
  let group: (readonly Value[])[] = [];
  let characters = 0;
  for (const row of rows) {
    group.push(row);
    for (const value of row) if (typeof value === "string") characters += value.length;
    if (group.length < MAX_GROUP_ROWS && characters < MAX_GROUP_CHARACTERS) continue;
    yield group;
    group = [];
    characters = 0;
  }
  if (group.length > 0) yield group;
}

function toColumnData(columns: readonly Column[], group: readonly (readonly Value[])[]) {
  return columns.map(({ name, type }, index) => {
    const { toStored } = STORAGE[type];
    const data = group.map((row) => {
      const value = row[index] ?? null;
      return value === null ? null : toStored(value);
    });
    return { name, data };
  });
}

/** Takes the written bytes; the writer keeps counting, so its offsets refer to the file. */
function takeBytes(writer: ByteWriter): Buffer {
  const bytes = Buffer.from(writer.getBytes());
  writer.index = 0;
  return bytes;
}
