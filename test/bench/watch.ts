import { join } from "node:path";
import Database from "better-sqlite3";
import type { Call } from "../../src/calls/columns.ts";
import { startRowService } from "../support/services/call-service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { openNewWarehouse, storeCalls, storeRun } from "../support/warehouses/warehouse.ts";
import { type Finding, medianUsage } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measureCalltally, type Usage } from "./process.ts";

const TEN_WEEKS_MS = 70 * 86_400_000;
const MINUTE_MS = 60_000;
/** Calls that only the first sync reads: new calls show how late calls are listed. */
const NEW = 200;
const BATCH = 10_000;

/** How much longer does an hourly sync without new calls take that judges calls for notices, as ten weeks of calls grow? */
export async function* watch({ calls: sizes, runs }: BenchOptions): AsyncGenerator<Finding> {
  let smallest: number | undefined;
  for (const calls of sizes) {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const endMs = Date.now() - 20 * MINUTE_MS;
    const callAt = (index: number) => drawCall(index, calls, endMs - (index / calls) * TEN_WEEKS_MS);
    fill(database, calls, callAt);
    const rows = Array.from({ length: calls }, (_, index) => toRow(callAt(index)));
    await using service = await startRowService(rows);
    const env = {
      CALLTALLY_BASE_URL: service.url.href,
      CALLTALLY_TOKEN: "bench",
      CALLTALLY_DATABASE: database,
      CALLTALLY_LOOKBACK_HOURS: "1",
    };
    // The first one counts the calls of all days.
    for (const what of ["sync that counts all calls", "hourly sync, no news"]) {
      const taken: Usage[] = [];
      for (let run = 0; run < (what === "hourly sync, no news" ? runs : 1); run++) {
        judgeAgain(database);
        taken.push(await measureCalltally(["sync", "--incremental", "--json"], env));
      }
      const usage = medianUsage(taken);
      if (what !== "hourly sync, no news") {
        yield { what, calls, ...usage };
        continue;
      }
      smallest ??= usage.cpuSeconds;
      const value = usage.cpuSeconds / smallest;
      const ratio = { value, of: `times the CPU of ${sizes[0]} calls`, atMost: 1.2 };
      yield { what, calls, ...usage, ratio };
    }
  }
}

function drawCall(index: number, calls: number, startedMs: number): Call {
  const draw = (count: number, salt: number) => (Math.imul(index + salt, 2_654_435_761) >>> 8) % count;
  return makeCall({
    call_id: calls - index,
    call_started: new Date(startedMs).toISOString(),
    caller_id: `+1512555${draw(1_000_000, 1)}`,
    tracking_number: `+1512666${1000 + draw(50, 2)}`,
    duration: 60,
    disposition: "ANSWERED",
    utm_source: `source ${draw(12, 3)}`,
    campaign_name: `campaign ${draw(40, 4)}`,
  });
}

function fill(database: string, calls: number, callAt: (index: number) => Call): void {
  using warehouse = openNewWarehouse(database);
  warehouse.sqlite.pragma("synchronous = OFF");
  const startedAt = new Date(Date.now() - 60 * MINUTE_MS).toISOString();
  storeRun(warehouse, [], { startedAt, finishedAt: startedAt });
  for (let from = calls; from > NEW; from -= BATCH) {
    const until = Math.max(NEW, from - BATCH);
    storeCalls(
      warehouse,
      Array.from({ length: from - until }, (_, each) => callAt(from - 1 - each)),
    );
  }
  const stored = calls - NEW;
  warehouse.sqlite
    .prepare(
      `UPDATE sync_runs SET first_total = @stored, last_total = @stored, calls_read = @stored,
        sort = 'own', call_order = 'newest', order_key = 'call_started desc'`,
    )
    .run({ stored });
}

/** An hour is judged once. */
function judgeAgain(database: string): void {
  const sqlite = new Database(database);
  sqlite.exec("UPDATE sync_runs SET judged_until = NULL");
  sqlite.close();
}

/** The JSON of a call as sent by a service. */
function toRow(call: Call): string {
  const { call_id, call_started, caller_id, tracking_number, duration, disposition } = call;
  const { utm_source, campaign_name } = call;
  const own = { call_id, call_started, caller_id, tracking_number, duration, disposition };
  return JSON.stringify({ ...own, dni_data: { utm_source, campaign_name } });
}
