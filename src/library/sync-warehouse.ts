import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Dispatcher } from "undici";
import { UsageError } from "../base/errors.ts";
import { toData, toError } from "./error-data.ts";
import { parseSyncOptions } from "./parse-options.ts";
import type { PlainOptions } from "./sync-steps.ts";
import type { SyncTasks } from "./sync-worker.ts";
import { Thread } from "./thread.ts";
import type { SyncOptions, SyncRun } from "./types.ts";

/**
 * Reads calls from the service into a warehouse, as `calltally sync` does, and returns how complete the pass was. It
 * runs in a thread of its own, unless a `dispatcher` is given, ignores the environment and files of settings, and
 * publishes nothing.
 * @returns the run in the ledger; check its verdict
 * @throws CalltallyError with exit code 2 for an invalid option, 4 if the API refuses the token, 5 if it cannot be
 * reached, 6 if another sync of the warehouse is running, 7 for an error of its file, 8 for a response that is not
 * API v3
 * @throws the reason of `signal` if that aborts. Pages read before any error are kept
 * @see docs/completeness.md
 */
export async function syncWarehouse(options: SyncOptions): Promise<SyncRun> {
  const { signal, onProgress, dispatcher, createFolders, ...plain } = parseSyncOptions(options);
  if (!createFolders) assertFolder(plain.database);
  const stop = new AbortController();
  const stopped = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  using thread = new Thread<SyncTasks>("sync");
  const steps = dispatcher
    ? inThisThread(stopped, plain, dispatcher)
    : thread.run("sync", plain, { signal: stopped, isWriting: true });
  for (;;) {
    const { done, value } = await steps.next();
    stop.signal.throwIfAborted();
    if (done) return value;
    try {
      await onProgress?.(value);
    } catch (error) {
      stop.abort(error);
    }
  }
}

/** A mistyped path would otherwise become a second warehouse. */
function assertFolder(database: string): void {
  const folder = dirname(resolve(database));
  if (existsSync(folder)) return;
  throw new UsageError(`Cannot make a warehouse in ${folder}: there is no such folder`, {
    hint: "Correct `database`, or pass `createFolders: true`.",
    option: "database",
  });
}

/** A dispatcher cannot be passed to another thread. */
async function* inThisThread(signal: AbortSignal, options: PlainOptions, dispatcher: Dispatcher) {
  const { syncSteps } = await import("./sync-steps.ts");
  try {
    return yield* syncSteps(signal, options, dispatcher);
  } catch (error) {
    throw error === signal.reason ? error : toError(toData(error));
  }
}
