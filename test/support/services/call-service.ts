import { existsSync } from "node:fs";
import { join } from "node:path";
import { runSync } from "../../../src/sync/run.ts";
import type { SyncOptions } from "../../../src/sync/sync-options.ts";
import type { SyncRun } from "../../../src/warehouse/runs/runs.ts";
import { FakeClock } from "../fake-clock.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { openNewWarehouse, readIds, readRows } from "../warehouses/warehouse.ts";
import { type Answer, json, startServer, type TestServer, text } from "./server.ts";

/** A call as stored by a service. */
export type ServedCall = Record<string, unknown> & { call_id: number | string; call_started: string };

/** A request for calls. */
export interface Asked<Row = ServedCall> {
  offset: number;
  limit: number;
  sort: string | undefined;
  /** The requested organization unit. */
  unit: string | undefined;
  /** How many requests came before. */
  before: number;
  /** The calls of the honest response. */
  rows: readonly Row[];
  honest: Answer;
}

/** Deviations of a response from the honest one. */
export interface Deviation<Row = ServedCall> {
  rows?: readonly Row[];
  total?: number;
  offset?: number;
  request_id?: string;
  timestamp?: string;
}

/** Returns another response than the honest one, or what deviates; undefined for the honest one. */
export type Disturb<Row = ServedCall> = (
  asked: Asked<Row>,
  calls: readonly Row[],
) => Deviation<Row> | Answer | undefined;

/** A service, and a folder for its copy, which is deleted with it. */
export interface CallService<Row = ServedCall> extends TestServer {
  /** All calls in the service's own order. */
  calls: Row[];
  disturb: Disturb<Row>;
  readonly folder: string;
  /** The copy, `calls.db` in the folder. */
  readonly database: string;
  sync(options?: Partial<SyncOptions>): Promise<SyncRun>;
  /** Rows of the copy, by SQL. */
  read(sql: string): Record<string, unknown>[];
  readIds(): number[];
}

let services = 0;

/** Starts a service over calls as objects. */
export const startCallService = (calls: readonly ServedCall[], disturb?: Disturb): Promise<CallService> =>
  start(calls, disturb);

/** Starts a service over the JSON texts that are sent, so that a test controls each byte. */
export const startRowService = (
  rows: readonly string[],
  disturb?: Disturb<string>,
): Promise<CallService<string>> => start(rows, disturb);

async function start<Row extends ServedCall | string>(
  calls: readonly Row[],
  disturb: Disturb<Row> = () => undefined,
): Promise<CallService<Row>> {
  const name = `service-${services++}`;
  const state = { calls: [...calls], disturb };
  let before = 0;
  const server = await startServer((request, response) => {
    const query = new URL(request.url, "http://localhost").searchParams;
    const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
    const by = query.get("sort_by");
    const request_id = `${name}-${before}`;
    const rowsNow = () => state.calls.slice(offset, offset + limit);
    const list = (deviation: Deviation<Row>) =>
      listing({ rows, total: state.calls.length, limit, offset, request_id, ...deviation });
    const rows = rowsNow();
    const asked: Asked<Row> = {
      offset,
      limit,
      before: before++,
      rows,
      sort: by === null ? undefined : `${by} ${query.get("sort_order")}`,
      unit: query.get("org_unit_id") ?? undefined,
      honest: (...exchange) => list({ rows: rowsNow() })(...exchange),
    };
    const told = state.disturb(asked, state.calls) ?? {};
    return (typeof told === "function" ? told : list(told))(request, response);
  });
  const { path: folder, remove } = makeTempFolder();
  const database = join(folder, "calls.db");
  return Object.assign(state, server, {
    folder,
    database,
    sync: (options?: Partial<SyncOptions>) => syncFrom(server, folder, options),
    read: (sql: string) => readRows(database, sql),
    readIds: () => readIds(database),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      remove();
    },
  });
}

function listing({ rows = [], ...page }: Deviation<ServedCall | string> & { limit: number }): Answer {
  const { total, limit, offset, request_id, timestamp } = page;
  const calls = rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join();
  const data = `{"calls":[${calls}],"total":${total},"limit":${limit},"offset":${offset}}`;
  const envelope = JSON.stringify({ code: 200, message: "Success", request_id, timestamp });
  return text(`{"data":${data},${envelope.slice(1)}`);
}

export const serverError = json({ code: 500, message: "Internal server error" }, 500);

const START_MS = Date.parse("2026-11-20T00:00:00.000Z");

const startOf = (minutesAgo: number) => new Date(START_MS - minutesAgo * 60_000).toISOString();

/** A call that started that many minutes before the newest. */
export function callOf(id: number, minutesAgo: number, members: Record<string, unknown> = {}): ServedCall {
  return {
    call_id: id,
    call_started: startOf(minutesAgo),
    insight_name: "Website",
    duration: 60,
    ...members,
  };
}

/** That many calls, newest first: the highest id is the newest. */
export function newestFirst(count: number): ServedCall[] {
  return Array.from({ length: count }, (_, index) => callOf(count - index, index));
}

/** A call with this id; newer ones have smaller ids, as if listed newest first. */
export function rowOf(id: number): string {
  return JSON.stringify({ call_id: id, call_started: startOf(60 * id), duration: 60 });
}

/** Rows of the calls with these ids, both included. */
export function rowsOf(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => rowOf(first + index));
}

/** Fails on every range that contains the row of one of these calls. */
export function failsOn(ids: readonly number[], failure: Answer = serverError) {
  const bad = ids.map(rowOf);
  return ({ rows }: Pick<Asked<string>, "rows">) =>
    rows.some((row) => bad.includes(row)) ? failure : undefined;
}

export const TOKEN = "canary-token-417";

/** Syncs from a service into `calls.db` of a folder, with waits that take no time. */
export function syncFrom(
  service: Pick<TestServer, "url">,
  folder: string,
  options: Partial<SyncOptions> = {},
): Promise<SyncRun> {
  const database = join(folder, "calls.db");
  if (!existsSync(database) && !existsSync(`${database}-wal`)) openNewWarehouse(database)[Symbol.dispose]();
  return runSync({
    database,
    api: { baseUrl: service.url, token: TOKEN },
    limit: 20,
    concurrency: 2,
    lookbackHours: 72,
    fullEveryHours: 24,
    goneAfterHours: 6,
    checkEveryHours: 168,
    acceptGone: 0,
    clock: new FakeClock(),
    ...options,
  });
}
