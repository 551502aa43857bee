import type { Dispatcher } from "undici";
import { pick } from "../base/records.ts";
import { readLayers } from "../config/load-settings.ts";
import { SETTINGS } from "../config/settings.ts";
import type { SyncProgress } from "../sync/read-calls.ts";
import { runSync } from "../sync/run.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import type { SyncRun as LedgerRun } from "../warehouse/runs/runs.ts";
import type { SyncOptions, SyncRun } from "./types.ts";

/** Those that can be cloned. */
export type PlainOptions = Omit<SyncOptions, "signal" | "onProgress" | "dispatcher" | "createFolders">;

/** Runs a sync that waits at each value until the next is asked for. */
export async function* syncSteps(
  signal: AbortSignal,
  { database, baseUrl, token, orgUnitId, mode, begin, settings: others = {} }: PlainOptions,
  dispatcher?: Dispatcher,
): AsyncGenerator<SyncProgress, SyncRun, void> {
  const values = {
    ...others,
    [SETTINGS.database.env]: database,
    [SETTINGS.baseUrl.env]: baseUrl,
    [SETTINGS.token.env]: token,
    ...(orgUnitId !== undefined && { [SETTINGS.orgUnitId.env]: String(orgUnitId) }),
  };
  const places = Object.fromEntries(Object.keys(others).map((name) => [name, `settings.${name}`]));
  const settings = readLayers([{ origin: "environment", values, places }]);
  const options = toSyncOptions(settings);
  const api = { ...options.api, tokenPlace: "`token`", dispatcher };
  const run = yield* reports<SyncProgress, LedgerRun>((onProgress) =>
    runSync({ ...options, api, force: mode, begins: begin, signal, onProgress }),
  );
  return toSyncRun(run);
}

/** Yields what a piece of work reports, and returns its result. The work waits while a value is in use. */
async function* reports<Value, Result>(
  work: (report: (value: Value) => Promise<void>) => Promise<Result>,
): AsyncGenerator<Value, Result, void> {
  const next = () => Promise.withResolvers<{ value: Value; resume: () => void } | undefined>();
  let reported = next();
  const result = work((value) => new Promise((resume) => reported.resolve({ value, resume })));
  result.then(
    () => reported.resolve(undefined),
    () => reported.resolve(undefined),
  );
  for (let report = await reported.promise; report !== undefined; report = await reported.promise) {
    reported = next();
    try {
      yield report.value;
    } finally {
      report.resume();
    }
  }
  return await result;
}

const PUBLIC = [
  "verdict",
  "verdict_reason",
  "finished_at",
  "calls_read",
  "calls_new",
  "calls_changed",
  "calls_rejected",
  "calls_gone",
  "calls_withheld",
] as const satisfies (keyof SyncRun)[];

const hasEnded = (run: LedgerRun): run is LedgerRun & SyncRun => PUBLIC.every((name) => run[name] !== null);

/** Returns only the public columns; others may change between versions. */
function toSyncRun(run: LedgerRun): SyncRun {
  if (!hasEnded(run)) throw new Error(`Run ${run.run_id} has not ended`);
  return pick(run, ["run_id", "mode", "started_at", ...PUBLIC]);
}
