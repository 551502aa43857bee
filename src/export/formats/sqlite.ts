import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { ONE_FILE } from "../../config/request/option-values.ts";
import type { ExportJob } from "../job.ts";
import type { ManifestFile } from "../manifest.ts";
import { meaningOf } from "../meanings.ts";
import { type Column, linesOf, type NamedTable, type Table, type Value } from "../table.ts";
import { type BasisJob, describeBasis } from "./xlsx/about-sheet.ts";

const CHUNK_BYTES = 1024 * 1024;

/** Declared types, by which drivers read days and times as such, and how SQLite's own functions and JDBC write those. */
const STORAGE: Record<Column["type"], { declared: string; toStored?: (text: string) => string }> = {
  text: { declared: "TEXT" },
  integer: { declared: "INTEGER" },
  decimal: { declared: "REAL" },
  boolean: { declared: "BOOLEAN" },
  time: { declared: "TIMESTAMP", toStored: (text) => text.replace("T", " ").replace("Z", "") },
  "local time": { declared: "TIMESTAMP", toStored: (text) => `${text}.000` },
  date: { declared: "DATE" },
};

const text = (name: string): Column => ({ name, type: "text" });

/** Writes a database without write-ahead log; the same tables and SQLite give the same bytes. */
export async function writeDatabase(
  job: Pick<ExportJob, "write"> & BasisJob,
  tables: readonly NamedTable[],
): Promise<ManifestFile> {
  const audience = tables.some((table) => table.audience === "owner") ? "owner" : "shared";
  const content = function* () {
    using file = openUnnamed();
    const { sqlite } = file;
    sqlite.exec("BEGIN");
    for (const { name, ...table } of tables) fillTable(sqlite, name, table);
    const basis = describeBasis(job, `${job.manifest.timezone}: days and local times; other times are UTC`);
    fillTable(sqlite, "about", {
      columns: [text("item"), text("value")],
      rows: basis.map(({ cells: [item, value] }) => [item?.value ?? null, value?.value ?? null]),
    });
    fillTable(sqlite, "about_columns", {
      columns: ["table_name", "column_name", "type", "meaning"].map(text),
      rows: tables.flatMap(({ name, columns }) =>
        columns.map((column) => [name, column.name, column.type, meaningOf(column)]),
      ),
    });
    inTemporaryFolder(() => sqlite.exec("COMMIT"));
    yield* file.read();
  };
  const written = await job.write(ONE_FILE.sqlite, content(), audience);
  const rows = tables.reduce((sum, { entry }) => sum + entry.rows, 0);
  return {
    contents: "database",
    ...written,
    rows,
    sheets: tables.map(({ name, entry }) => ({ sheet: name, ...entry })),
  };
}

/** A database on disk that has no name, so that nothing is left of it if the process is killed. */
function openUnnamed() {
  const folder = mkdtempSync(join(tmpdir(), "calltally-"));
  try {
    const path = join(folder, ONE_FILE.sqlite);
    const sqlite = new Database(path);
    sqlite.pragma("journal_mode = MEMORY"); // a file of its own would need the name
    sqlite.pragma("synchronous = OFF");
    const handle = openSync(path, "r");
    return {
      sqlite,
      *read() {
        for (;;) {
          const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
          const bytes = readSync(handle, chunk);
          if (bytes === 0) return;
          yield chunk.subarray(0, bytes);
        }
      },
      [Symbol.dispose]() {
        sqlite.close();
        closeSync(handle);
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A full folder for temporary files must not be taken for that of the warehouse. */
function inTemporaryFolder<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    throw new CalltallyError(
      EXIT.storage,
      `Cannot make ${ONE_FILE.sqlite} in ${tmpdir()}: ${error.message}`,
      {
        hint: "Free space in the folder for temporary files, or name another one in TMPDIR.",
      },
    );
  }
}

function fillTable(sqlite: Database.Database, name: string, table: Table): void {
  const { columns } = table;
  const declared = columns.map((column) => `${quote(column.name)} ${STORAGE[column.type].declared}`);
  sqlite.exec(`CREATE TABLE ${quote(name)} (${declared.join(", ")})`);
  const insert = sqlite.prepare(`INSERT INTO ${quote(name)} VALUES (${columns.map(() => "?").join(", ")})`);
  const makers = columns.map(({ type }) => STORAGE[type].toStored);
  const toStored = (value: Value, index: number) =>
    typeof value === "string" ? (makers[index]?.(value) ?? value) : value;
  for (const row of linesOf(table)) inTemporaryFolder(() => insert.run(row.map(toStored)));
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
