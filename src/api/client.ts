import { type Dispatcher, Pool } from "undici";
import { z } from "zod";
import { type Clock, systemClock } from "../clock.ts";
import { describeError, EXIT } from "../errors.ts";
import { readBody } from "./body.ts";
import { ApiError, contractError } from "./errors.ts";
import { parseJson } from "./json.ts";
import { DEFAULT_RETRY, parseRetryAfterMs, type RetryPolicy, retry } from "./retry.ts";

export interface ApiClientOptions {
  /** Where the service is; `/v3/…` is appended to its path. */
  baseUrl: URL;
  /** Bearer token (API v3 § 5). */
  token: string;
  /** Time for one attempt, from connecting to the body's last byte. @default 60_000 */
  attemptTimeoutMs?: number;
  /** @default DEFAULT_RETRY */
  retry?: Partial<RetryPolicy>;
  /** Connections kept open. @default 4 */
  connections?: number;
  clock?: Clock;
  /** Uniform in [0, 1), for jitter. */
  random?: () => number;
  /** Told of each failed attempt that is tried again. */
  onRetry?: (error: ApiError, delayMs: number) => void;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Attempts in all, where not those of the client's policy. */
  attempts?: number;
}

/** Query parameters; undefined ones are left out. */
export type Query = Record<string, string | number | undefined>;

const envelopeSchema = z.object({
  code: z.literal(200),
  message: z.string().nullish(),
  data: z.record(z.string(), z.unknown()),
  request_id: z.string().nullish(),
  timestamp: z.string().nullish(),
});

/** The envelope of every successful answer (API v3 § 1). */
export type Envelope = z.infer<typeof envelopeSchema>;

const RETRIED_STATUSES = new Set([408, 425, 429]);

/** Speaks HTTP/1.1 with the service: bearer token, envelope, retries, deadlines. One per run; close it after use. */
export class ApiClient implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #options: ApiClientOptions;
  readonly #clock: Clock;
  readonly #attemptTimeoutMs: number;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#attemptTimeoutMs = options.attemptTimeoutMs ?? 60_000;
    this.#path = options.baseUrl.pathname.replace(/\/+$/, "");
    this.#pool = new Pool(options.baseUrl.origin, {
      connections: options.connections ?? 4,
      allowH2: false,
      // The signal of each attempt bounds these; undici's own timers are coarser.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: this.#attemptTimeoutMs },
    });
  }

  /**
   * Reads one resource, trying again as the retry policy says, and returns what `parse` makes of the envelope.
   *
   * @throws ApiError
   */
  async get<T>(
    path: string,
    query: Query,
    parse: (envelope: Envelope) => T,
    { signal, attempts }: RequestOptions = {},
  ): Promise<T> {
    const { random = Math.random, onRetry } = this.#options;
    const policy = { ...DEFAULT_RETRY, ...this.#options.retry };
    return await retry(
      async () => parse(await this.#attempt("GET", path, query, signal)),
      { ...policy, attempts: attempts ?? policy.attempts },
      { clock: this.#clock, random, signal, onRetry },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy();
  }

  async #attempt(
    method: Dispatcher.HttpMethod,
    path: string,
    query: Query,
    signal: AbortSignal | undefined,
  ): Promise<Envelope> {
    const timeout = AbortSignal.timeout(this.#attemptTimeoutMs);
    try {
      const response = await this.#pool.request({
        method,
        path: this.#path + path,
        query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)),
        headers: {
          authorization: `Bearer ${this.#options.token}`,
          accept: "application/json",
          "accept-encoding": "gzip",
          "user-agent": "calltally",
        },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      // A proxy's error page may be in any encoding; the status counts, readable or not.
      if (response.statusCode !== 200)
        throw this.#errorOf(response, await readBody(response).catch(() => ""));
      return parseEnvelope(await readBody(response));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError) throw error;
      throw this.#unreachable(timeout.aborted ? timeout.reason : error);
    }
  }

  #unreachable(cause: unknown): ApiError {
    const { origin } = this.#options.baseUrl;
    return new ApiError(
      EXIT.unreachable,
      `Cannot reach ${origin}: ${reasonOf(cause, this.#attemptTimeoutMs)}`,
      {
        transient: true,
        cause: undefined,
        hint: "Check CALLTALLY_BASE_URL and the network; the next run goes on where this one stopped.",
      },
    );
  }

  #errorOf({ statusCode: status, headers }: Dispatcher.ResponseData, body: string): ApiError {
    const { requestId, message } = readErrorBody(body, this.#options.token);
    const said = message === undefined ? "" : `: ${message}`;
    const named = requestId === undefined ? "" : ` (request ${requestId})`;
    const details = { status, requestId };
    if (status === 401 || status === 403) {
      return new ApiError(EXIT.refused, `The API refused the token, status ${status}${said}${named}`, {
        ...details,
        hint: "Check CALLTALLY_TOKEN_FILE or CALLTALLY_TOKEN: it may be mistyped, expired, or of API v2.",
      });
    }
    if (status >= 500 || RETRIED_STATUSES.has(status)) {
      const retryAfter = headers["retry-after"];
      return new ApiError(EXIT.unreachable, `The API answered ${status}${said}${named}`, {
        ...details,
        transient: true,
        retryAfterMs: parseRetryAfterMs(
          retryAfter === undefined ? undefined : String(retryAfter),
          this.#clock.now(),
        ),
        hint: "The service is failing or busy: try again later.",
      });
    }
    if (status === 400 || status === 404) {
      return new ApiError(EXIT.contract, `The API answered ${status}${said}${named}`, details);
    }
    return contractError(`The API answered ${status}, which its documentation does not list${named}`, {
      ...details,
      transient: status >= 200 && status < 300,
    });
  }
}

function parseEnvelope(body: string): Envelope {
  let json: unknown;
  try {
    json = parseJson(body);
  } catch {
    // The parser's message quotes the body, which may hold personal data.
    throw contractError("The API's answer is not JSON, though its status is 200");
  }
  return parseContract(envelopeSchema, json, "The API's answer is not the documented envelope");
}

/**
 * Parses a value of the service's.
 *
 * @throws ApiError that names the member that is wrong, and not its value
 */
export function parseContract<T>(schema: z.ZodType<T>, value: unknown, message: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw contractError(`${message}: ${path}${issue?.message ?? "unreadable"}`);
}

/**
 * The shape of an error body is not documented: these members are taken where they are text, without the token,
 * which some services quote when they refuse it.
 */
function readErrorBody(body: string, token: string): { requestId?: string; message?: string } {
  const withoutToken = (value: string) => value.replaceAll(token, "[token]");
  const text = z.string().max(500).transform(withoutToken).optional().catch(undefined);
  const schema = z.object({ request_id: text, message: text });
  try {
    const { request_id: requestId, message } = schema.parse(JSON.parse(body));
    return { ...(requestId !== undefined && { requestId }), ...(message !== undefined && { message }) };
  } catch {
    return {};
  }
}

function reasonOf(cause: unknown, attemptTimeoutMs: number): string {
  if (cause instanceof DOMException && cause.name === "TimeoutError") {
    return `no complete answer within ${attemptTimeoutMs / 1000} s`;
  }
  // Node joins the failures of several addresses in one error without a message of its own.
  if (cause instanceof AggregateError) return cause.errors.map(describeError).join("; ");
  return describeError(cause);
}
