import pLimit from "p-limit";
import { UnmatchedError, UsageError } from "../base/errors.ts";
import { SETTINGS } from "../config/settings.ts";
import { folderOutput } from "../export/output/folder.ts";
import { linesOf } from "../export/table.ts";
import { VERDICTS } from "../paging/verdict.ts";
import { produce } from "../produce/produce.ts";
import { readOnlySource } from "../produce/warehouse-source.ts";
import { statementsOf, toSpoken } from "../statements/statements.ts";
import { openReader } from "../warehouse/open.ts";
import { runQuery, type SqlValue } from "../warehouse/run-query.ts";
import { readBasis, readCoverage } from "../warehouse/runs/basis.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import { askRollup, toAsk } from "./ask-rollup.ts";
import { inOwnWords } from "./own-words.ts";
import { parseExport, parseSql, parseWarehousePath } from "./parse-options.ts";
import type {
  AttributedCall,
  Basis,
  Exported,
  ExportRequest,
  Rollup,
  RollupQuestion,
  SqlRow,
  Value,
  Warehouse,
} from "./types.ts";

/** For so long figures are provisional. */
const LOOKBACK_HOURS = Number(SETTINGS.lookbackHours.default);

/**
 * Opens an existing warehouse for reading; it may be synced meanwhile.
 * @throws CalltallyError (exit 7) if there is none, or its schema is of another version; a sync migrates it
 */
export function openWarehouse(path: string): Warehouse {
  const file = parseWarehousePath(path);
  const warehouse = naming(file, () => openReader(file));
  // A warehouse read as a copy in memory has one connection.
  const limit = pLimit(1);
  const oneAtOnce = <T>(work: () => Promise<T>) =>
    limit(async () => {
      assertOpen(warehouse);
      try {
        return await work();
      } catch (error) {
        assertOpen(warehouse); // it may have been closed meanwhile
        throw named(file, error);
      }
    });
  /** Being read; disposing closes their connections. */
  const open = new Set<ReturnType<typeof readQuery>>();
  function* track<Row extends SqlRow>(rows: Generator<Row, void, undefined>) {
    assertOpen(warehouse);
    open.add(rows);
    try {
      for (const row of rows) yield row;
    } finally {
      open.delete(rows);
    }
    assertOpen(warehouse); // else the rows are not all
  }
  const query = <Row extends SqlRow>(sql: string) => {
    assertOpen(warehouse);
    return track(readQuery<Row>(file, parseSql(sql)));
  };
  return {
    path: warehouse.path,
    rollup: <const Q extends RollupQuestion>(question: Q) => oneAtOnce(() => readRollup(warehouse, question)),
    export: (folder, request) => oneAtOnce(() => writeFiles(warehouse, folder, request)),
    calls: () => query<AttributedCall>("SELECT * FROM attributed_calls ORDER BY call_id"),
    query: (sql) => query(sql),
    readBasis: () => {
      assertOpen(warehouse);
      return naming(file, () => warehouse.sqlite.transaction(() => readPublicBasis(warehouse))());
    },
    [Symbol.dispose]: () => {
      for (const rows of open) rows.return();
      warehouse[Symbol.dispose]();
    },
  };
}

function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw named(path, error);
  }
}

function readPublicBasis(warehouse: Reader): Basis {
  const { calls, total, newest_call, verified, rejected } = readCoverage(warehouse);
  const basis = readBasis(warehouse);
  const { run, unlisted } = basis;
  const verdict = VERDICTS.find((name) => name === run?.verdict) ?? null;
  const statements = statementsOf({ warehouse: basis }).map(toSpoken);
  return {
    run: run && { ...run, verdict },
    ...{ verified, calls, unlisted, total, newest_call, rejected, statements },
  };
}

async function readRollup<Q extends RollupQuestion>(warehouse: Reader, question: Q): Promise<Rollup<Q>>;
async function readRollup(warehouse: Reader, question: RollupQuestion): Promise<object> {
  const { table, manifest } = await withAdvice(
    askRollup(readOnlySource(warehouse, LOOKBACK_HOURS), question),
  );
  const { columns } = table;
  const toRow = (row: readonly Value[]) =>
    Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]));
  const statements = manifest.statements.map(toSpoken);
  return { columns, rows: [...linesOf(table)].map(toRow), statements };
}

async function writeFiles(warehouse: Reader, to: string, asked: ExportRequest): Promise<Exported> {
  const { request, timezone, folder } = parseExport(to, asked);
  const source = readOnlySource(warehouse, LOOKBACK_HOURS);
  const output = folderOutput(folder);
  const ask = toAsk(request, source.can, output.can, timezone);
  const { manifest, newKey } = await withAdvice(produce(ask, source, output));
  const { files, statements } = manifest;
  return { folder: output.folder, files, statements: statements.map(toSpoken), ...(newKey && { newKey }) };
}

async function withAdvice<T>(made: Promise<T>): Promise<T> {
  return await made.catch((error: unknown) => {
    if (!(error instanceof UnmatchedError)) throw error;
    throw new UsageError(error.message, { hint: error.unmatched[0]?.advice ?? error.hint });
  });
}

/** Reads by a connection of its own, since its rows may be read for long. */
function readQuery<Row extends SqlRow>(path: string, sql: string): Generator<Row, void, undefined>;
function* readQuery(path: string, sql: string): Generator<SqlRow, void, undefined> {
  using reader = naming(path, () => openReader(path));
  const { columns, rows } = runQuery(reader, sql);
  for (const row of rows) {
    yield Object.fromEntries(columns.map((name, index) => [name, toPlain(row[index] ?? null)]));
  }
}

function toPlain(value: SqlValue): SqlValue {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function assertOpen({ path, sqlite }: Reader): void {
  if (!sqlite.open) throw new UsageError(`Cannot read ${path}: it is closed`, { hint: "Open it again." });
}

/** Adds the path of the warehouse to an error of SQLite. */
function named(path: string, error: unknown): unknown {
  return inOwnWords(nameFile(error, path));
}
