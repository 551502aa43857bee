import type { Dispatcher } from "undici";
import { z } from "zod";
import { attempt, CalltallyError, EXIT } from "../../base/errors.ts";
import { ApiError } from "../../service/api/api-errors.ts";
import { reasonForNoResponse } from "../../service/api/failure.ts";
import { readBody } from "../../service/api/response-body.ts";
import { adviseOnRoute, nameRoute, openRoute } from "../../service/api/route.ts";
import { errorOfResponse } from "./clickhouse-errors.ts";
import type { ClusterRow } from "./clickhouse-text.ts";

export interface Login {
  user: string | undefined;
  password: string | undefined;
}

export interface StatementOptions {
  /** For errors: follows "Cannot". */
  doing: string;
  signal?: AbortSignal | undefined;
}

const CONNECT_MS = 10_000;
const MAX_SECONDS = 300;
/** In addition to the time that the server gives a statement. */
const DEADLINE_MS = (MAX_SECONDS + 30) * 1000;
/** A response is kept in memory. */
const MAX_MB = 400;

/** With other values in a profile, a server omits rows without an error. */
const OVERFLOWS = ["timeout", "read", "group_by", "result", "set"];

const SETTINGS: Readonly<Record<string, string | number>> = {
  max_execution_time: MAX_SECONDS,
  max_memory_usage: 4_000_000_000,
  // Otherwise an error can follow the status 200.
  wait_end_of_query: 1,
  enable_http_compression: 1,
  http_zlib_compression_level: 1,
  ...Object.fromEntries(OVERFLOWS.map((what) => [`${what}_overflow_mode`, "throw"])),
  skip_unavailable_shards: 0,
  distributed_group_by_no_merge: 0,
  extremes: 0,
  // Lists of keys and callers are part of a statement.
  max_query_size: 256 * 1024 * 1024,
  max_ast_elements: 10_000_000,
  max_expanded_ast_elements: 10_000_000,
};

/** Every response of a server has this header; those of proxies do not. */
const NAME_HEADER = "x-clickhouse-server-display-name";

const isValue = (value: unknown) => value === null || typeof value === "string" || typeof value === "number";
/** A check of its own: zod's lists would take longer than parsing a large response. */
const row = z.custom<ClusterRow>((value) => Array.isArray(value) && value.every(isValue));
const responseSchema = z.object({ data: z.array(row) });

/** One server, by its HTTP interface; dispose of it to close its connections. */
export class ClickhouseNode implements AsyncDisposable {
  /** Host and port. */
  readonly name: string;
  readonly #url: URL;
  readonly #route: Dispatcher;
  readonly #headers: Record<string, string>;

  constructor(url: URL, { user = "default", password = "" }: Login) {
    this.name = url.host;
    this.#url = url;
    this.#headers = {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      "accept-encoding": "gzip",
      "user-agent": "calltally",
    };
    // Connections are not reused: a server closes idle ones, and the next request would fail.
    this.#route = openRoute(url, { connections: 4, pipelining: 0, connectMs: CONNECT_MS });
  }

  async run(sql: string, options: StatementOptions): Promise<void> {
    const body = await this.#request(sql, {}, options);
    if (body !== "") throw this.#strange(options, body);
  }

  /** @param statement an INSERT up to its columns @param rows one JSON object per line */
  async insert(statement: string, rows: string | Buffer, options: StatementOptions): Promise<void> {
    const body = await this.#request(rows, { query: `${statement} FORMAT JSONEachRow` }, options);
    if (body !== "") throw this.#strange(options, body);
  }

  /** @param sql without FORMAT */
  async select(sql: string, options: StatementOptions): Promise<ClusterRow[]> {
    const body = await this.#request(`${sql}\nFORMAT JSONCompact`, {}, options);
    // One document, so that a truncated one is no JSON.
    const response = attempt(() => responseSchema.parse(JSON.parse(body)));
    if (response === undefined) throw this.#strange(options, body);
    return response.data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#route.destroy();
  }

  async #request(body: string | Buffer, query: { query?: string }, options: StatementOptions) {
    const { doing, signal } = options;
    const timeout = AbortSignal.timeout(DEADLINE_MS);
    try {
      const response = await this.#route.request({
        origin: this.#url.origin,
        method: "POST",
        path: "/",
        query: { ...SETTINGS, ...query },
        headers: this.#headers,
        body,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const { statusCode: status, headers } = response;
      const text = (await readBody(response, MAX_MB * 1e6)).toString();
      const isServer = text.length > 0 || headers[NAME_HEADER] !== undefined;
      if (status === 200 && isServer) return text;
      const hasRows = query.query !== undefined;
      throw errorOfResponse(this.name, doing, { status, body: text, hasRows });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError) {
        throw new CalltallyError(
          EXIT.unreachable,
          `Cannot ${doing} at ${this.name}: its response is truncated, or larger than ${MAX_MB} MB`,
          { hint: "Try again; or use a shorter period, a coarser grain, or fewer dimensions." },
        );
      }
      throw error instanceof CalltallyError
        ? error
        : this.#unreachable(timeout.aborted ? timeout.reason : error);
    }
  }

  #unreachable(error: unknown): CalltallyError {
    const reason = reasonForNoResponse(error, DEADLINE_MS);
    const name = nameRoute(this.#url, `${this.name} of the cluster`);
    const direct = "Check the address and the network, and whether that server runs; then try again.";
    return new CalltallyError(EXIT.unreachable, `Cannot reach ${name}: ${reason}`, {
      hint: adviseOnRoute(this.#url, reason, direct),
    });
  }

  /** The status 200 proves nothing. */
  #strange({ doing }: StatementOptions, body: string): CalltallyError {
    return errorOfResponse(this.name, doing, { status: 200, body, hasRows: false });
  }
}
