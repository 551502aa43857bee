import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { reasonForNoResponse } from "../api/failure.ts";
import { readBody } from "../api/response-body.ts";
import { adviseOnRoute, nameRoute, openRoute } from "../api/route.ts";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { errorOfResponse } from "./clickhouse-errors.ts";
import { type ClusterRow, literal } from "./clickhouse-text.ts";

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

type Settings = Record<string, string | number>;

const CONNECTIONS = 4;
const CONNECT_MS = 10_000;
const MAX_SECONDS = 300;
const MAX_MEMORY_BYTES = 4_000_000_000;
const MAX_ERROR_BYTES = 65_536;
/** In addition to the time that the server gives a statement. */
const GRACE_SECONDS = 30;

/** A row has some texts of a call, or the totals of an account. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

const OVERFLOWS = ["timeout", "read", "group_by", "sort", "result", "distinct", "set"];

/** Settings of a SELECT; no version knows all of them. Other values in a profile could make the server omit rows silently. */
const SELECT_SETTINGS: Readonly<Record<string, string | number>> = {
  ...Object.fromEntries(OVERFLOWS.map((what) => [`${what}_overflow_mode`, "throw"])),
  timeout_overflow_mode_leaf: "throw",
  read_overflow_mode_leaf: "throw",
  skip_unavailable_shards: 0,
  distributed_group_by_no_merge: 0,
  limit: 0,
  offset: 0,
  additional_table_filters: "{}",
  additional_result_filter: "",
  use_query_cache: 0,
  aggregate_functions_null_for_empty: 0,
  empty_result_for_aggregation_by_empty_set: 0,
  partial_result_on_first_cancel: 0,
  extremes: 0,
  output_format_json_quote_64bit_integers: 1,
  // Lists of keys and callers are part of a statement.
  max_query_size: 256 * 1024 * 1024,
  max_ast_elements: 10_000_000,
  max_expanded_ast_elements: 10_000_000,
  // Merges groups of shards part by part, as later versions do by default; in 18.16 this saves two thirds of the
  // memory.
  distributed_aggregation_memory_efficient: 1,
  cancel_http_readonly_queries_on_client_close: 1,
};

/** The server sends no row before it has all, so no error can follow rows; compressed, so that truncation is detected. */
const WHOLE = { wait_end_of_query: 1, enable_http_compression: 1, http_zlib_compression_level: 1 };

/** Every response of a server has this header; those of proxies do not. */
const NAME_HEADER = "x-clickhouse-server-display-name";

/** One server of a cluster, by its HTTP interface; dispose of it to close its connections. */
export class ClickhouseNode implements AsyncDisposable {
  /** Host and port. */
  readonly name: string;
  readonly #url: URL;
  readonly #route: Dispatcher;
  readonly #headers: Record<string, string>;
  #selectSettings: Promise<Settings> | undefined;

  constructor(url: URL, { user = "default", password = "" }: Login) {
    this.name = url.host;
    this.#url = url;
    this.#headers = {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      "accept-encoding": "gzip",
      "user-agent": "calltally",
    };
    this.#route = openRoute(url, {
      connections: CONNECTIONS,
      // Connections are not reused: the server would close them while rows are hashed here, and the next request
      // would fail.
      pipelining: 0,
      connectMs: CONNECT_MS,
    });
  }

  async run(sql: string, options: StatementOptions): Promise<void> {
    await this.#execute(sql, {}, options);
  }

  /** @param statement an INSERT up to its columns @param rows one JSON object per line */
  async insert(statement: string, rows: string | Buffer, options: StatementOptions): Promise<void> {
    await this.#execute(rows, { query: `${statement} FORMAT JSONEachRow` }, options);
  }

  async select(sql: string, options: StatementOptions): Promise<ClusterRow[]> {
    return await Array.fromAsync(this.iterate(sql, options));
  }

  /** @param sql without FORMAT */
  async *iterate(sql: string, options: StatementOptions): AsyncGenerator<ClusterRow> {
    this.#selectSettings ??= this.#readSelectSettings(options);
    yield* this.#iterate(sql, await this.#selectSettings, options);
  }

  /** Returns the settings that the server knows, in one row, so that no limit of a profile can cut it. */
  async #readSelectSettings(options: StatementOptions): Promise<Settings> {
    const names = Object.keys(SELECT_SETTINGS).map(literal).join(", ");
    const sql = `SELECT arrayStringConcat(groupArray(name), ',') AS names FROM system.settings WHERE name IN (${names})`;
    const [row] = await Array.fromAsync(this.#iterate(sql, {}, options));
    const known = String(row?.names).split(",");
    if (!known.includes("max_query_size")) throw this.#strange(options);
    return Object.fromEntries(Object.entries(SELECT_SETTINGS).filter(([name]) => known.includes(name)));
  }

  async *#iterate(sql: string, settings: Settings, options: StatementOptions): AsyncGenerator<ClusterRow> {
    const text = `${sql}\nFORMAT JSONEachRow`;
    const response = await this.#request(text, { ...settings, ...WHOLE }, options);
    for await (const line of this.#readLines(response, options)) {
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

  /** A status of success proves nothing: a server that fails after it began to respond says so in the body. */
  async #execute(rows: string | Buffer, settings: Settings, options: StatementOptions): Promise<void> {
    const response = await this.#request(rows, settings, options);
    const said = await readBody(response, MAX_ERROR_BYTES).catch((error: unknown) => {
      options.signal?.throwIfAborted();
      throw error instanceof CalltallyError ? this.#strange(options) : this.#unreachable(error, options);
    });
    if (said.length > 0) throw this.#strange(options, said.toString());
  }

  /** Not readline, which takes U+2028 for the end of a line. */
  async *#readLines(
    response: Dispatcher.ResponseData,
    options: StatementOptions,
  ): AsyncGenerator<string, undefined> {
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

  async #request(body: string | Buffer, settings: Settings, options: StatementOptions) {
    const { doing, signal, maxSeconds = MAX_SECONDS } = options;
    const timeout = AbortSignal.timeout(deadlineMsOf(options));
    try {
      const response = await this.#route.request({
        origin: this.#url.origin,
        method: "POST",
        path: "/",
        query: { max_execution_time: maxSeconds, max_memory_usage: MAX_MEMORY_BYTES, ...settings },
        headers: this.#headers,
        body,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      if (response.statusCode === 200) return response;
      const text = await readBody(response, MAX_ERROR_BYTES).catch(() => Buffer.alloc(0));
      throw errorOfResponse(this.name, doing, {
        status: response.statusCode,
        body: text.toString(),
        hasRows: "query" in settings,
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof CalltallyError) throw error;
      throw this.#unreachable(timeout.aborted ? timeout.reason : error, options);
    }
  }
}

function deadlineMsOf({ maxSeconds = MAX_SECONDS }: StatementOptions): number {
  return (maxSeconds + GRACE_SECONDS) * 1000;
}
