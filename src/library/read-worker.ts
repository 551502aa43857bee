import { workerData } from "node:worker_threads";
import pLimit from "p-limit";
import { toInstants } from "../base/calendar/dates.ts";
import { UnmatchedError } from "../base/errors.ts";
import { pick } from "../base/records.ts";
import { AS_WRITTEN } from "../config/request/check.ts";
import { resolve } from "../config/request/resolve.ts";
import { SETTINGS } from "../config/settings.ts";
import type { Manifest, ManifestFile } from "../export/manifest.ts";
import { folderOutput } from "../export/output/folder.ts";
import { statementsOf, toSpoken } from "../export/statements/statements.ts";
import { type Column, linesOf } from "../export/table.ts";
import { produce } from "../reports/produce/produce.ts";
import { readOnlySource } from "../reports/produce/warehouse-source.ts";
import { VERDICTS } from "../service/paging/verdict.ts";
import { RollupSession } from "../sources/session.ts";
import { prepareCallerName } from "../warehouse/calls/caller-hash.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import { assertUndamaged } from "../warehouse/file/damage.ts";
import { openReader } from "../warehouse/file/open.ts";
import { runQuery } from "../warehouse/run-query.ts";
import { readBasis, readCoverage } from "../warehouse/runs/basis.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import { askRollup, toAsk } from "./ask-rollup.ts";
import type { ParsedRequest, Query } from "./parse-options.ts";
import { type Batch, inBatches, readQuery, readRows, rowsOf, toOwn } from "./read-rows.ts";
import { serveTasks } from "./serve-tasks.ts";
import type { Basis, ExportedFile, ExportResult, Rollup, Value } from "./types.ts";

/** For so long figures are provisional. */
const LOOKBACK_HOURS = Number(SETTINGS.lookbackHours.default);

const path: string = workerData;
let opened: Reader | undefined;
/** A warehouse read as a copy in memory has one connection. */
const limit = pLimit(1);

/** Runs a piece of work alone on the connection that stays open. */
function alone<T>(signal: AbortSignal, work: (warehouse: Reader) => T | Promise<T>): Promise<T> {
  return limit(async () => {
    signal.throwIfAborted();
    try {
      opened ??= openReader(path);
      assertUndamaged(path);
      return await work(opened);
    } catch (error) {
      throw toOwn(error, path);
    }
  });
}

interface Answer {
  columns: readonly Column[];
  run: Rollup["run"];
  statements: Rollup["statements"];
}

const TASKS = {
  async *rollup(signal: AbortSignal, request: ParsedRequest): AsyncGenerator<Batch<Value>, Answer, void> {
    const { table, manifest } = await alone(signal, (warehouse) =>
      askRollup(readOnlySource(warehouse, LOOKBACK_HOURS), request, { signal }),
    );
    const { columns } = table;
    yield* inBatches(
      columns.map(({ name }) => name),
      linesOf(table),
    );
    return { columns, run: toRun(manifest.run), statements: manifest.statements.map(toSpoken) };
  },

  async *export(
    signal: AbortSignal,
    { folder, request, timezone }: ParsedRequest & { folder: string },
  ): AsyncGenerator<never, ExportResult, void> {
    const output = folderOutput(folder, { signal });
    const { manifest, newKey } = await alone(signal, (warehouse) => {
      const source = readOnlySource(warehouse, LOOKBACK_HOURS);
      const ask = toAsk(request, source.can, output.can, timezone);
      return produce(ask, source, output, { signal });
    });
    const { files, run, statements } = manifest;
    return {
      folder: output.folder,
      files: files.map(toExported),
      run: toRun(run),
      statements: statements.map(toSpoken),
      ...(newKey && { newKey }),
    };
  },

  calls: (signal: AbortSignal, { request, timezone }: ParsedRequest) =>
    readRows(path, async function* (reader) {
      const { range = {}, filter } = resolve(request, { nowMs: Date.now(), timezone });
      const rules = () => readRulesInForce(reader).rules;
      const nameCaller = prepareCallerName(reader);
      using session = new RollupSession(reader.sqlite, { rules, filter, nameCaller, signal });
      const unmatched = await session.findUnmatched(filter);
      if (unmatched.length > 0) throw new UnmatchedError(unmatched, AS_WRITTEN.spell);
      const isOfAll = Object.keys({ ...range, ...filter }).length === 0;
      const ids = isOfAll
        ? []
        : [...session.calls([{ fact: "call_id" }], toInstants(range, timezone)).read()];
      const among = isOfAll ? "" : "WHERE call_id IN (SELECT value FROM json_each(?))";
      const parameters = isOfAll ? [] : [JSON.stringify(ids.flat())];
      yield* rowsOf(runQuery(reader, `SELECT * FROM attributed_calls ${among} ORDER BY call_id`, parameters));
    }),

  query: (_signal: AbortSignal, query: Query) => readQuery(path, query),

  async *readBasis(signal: AbortSignal, _: undefined): AsyncGenerator<never, Basis, void> {
    return await alone(signal, (warehouse) => warehouse.sqlite.transaction(readPublicBasis)(warehouse));
  },
};

export type ReadTasks = typeof TASKS;
serveTasks(TASKS);

/** Returns only the public members; those of the manifest may change between versions. */
function toExported(written: ManifestFile): ExportedFile {
  const sheets = written.sheets?.map((sheet) => pick(sheet, ["sheet", "contents", "rows"]));
  return { ...pick(written, ["file", "bytes", "sha256", "contents", "rows"]), ...(sheets && { sheets }) };
}

function readPublicBasis(warehouse: Reader): Basis {
  const { calls, total, newest_call, verified, rejected } = readCoverage(warehouse);
  const basis = readBasis(warehouse);
  const { run, missing, unlisted } = basis;
  const statements = statementsOf({ warehouse: basis }).map(toSpoken);
  return {
    run: toRun(run),
    ...{ verified, calls, missing, unlisted, total, newest_call, rejected, statements },
  };
}

function toRun(run: Manifest["run"]): Basis["run"] {
  return run && { ...run, verdict: VERDICTS.find((name) => name === run.verdict) ?? null };
}
