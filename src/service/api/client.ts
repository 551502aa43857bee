import type { Dispatcher } from "undici";
import { type Clock, systemClock } from "../../base/clock.ts";
import { ApiError, errorOfChange } from "./api-errors.ts";
import { errorOfConnection, errorOfResponse, type RefusedHints } from "./failure.ts";
import type { LimitRequest } from "./host-limits.ts";
import { createRedactor } from "./redact-token.ts";
import { MAX_ERROR_BYTES, readBody } from "./response-body.ts";
import { type Envelope, parseEnvelope } from "./response-envelope.ts";
import { DEFAULT_RETRY, type RetryPolicy, retry } from "./retry.ts";
import { openRoute } from "./route.ts";

export interface ApiClientOptions {
  /** `/v3/…` is appended to its path. */
  baseUrl: URL;
  /** Bearer token (API v3 § 5). */
  token: string;
  /** File or setting with the token, for a hint. @default "the token" */
  tokenPlace?: string;
  /** Another secret that is sent, and removed from all responses as the token is; ASCII. @default none */
  secret?: string | undefined;
  /** From connecting to the last byte. @default 60_000 */
  attemptTimeoutMs?: number;
  /** @default DEFAULT_RETRY */
  retry?: Partial<RetryPolicy>;
  /** Sends the requests, and is not closed with the client. @default connections of its own */
  dispatcher?: Dispatcher | undefined;
  /** Connections kept open. @default 4 */
  connections?: number;
  /** Makes each attempt wait for its turn; shared by several clients. @default none */
  limitRequest?: LimitRequest | undefined;
  clock?: Clock;
  /** Uniform in [0, 1), for jitter. */
  random?: () => number;
  /** Called for each failed attempt that will be retried. */
  onRetry?: (error: ApiError, delayMs: number) => void;
}

/** How to reach the service, and which calls to request. */
export interface ApiAccess
  extends Pick<
    ApiClientOptions,
    | "baseUrl"
    | "token"
    | "tokenPlace"
    | "secret"
    | "attemptTimeoutMs"
    | "retry"
    | "limitRequest"
    | "dispatcher"
  > {
  /** Sent as `org_unit_id` with each request for calls (API v3 § 4.2). @default none */
  orgUnitId?: string | undefined;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Attempts in all. @default those of the client's policy */
  attempts?: number;
}

/** How to parse a response, and what to do if the service refuses the request. */
interface Operation<T, Parsed extends unknown[] = []> {
  parse: (envelope: Envelope, ...rest: Parsed) => T;
  refusedHints: RefusedHints;
}

/** When and how a response arrived. */
export interface Exchange {
  /** Its number among all attempts of the client, in the order sent. */
  attempt: number;
  /** The first attempt sent after this response's last byte. */
  nextAttempt: number;
  /** When it was sent and when its last byte arrived, milliseconds since 1970-01-01 UTC by the local clock. */
  sentMs: number;
  receivedMs: number;
  /** Seconds spent in caches, by the header `age` (RFC 9111 § 5.1). */
  ageSeconds: number;
}

interface Request {
  method: Dispatcher.HttpMethod;
  path: string;
  /** Undefined members are omitted. */
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  refusedHints: RefusedHints;
}

/** Speaks HTTP/1.1 with the service: bearer token, envelope, retries, deadlines. One per run; close it after use. */
export class ApiClient implements AsyncDisposable {
  readonly #route: Dispatcher;
  readonly #path: string;
  readonly #options: ApiClientOptions;
  readonly #clock: Clock;
  readonly #attemptTimeoutMs: number;
  readonly #redact: (body: Buffer) => Buffer;
  readonly #redactError: (body: Buffer) => Buffer;
  #attempts = 0;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#attemptTimeoutMs = options.attemptTimeoutMs ?? 60_000;
    const redactor = (shortest?: number) => {
      const redactToken = createRedactor(options.token, "[token]", shortest);
      const redactSecret = createRedactor(options.secret ?? "", "[secret]", shortest);
      return (body: Buffer) => redactSecret(redactToken(body));
    };
    this.#redact = redactor();
    this.#redactError = redactor(1);
    this.#path = options.baseUrl.pathname.replace(/\/+$/, "");
    this.#route =
      options.dispatcher ??
      openRoute(options.baseUrl, {
        connections: options.connections ?? 4,
        connectMs: this.#attemptTimeoutMs,
      });
  }

  /** Reads one resource, with retries, and returns the parsed envelope. @throws ApiError */
  async get<T>(
    path: string,
    query: NonNullable<Request["query"]>,
    { parse, refusedHints }: Operation<T, [Exchange]>,
    options: RequestOptions = {},
  ): Promise<T> {
    return await this.#retry(async () => {
      const { envelope, exchange } = await this.#attempt(
        { method: "GET", path, query, refusedHints },
        options.signal,
      );
      return parse(envelope, exchange);
    }, options);
  }

  /**
   * Changes one resource. Retries only while nothing can have reached the service: a later repeat could undo somebody
   * else's change.
   * @throws ApiError, with `outcomeUnknown` if the change may have been made
   */
  async send<T>(
    method: "PUT" | "PATCH",
    path: string,
    body: unknown,
    { parse, refusedHints }: Operation<T>,
    options: RequestOptions = {},
  ): Promise<T> {
    const { signal } = options;
    return await this.#retry(async () => {
      try {
        return parse((await this.#attempt({ method, path, body, refusedHints }, signal)).envelope);
      } catch (error) {
        throw error instanceof ApiError && !error.unsent ? errorOfChange(error) : error;
      }
    }, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#options.dispatcher === undefined) await this.#route.destroy();
  }

  async #retry<T>(attempt: () => Promise<T>, { signal, attempts }: RequestOptions): Promise<T> {
    const { random = Math.random, onRetry, limitRequest } = this.#options;
    const policy = { ...DEFAULT_RETRY, ...this.#options.retry };
    const bounded = { ...policy, attempts: attempts ?? policy.attempts };
    const limited = limitRequest === undefined ? attempt : () => limitRequest(attempt);
    return await retry(limited, bounded, { clock: this.#clock, random, signal, onRetry });
  }

  async #attempt({ method, path, query = {}, body, refusedHints }: Request, signal: AbortSignal | undefined) {
    const { token, baseUrl } = this.#options;
    const [attempt, sentMs] = [this.#attempts++, this.#clock.now()];
    const timeout = AbortSignal.timeout(this.#attemptTimeoutMs);
    try {
      const response = await this.#route.request({
        origin: baseUrl.origin,
        method,
        path: this.#path + path,
        query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)),
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json",
          "accept-encoding": "gzip",
          "cache-control": "no-cache",
          "user-agent": "calltally",
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const { headers, statusCode } = response;
      const { tokenPlace = "the token" } = this.#options;
      const errorOf = (status: number, body: Buffer | undefined, isQuoted: boolean) =>
        errorOfResponse({ status, headers }, body && this.#redactError(body), {
          nowMs: this.#clock.now(),
          isQuoted,
          tokenPlace,
          refusedHints,
        });
      if (statusCode === 200) {
        const bytes = this.#redact(await readBody(response));
        const ageSeconds = Number(headers.age) || 0;
        const [nextAttempt, receivedMs] = [this.#attempts, this.#clock.now()];
        const envelope = parseEnvelope(bytes.toString(), (status) => errorOf(status, bytes, true));
        return { envelope, exchange: { attempt, nextAttempt, sentMs, receivedMs, ageSeconds } };
      }
      // A proxy's error page may have any encoding; the status counts, readable or not.
      const errorBody = await readBody(response, MAX_ERROR_BYTES).catch(() => undefined);
      const isQuoted = method !== "GET" || (statusCode >= 400 && statusCode < 500);
      throw errorOf(statusCode, errorBody, isQuoted);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError) throw error;
      throw errorOfConnection(timeout.aborted ? timeout.reason : error, baseUrl, this.#attemptTimeoutMs);
    }
  }
}
