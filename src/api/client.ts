import { type Dispatcher, Pool } from "undici";
import { type Clock, systemClock } from "../base/clock.ts";
import { ApiError, errorOfChange } from "./api-errors.ts";
import { errorOfConnection, errorOfResponse } from "./failure.ts";
import type { LimitRequest } from "./host-limits.ts";
import { createRedactor } from "./redact-token.ts";
import { MAX_ERROR_BYTES, readBody } from "./response-body.ts";
import { type Envelope, parseEnvelope } from "./response-envelope.ts";
import { DEFAULT_RETRY, type RetryPolicy, retry } from "./retry.ts";

export interface ApiClientOptions {
  /** Where the service is; `/v3/…` is appended to its path. */
  baseUrl: URL;
  /** Bearer token (API v3 § 5). */
  token: string;
  /** File or setting that has the token, for a hint. @default "the token" */
  tokenPlace?: string;
  /** Another secret that is sent, and to be taken out of all responses as the token is; ASCII. @default none */
  secret?: string | undefined;
  /** Time for one attempt, from connecting to the last byte. @default 60_000 */
  attemptTimeoutMs?: number;
  /** @default DEFAULT_RETRY */
  retry?: Partial<RetryPolicy>;
  /** Connections kept open. @default 4 */
  connections?: number;
  /** Makes each attempt wait for its turn; what several clients share. @default none */
  limitRequest?: LimitRequest | undefined;
  clock?: Clock;
  /** Uniform in [0, 1), for jitter. */
  random?: () => number;
  /** Told of each failed attempt that is tried again. */
  onRetry?: (error: ApiError, delayMs: number) => void;
}

/** How to reach the service, and which of its calls are asked for. */
export interface ApiAccess
  extends Pick<
    ApiClientOptions,
    "baseUrl" | "token" | "tokenPlace" | "secret" | "attemptTimeoutMs" | "retry" | "limitRequest"
  > {
  /** Sent as `org_unit_id` with each request for calls (API v3 § 4.2). @default none */
  orgUnitId?: string | undefined;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Attempts in all, where not those of the client's policy. */
  attempts?: number;
}

/** When and how a response came. */
export interface Exchange {
  /** Number of the attempt among all of the client's, in the order in which they were sent. */
  attempt: number;
  /** Number of the first attempt that was sent after its last byte had come. */
  nextAttempt: number;
  /** When it was sent, and when its last byte had come, milliseconds since 1970-01-01 UTC by the clock here. */
  sentMs: number;
  receivedMs: number;
  /** Seconds that it had spent in caches, by its header `age` (RFC 9111 § 5.1). */
  ageSeconds: number;
}

interface Request {
  method: Dispatcher.HttpMethod;
  path: string;
  /** Undefined members are left out. */
  query?: Record<string, string | number | undefined>;
  body?: unknown;
}

/** Speaks HTTP/1.1 with the service: bearer token, envelope, retries, deadlines. One per run; close it after use. */
export class ApiClient implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #options: ApiClientOptions;
  readonly #clock: Clock;
  readonly #attemptTimeoutMs: number;
  readonly #redact: (body: Buffer) => Buffer;
  #attempts = 0;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#attemptTimeoutMs = options.attemptTimeoutMs ?? 60_000;
    const redactToken = createRedactor(options.token);
    const redactSecret = createRedactor(options.secret ?? "", "[secret]");
    this.#redact = (body) => redactSecret(redactToken(body));
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
    query: NonNullable<Request["query"]>,
    parse: (envelope: Envelope, exchange: Exchange) => T,
    options: RequestOptions = {},
  ): Promise<T> {
    return await this.#retry(async () => {
      const { body, exchange } = await this.#attempt({ method: "GET", path, query }, options.signal);
      return parse(parseEnvelope(body.toString()), exchange);
    }, options);
  }

  /**
   * Changes one resource. Tried again only while nothing can have reached the service: after that a second request
   * could undo what somebody else has done in between.
   *
   * @throws ApiError, with `outcomeUnknown` where the change may have been made all the same
   */
  async send<T>(
    method: "PUT" | "PATCH",
    path: string,
    body: unknown,
    parse: (envelope: Envelope) => T,
    options: RequestOptions = {},
  ): Promise<T> {
    const { signal } = options;
    return await this.#retry(async () => {
      try {
        const response = await this.#attempt({ method, path, body }, signal);
        return parse(parseEnvelope(response.body.toString()));
      } catch (error) {
        throw error instanceof ApiError && !error.unsent ? errorOfChange(error) : error;
      }
    }, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy();
  }

  async #retry<T>(attempt: () => Promise<T>, { signal, attempts }: RequestOptions): Promise<T> {
    const { random = Math.random, onRetry, limitRequest } = this.#options;
    const policy = { ...DEFAULT_RETRY, ...this.#options.retry };
    const bounded = { ...policy, attempts: attempts ?? policy.attempts };
    const limited = limitRequest === undefined ? attempt : () => limitRequest(attempt);
    return await retry(limited, bounded, { clock: this.#clock, random, signal, onRetry });
  }

  async #attempt(
    { method, path, query = {}, body }: Request,
    signal: AbortSignal | undefined,
  ): Promise<{ body: Buffer; exchange: Exchange }> {
    const { token, baseUrl } = this.#options;
    const [attempt, sentMs] = [this.#attempts++, this.#clock.now()];
    const timeout = AbortSignal.timeout(this.#attemptTimeoutMs);
    try {
      const response = await this.#pool.request({
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
      if (response.statusCode === 200) {
        const bytes = this.#redact(await readBody(response));
        const ageSeconds = Number(response.headers.age) || 0;
        const [nextAttempt, receivedMs] = [this.#attempts, this.#clock.now()];
        return { body: bytes, exchange: { attempt, nextAttempt, sentMs, receivedMs, ageSeconds } };
      }
      // A proxy's error page may be in any encoding; the status counts, readable or not.
      const errorBody = await readBody(response, MAX_ERROR_BYTES).catch(() => undefined);
      const { tokenPlace = "the token" } = this.#options;
      const context = { nowMs: this.#clock.now(), isChange: method !== "GET", tokenPlace };
      throw errorOfResponse(response, errorBody && this.#redact(errorBody), context);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError) throw error;
      throw errorOfConnection(
        timeout.aborted ? timeout.reason : error,
        baseUrl.origin,
        this.#attemptTimeoutMs,
      );
    }
  }
}
