import { type Answer, type BadServer, json, startBadServer } from "./bad-server.ts";

/** A call as stored by a service. */
export type ServedCall = Record<string, unknown> & { call_id: number | string; call_started: string };

/** A request for calls. */
export interface Asked {
  offset: number;
  limit: number;
  sort: string | undefined;
  /** The requested organization unit. */
  unit: string | undefined;
  /** How many requests came before. */
  before: number;
}

/** Deviations of a response from the honest one. */
export interface Told {
  rows: readonly ServedCall[];
  total?: number;
  offset?: number;
  request_id?: string;
  timestamp?: string;
}

export interface ListService extends BadServer {
  /** All calls in the service's own order. */
  calls: ServedCall[];
  /** Returns the response to the request, honest or not. */
  tell: (asked: Asked, calls: readonly ServedCall[]) => Told | Answer;
}

const START_MS = Date.parse("2026-11-20T00:00:00.000Z");
let services = 0;

/** A call that started that many minutes before the newest. */
export function callOf(id: number, minutesAgo: number, members: Record<string, unknown> = {}): ServedCall {
  const call_started = new Date(START_MS - minutesAgo * 60_000).toISOString();
  return { call_id: id, call_started, insight_name: "Website", duration: 60, ...members };
}

/** That many calls, newest first: the highest id is the newest. */
export function newestFirst(count: number): ServedCall[] {
  return Array.from({ length: count }, (_, index) => callOf(count - index, index));
}

export const honestly: ListService["tell"] = ({ offset, limit }, calls) => ({
  rows: calls.slice(offset, offset + limit),
});

/** Starts a service over calls as objects, which may sort or misrepresent them; the service of rows sends exact bytes. */
export async function startListService(
  calls: readonly ServedCall[],
  tell: ListService["tell"] = honestly,
): Promise<ListService> {
  const name = `service-${services++}`;
  const state = { calls: [...calls], tell };
  let before = 0;
  const server = await startBadServer((request, response) => {
    const query = new URL(request.url ?? "", "http://localhost").searchParams;
    const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
    const by = query.get("sort_by");
    const sort = by === null ? undefined : `${by} ${query.get("sort_order")}`;
    const unit = query.get("org_unit_id") ?? undefined;
    const request_id = `${name}-${before}`;
    const told = state.tell({ offset, limit, sort, unit, before: before++ }, state.calls);
    if (typeof told === "function") return told(request, response);
    const { rows, total = state.calls.length, offset: applied = offset, timestamp } = told;
    const data = { calls: rows, total, limit, offset: applied };
    json({ code: 200, message: "Success", data, request_id: told.request_id ?? request_id, timestamp })(
      request,
      response,
    );
  });
  return Object.assign(state, server);
}
