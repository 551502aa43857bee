import { UsageError } from "../base/errors.ts";
import { assertReadable } from "../warehouse/file/open.ts";
import { nameFile } from "../warehouse/file/sqlite-errors.ts";
import { toData, toError } from "./error-data.ts";
import {
  parseCallQuestion,
  parseExport,
  parseQuery,
  parseQuestion,
  parseReadOptions,
  parseWarehousePath,
} from "./parse-options.ts";
import { QueryProcess } from "./query-process.ts";
import type { Batch } from "./read-rows.ts";
import type { ReadTasks } from "./read-worker.ts";
import { Thread } from "./thread.ts";
import type { ReadOptions, Rollup, RollupQuestion, Warehouse } from "./types.ts";

/**
 * Opens an existing warehouse for reading, in a thread of its own; it may be synced meanwhile.
 * @throws CalltallyError (exit 7) if there is none, or its schema is of another version; a sync migrates it
 */
export function openWarehouse(path: string): Warehouse {
  const file = assertOpens(parseWarehousePath(path));
  const thread = new Thread<ReadTasks>("read", file);
  const close = () =>
    thread.close(new UsageError(`Cannot read ${file}: it is closed`, { hint: "Open it again." }));

  async function readRollup<Q extends RollupQuestion>(question: Q, options?: ReadOptions): Promise<Rollup<Q>>;
  async function readRollup(question: RollupQuestion, options?: ReadOptions): Promise<object> {
    const reading = thread.run("rollup", parseQuestion(question), parseReadOptions(options));
    const rows: object[] = [];
    for (;;) {
      const { done, value } = await reading.next();
      if (done) return { ...value, rows };
      for (const row of toRows(value)) rows.push(row);
    }
  }

  return {
    path: file,
    rollup: readRollup,
    export: async (folder, request, options) => {
      const writing = { ...parseReadOptions(options), isWriting: true };
      return await resultOf(thread.run("export", parseExport(folder, request), writing));
    },
    calls: (question, options) =>
      rowsOf(() => thread.run("calls", parseCallQuestion(question), parseReadOptions(options))),
    query: (sql, parameters, options) =>
      rowsOf(() => {
        const query = parseQuery(sql, parameters);
        const { signal } = parseReadOptions(options);
        return signal
          ? new QueryProcess(file, thread.closed).run("query", query, { signal })
          : thread.run("query", query);
      }),
    readBasis: () => resultOf(thread.run("readBasis", undefined)),
    [Symbol.dispose]: close,
    [Symbol.asyncDispose]: async () => {
      close();
      await thread.ended();
    },
  };
}

function assertOpens(path: string): string {
  try {
    return assertReadable(path);
  } catch (error) {
    throw toError(toData(nameFile(error, path)));
  }
}

function* toRows({ columns, rows }: Batch<unknown>) {
  for (const row of rows) yield Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null]));
}

/** @param read is called once the rows are iterated */
function rowsOf<Row>(
  read: () => AsyncGenerator<Batch<unknown>, void, void>,
): AsyncGenerator<Row, void, undefined>;
async function* rowsOf(read: () => AsyncGenerator<Batch<unknown>, void, void>) {
  for await (const batch of read()) yield* toRows(batch);
}

async function resultOf<T>(task: AsyncGenerator<unknown, T, void>): Promise<T> {
  for (;;) {
    const { done, value } = await task.next();
    if (done) return value;
  }
}
