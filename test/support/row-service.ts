import { existsSync } from "node:fs";
import { join } from "node:path";

import { runSync } from "../../src/sync/run.ts";
import type { SyncOptions } from "../../src/sync/sync-options.ts";

import type { SyncRun } from "../../src/warehouse/runs/runs.ts";
import { type Answer, type BadServer, json, startBadServer, text } from "./bad-server.ts";
import { FakeClock } from "./fake-clock.ts";
import { openNewWarehouse } from "./warehouse.ts";

/** A request for calls, as the service sees it. */
export interface RangeRequest {
  offset: number;
  limit: number;
  /** The rows of the honest response. */
  rows: readonly string[];
  /** How many requests came before. */
  before: number;
}

/** Returns a response in place of the honest one, or undefined for the honest one. */
export type Disturb = (request: RangeRequest) => Answer | undefined;

export interface RowService extends BadServer {
  /** All calls as the JSON texts that are sent, so that a test controls each byte. */
  rows: string[];
  disturb: Disturb;
}

/** Starts a service over rows of JSON text; a response consists of the bytes of its rows. */
export async function startRowService(
  rows: readonly string[],
  disturb: Disturb = () => undefined,
): Promise<RowService> {
  const state = { rows: [...rows], disturb };
  let before = 0;
  const server = await startBadServer((request, response) => {
    const query = new URL(request.url ?? "", "http://localhost").searchParams;
    const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
    const asked = { offset, limit, rows: state.rows.slice(offset, offset + limit), before: before++ };
    const answer = state.disturb(asked) ?? page(asked, state.rows.length);
    answer(request, response);
  });
  return Object.assign(state, server);
}

/** An honest response. */
export function page({ offset, limit, rows, before }: RangeRequest, total: number): Answer {
  const place = `"total":${total},"limit":${limit},"offset":${offset}`;
  return text(
    `{"code":200,"message":"Success","data":{"calls":[${rows.join()}],${place}},"request_id":"request-${before}"}`,
  );
}

export const serverError = json({ code: 500, message: "Internal server error" }, 500);

/** A call with this id; newer ones have smaller ids, as if listed newest first. */
export function rowOf(id: number): string {
  const started = new Date(Date.parse("2026-11-20T00:00:00.000Z") - id * 3_600_000).toISOString();
  return JSON.stringify({ call_id: id, call_started: started, duration: 60 });
}

/** Rows of the calls with these ids, both included. */
export function rowsOf(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => rowOf(first + index));
}

/** Fails on every range that contains the row of one of these calls. */
export function failsOn(ids: readonly number[], failure: Answer = serverError): Disturb {
  const bad = ids.map(rowOf);
  return ({ rows }) => (rows.some((row) => bad.includes(row)) ? failure : undefined);
}

export const TOKEN = "canary-token-417";

/** Syncs from a service into `calls.db` of a folder, with waits that take no time. */
export function syncFrom(
  service: BadServer,
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
