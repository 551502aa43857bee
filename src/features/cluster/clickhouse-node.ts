import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { reasonForNoResponse } from "../../api/failure.ts";
import { readBody } from "../../api/response-body.ts";
import { adviseOnRoute, nameRoute, openRoute } from "../../api/route.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
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
  /** @default 300 */
  maxSeconds?: number;
}

const CONNECT_MS = 10_000;
const MAX_SECONDS = 300;
/** In addition to the time that the server gives a statement. */
const GRACE_SECONDS = 30;
const MAX_ERROR_BYTES = 65_536;
/** A row has some texts of a call, or what is published with an account. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/** With other values in a profile, a server omits rows without an error. */
const OVERFLOWS = ["timeout", "read", "group_by", "result", "set"];

/** The server sends no row before it has all, so no error can follow rows; compressed, so that truncation is detected. */
const SETTINGS: Readonly<Record<string, string | number>> = {
  max_memory_usage: 4_000_000_000,
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
    for await (const line of this.#lines(sql, {}, options)) throw this.#strange(options, line);
  }

  /** @param statement an INSERT up to its columns @param rows one JSON object per line */
  async insert(statement: string, rows: string | Buffer, options: StatementOptions): Promise<void> {
    const query = `${statement} FORMAT JSONEachRow`;
    for await (const line of this.#lines(rows, { query }, options)) throw this.#strange(options, line);
  }

  async select(sql: string, options: StatementOptions): Promise<ClusterRow[]> {
    return await Array.fromAsync(this.iterate(sql, options));
  }

  /** @param sql without FORMAT */
  async *iterate(sql: string, options: StatementOptions): AsyncGenerator<ClusterRow> {
    for await (const line of this.#lines(`${sql}\nFORMAT JSONEachRow`, {}, options)) {
      let row: ClusterRow;
      try {
        row = JSON.parse(line);
      } catch {
        throw this.#strange(options, line);
      }
      yield row;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#route.destroy();
  }

  /** A status of success proves nothing. Not readline, which takes U+2028 for the end of a line. */
  async *#lines(
    text: string | Buffer,
    query: { query?: string },
    options: StatementOptions,
  ): AsyncGenerator<string, undefined> {
    const response = await this.#request(text, query, options);
    const { body, headers } = response;
    if (String(headers["content-encoding"]).toLowerCase() !== "gzip") {
      const said = await readBody(response, MAX_ERROR_BYTES).catch(() => "unreadable");
      // 18.16 does not compress an empty body.
      if (said.length === 0 && headers[NAME_HEADER] !== undefined) return;
      throw this.#strange(options, said.toString());
    }
    const decoder = new TextDecoder();
    let rest = "";
    try {
      const chunks: AsyncIterable<Buffer> = pipeline(body, createGunzip(), () => {}); // errors reach the reader
      for await (const chunk of chunks) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        if (rest.length > MAX_LINE_LENGTH) throw this.#strange(options);
        yield* lines;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      throw error instanceof CalltallyError ? error : this.#unreachable(error, options);
    }
    // Truncated, or an error.
    if (rest !== "") throw this.#strange(options, rest);
  }

  async #request(body: string | Buffer, query: { query?: string }, options: StatementOptions) {
    const { doing, signal, maxSeconds = MAX_SECONDS } = options;
    const timeout = AbortSignal.timeout(deadlineMsOf(options));
    try {
      const response = await this.#route.request({
        origin: this.#url.origin,
        method: "POST",
        path: "/",
        query: { ...SETTINGS, max_execution_time: maxSeconds, ...query },
        headers: this.#headers,
        body,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      if (response.statusCode === 200) return response;
      const text = await readBody(response, MAX_ERROR_BYTES).catch(() => Buffer.alloc(0));
      throw errorOfResponse(this.name, doing, {
        status: response.statusCode,
        body: text.toString(),
        hasRows: query.query !== undefined,
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof CalltallyError) throw error;
      throw this.#unreachable(timeout.aborted ? timeout.reason : error, options);
    }
  }

  #unreachable(error: unknown, options: StatementOptions): CalltallyError {
    const reason = reasonForNoResponse(error, deadlineMsOf(options));
    const name = nameRoute(this.#url, `${this.name} of the cluster`);
    const direct = "Check the address and the network, and whether that server runs; then try again.";
    return new CalltallyError(EXIT.unreachable, `Cannot reach ${name}: ${reason}`, {
      hint: adviseOnRoute(this.#url, reason, direct),
    });
  }

  /** @param body of a response with status 200 */
  #strange({ doing }: StatementOptions, body = ""): CalltallyError {
    return errorOfResponse(this.name, doing, { status: 200, body, hasRows: false });
  }
}

function deadlineMsOf({ maxSeconds = MAX_SECONDS }: StatementOptions): number {
  return (maxSeconds + GRACE_SECONDS) * 1000;
}
