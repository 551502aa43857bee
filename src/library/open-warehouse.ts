import pLimit from "p-limit";
import { UnmatchedError, UsageError } from "../base/errors.ts";
import { toFileError } from "../base/file-access.ts";
import { memoryOutput } from "../export/output/memory.ts";
import { produce } from "../produce/produce.ts";
import { readOnlySource } from "../produce/warehouse-source.ts";
import { check } from "../request/check.ts";
import { resolve } from "../request/resolve.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { readBasis, readCoverage } from "../warehouse/runs/basis.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import type { Warehouse as OpenWarehouse } from "../warehouse/warehouse.ts";
import { parseQuestion, parseWarehousePath } from "./parse-options.ts";
import type { Basis, Rollup, RollupColumn, RollupQuestion, Warehouse } from "./types.ts";

/**
 * Opens an existing warehouse for reading; it may be synced meanwhile.
 * @throws CalltallyError (exit 7) if there is none, or its schema is of another version; a sync migrates it
 */
export function openWarehouse(path: string): Warehouse {
  const file = parseWarehousePath(path);
  const warehouse = naming(file, () => openWarehouseReader(file));
  // A warehouse read as a copy in memory has one connection.
  const oneAtOnce = pLimit(1);
  return {
    path: warehouse.path,
    rollup: (question) =>
      oneAtOnce(async () => {
        assertOpen(warehouse);
        try {
          return await readRollup(warehouse, question);
        } catch (error) {
          assertOpen(warehouse); // it may have been closed meanwhile
          throw named(file, error);
        }
      }),
    readBasis: () => {
      assertOpen(warehouse);
      return naming(file, () => warehouse.sqlite.transaction(() => readPublicBasis(warehouse))());
    },
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw named(path, error);
  }
}

function readPublicBasis(warehouse: OpenWarehouse): Basis {
  const { calls, total, newest_call, verified, rejected } = readCoverage(warehouse);
  const { run, unlisted } = readBasis(warehouse);
  return { run: run as Basis["run"], verified, calls, unlisted, total, newest_call, rejected };
}

async function readRollup(warehouse: OpenWarehouse, question: RollupQuestion): Promise<Rollup> {
  const { request, timezone } = parseQuestion(question);
  const source = readOnlySource(warehouse);
  const output = memoryOutput();
  check(request, { source: source.can, output: output.can }, { spell });
  const ask = resolve(request, { nowMs: Date.now(), timezone, spell });
  try {
    await produce(ask, source, output);
  } catch (error) {
    throw error instanceof UnmatchedError
      ? new UsageError(error.message, { hint: error.unmatched[0]?.advice })
      : error;
  }
  const [{ columns, rows } = { columns: [], rows: [] }] = output.tables;
  const names = columns.map(({ name }) => name);
  return {
    columns: columns as readonly RollupColumn[], // only workbooks have date columns
    rows: rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]))),
  };
}

/** Returns the name of an option in a question: days are not below `range`, and `last` does not exist. */
const spell = (option: string) => (option === "range.last" ? "" : option.replace("range.", ""));

function assertOpen({ path, sqlite }: OpenWarehouse): void {
  if (!sqlite.open) throw new UsageError(`Cannot read ${path}: it is closed`, { hint: "Open it again." });
}

/** Adds the path of the warehouse to an error of SQLite or the file system. */
function named(path: string, error: unknown): unknown {
  return toFileError(error) ?? nameFile(error, path);
}
