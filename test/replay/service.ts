import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { listCalls, type ServedCall, type Stage } from "./calls.ts";

/** What the service lists. */
export interface Listing {
  stage: Stage;
  /** Number of calls, of which a stage lists most. */
  calls: number;
  seed: number;
  /** Another order, errors from the second page on, the same request id each time, or rows that break the contract. @default newest first */
  mode?: "shuffled" | "oldest" | "failing" | "cached" | "odd";
  /** Durations are in milliseconds. @default false */
  isInMilliseconds?: boolean;
}

/** A local service with API v3, and a receiver of web hooks. */
export interface Service extends AsyncDisposable {
  url: string;
  /** For a server that the program starts. */
  freePort: number;
  /** By the token of an account. */
  listings: Map<string, Listing>;
  /** Time of its responses. */
  now: string;
  /** Requests to web hooks since the case began. */
  posts: string[];
  /** Requests for calls since the case began. */
  requests: number;
}

/** How many ports a service takes, from the first one on. */
export const PORTS = 2;

export async function startService(port: number): Promise<Service> {
  const made = new Map<string, ServedCall[]>();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    response.setHeader("date", new Date(service.now).toUTCString());
    const reply = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (pathname.startsWith("/hook")) {
      service.posts.push(`${request.method} ${pathname}\n${await buffer(request)}`);
      return pathname.startsWith("/hook/refused") ? reply(404, {}) : reply(200, {});
    }
    const listing = service.listings.get((request.headers.authorization ?? "").replace("Bearer ", ""));
    if (listing === undefined) return reply(401, { code: 401, message: "no such token" });
    const { stage, calls: count, seed, mode, isInMilliseconds = false } = listing;
    const key = JSON.stringify(listing);
    const listed = made.get(key) ?? listCalls(count, seed, stage);
    const all = isInMilliseconds && !made.has(key) ? listed.map(toMilliseconds) : listed;
    made.set(key, all);
    const limit = Math.min(1000, Number(searchParams.get("limit") ?? 100));
    const offset = Number(searchParams.get("offset") ?? 0);
    service.requests++;
    if (mode === "failing" && offset > 0) return reply(400, { code: 400, message: "no" });
    const ordered = inOrder(mode === "odd" ? all.flatMap(toOddRows) : all, mode, service.requests);
    reply(200, {
      code: 200,
      message: "Success",
      data: { calls: ordered.slice(offset, offset + limit), total: all.length, limit, offset },
      request_id: mode === "cached" ? toRequestId("", 0) : toRequestId(service.now, service.requests),
      timestamp: service.now,
    });
  });
  const service: Service = {
    url: `http://127.0.0.1:${port}`,
    freePort: port + 1,
    listings: new Map(),
    now: new Date(0).toISOString(),
    posts: [],
    requests: 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return service;
}

function inOrder(calls: readonly ServedCall[], mode: Listing["mode"], round: number): readonly ServedCall[] {
  if (mode === "oldest") return calls.toReversed();
  return mode === "shuffled" ? calls.toSorted((a, b) => orderOf(a, round) - orderOf(b, round)) : calls;
}

/** Some are exact halves of a second. */
function toMilliseconds(call: ServedCall, index: number): ServedCall {
  const { duration } = call;
  return typeof duration === "number"
    ? { ...call, duration: duration * 1000 + ((index * 125) % 1000) }
    : call;
}

/** Makes some rows break the contract. */
function toOddRows(call: ServedCall, index: number): ServedCall[] {
  if (index % 20 === 1) return [{ ...call, duration: "long" }];
  if (index % 20 === 2) return [{ ...call, call_started: "yesterday" }];
  if (index % 20 === 3)
    return [{ ...call, caller_id: 4930123, dni_data: { utm_source: 12, added: { deep: [1] } } }];
  if (index % 20 === 4) return [{ ...call, dni_data: null }];
  return [call];
}

const orderOf = ({ call_id }: ServedCall, round: number) => (call_id * 7919 * (round + 3)) % 10_007;

const toRequestId = (now: string, request: number) =>
  `${now.replace(/\D/g, "").slice(2, 10).padStart(8, "0")}-0000-4000-8000-${String(request).padStart(12, "0")}`;
