import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import type { Call } from "../../src/call.ts";
import type { Made } from "../../src/produce/produce.ts";
import { openExistingWarehouse } from "../../src/warehouse/open.ts";
import { startRun, updateRun } from "../../src/warehouse/runs/runs.ts";
import { exports } from "../../src/warehouse/schema.ts";
import { markGone } from "./facts.ts";
import { openNewWarehouse } from "./new-warehouse.ts";
import { exportToFolder, type FolderExportOptions } from "./produce-files.ts";
import { storeCalls } from "./store-calls.ts";
import { makeTempFolder } from "./temp-folder.ts";

/** When the only run of a warehouse ended. */
export const RUN_FINISHED_AT = "2026-10-01T00:01:00.000Z";

export const clockAt = (now: number) => ({ now: () => now, sleep: () => Promise.resolve() });

type Options = Partial<FolderExportOptions> & Pick<FolderExportOptions, "targets">;

/** A temporary folder with a warehouse of these calls, and how to export it: in UTC, by the default rules. */
export function makeWarehouse(calls: readonly Call[], { isDone = true } = {}) {
  const temp = makeTempFolder();
  const database = join(temp.path, "calls.db");
  const folder = join(temp.path, "exports");
  {
    using warehouse = openNewWarehouse(database);
    const runId = startRun(warehouse, {
      started_at: "2026-10-01T00:00:00.000Z",
      mode: "full",
      plan_reason: "a test",
      pid: 1,
    });
    storeCalls(warehouse, calls, { runId: runId });
    if (isDone) {
      updateRun(warehouse, runId, {
        status: "done",
        finished_at: RUN_FINISHED_AT,
        verdict: "exact",
        verdict_reason: "Each page met the next.",
      });
    }
  }
  return {
    database,
    folder,
    export: (options: Options): Promise<Made & { folder: string }> =>
      exportToFolder({
        database,
        folder,
        timezone: "UTC",
        lookbackHours: 72,
        rules: DEFAULT_RULES,
        clock: clockAt(Date.parse(RUN_FINISHED_AT)),
        ...options,
      }),
    markGone: (callId: number, at: string) => {
      using warehouse = openExistingWarehouse(database);
      markGone(warehouse, [callId], at);
    },
    /** Changes the warehouse. */
    execute: (sql: string) => {
      using warehouse = openExistingWarehouse(database);
      warehouse.sqlite.exec(sql);
    },
    readExports: () => {
      using warehouse = openExistingWarehouse(database);
      return warehouse.db.select().from(exports).all();
    },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  };
}

/** Returns the names of the files in a folder and its sub-folders, sorted. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
}

/** Returns the text of every file in a folder, by name. */
export function readFiles(folder: string): Record<string, string> {
  return Object.fromEntries(listFiles(folder).map((file) => [file, readText(folder, file)]));
}

export const readText = (folder: string, file: string): string => readFileSync(join(folder, file), "utf8");
