import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "../../src/calls/columns.ts";
import { readCalltallyFile } from "../../src/config/calltally-file.ts";
import { chooseReports, ofAccount } from "../../src/reports/report.ts";
import { keepLines } from "../support/log-lines.ts";
import { startServer, text } from "../support/services/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { FULL_CALL } from "../support/warehouses/calls.ts";
import { openNewWarehouse, storeRun } from "../support/warehouses/warehouse.ts";

interface ReportOptions {
  /** Other members of `calltally.yaml`. */
  top?: object;
  /** Other reports. */
  others?: Record<string, object>;
  account?: string;
  env?: Record<string, string>;
  /** The calls of its warehouse; null for no warehouse. */
  calls?: readonly Call[] | null;
  /** When its last sync ended. @default now */
  finishedAt?: string;
  /** Files with secrets, next to `calltally.yaml`. */
  secrets?: Record<string, string>;
}

/** Makes a folder with a `calltally.yaml`, in which this is the report `weekly`, and its warehouse. */
export function nameReport(content: object, options: ReportOptions = {}) {
  const { top = {}, others = {}, account, env = {}, calls = [FULL_CALL], secrets = {} } = options;
  const { finishedAt = new Date().toISOString() } = options;
  const { path: folder, remove } = makeTempFolder();
  const yaml = JSON.stringify({ ...top, reports: { weekly: content, ...others } });
  for (const [name, text] of Object.entries({ ...secrets, "calltally.yaml": yaml }))
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  const database = join(folder, "calls.db");
  const [weekly] = chooseReports(readCalltallyFile(join(folder, "calltally.yaml"), process.cwd()), [
    "weekly",
  ]);
  const sources = { env: { CALLTALLY_DATABASE: database, ...env }, folder };
  const report = weekly && ofAccount(weekly, { name: account, sources });
  if (report === undefined) throw new Error("It is not a report of the account");
  if (calls !== null) {
    using warehouse = openNewWarehouse(database);
    storeRun(warehouse, calls, { startedAt: finishedAt, finishedAt });
  }
  const { log, ...logged } = keepLines();
  const context = { settings: report.settings, log, signal: new AbortController().signal };
  return { report, folder, database, context, ...logged, [Symbol.dispose]: remove };
}

/** Starts a web hook that responds with these statuses, then 200; `bodies` is the JSON that it received. */
export async function startHook(...statuses: number[]) {
  const server = await startServer(...statuses.map((status) => text("", status)), text(""));
  return {
    ...server,
    secrets: { "hook.url": `${server.url}secret` },
    get bodies(): unknown[] {
      return server.requests.map(({ body }) => JSON.parse(String(body)));
    },
  };
}

export const TO_HOOK = [{ webhook: { url_file: "hook.url" } }];
