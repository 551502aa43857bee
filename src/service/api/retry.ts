import type { Clock } from "../../base/clock.ts";
import { ApiError, reword } from "./api-errors.ts";

/** How often and how long one request is tried. */
export interface RetryPolicy {
  /** Attempts in all, the first included. @default 6 */
  attempts: number;
  /** Upper bound of the first delay, doubled for each further one. @default 500 */
  baseDelayMs: number;
  /** Upper bound of our own delays. @default 30_000 */
  maxDelayMs: number;
  /** No attempt starts later than this after the first. @default 120_000 */
  budgetMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 6,
  baseDelayMs: 500,
  maxDelayMs: 30_000,
  budgetMs: 120_000,
};

/**
 * Returns the wait before attempt `failures` + 1, in milliseconds: full jitter, i.e. uniform between 0 and the
 * exponential bound (AWS Architecture Blog, "Exponential Backoff And Jitter").
 */
export function jitteredDelayMs(failures: number, policy: RetryPolicy, random: () => number): number {
  return random() * Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (failures - 1));
}

/** Parses a Retry-After header (RFC 9110 § 10.2.3: seconds or a date); undefined if unreadable. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  // Date.parse accepts nearly any digits, even "1.5"; a real date has a time of day.
  if (!/\d\d:\d\d:\d\d/.test(header)) return undefined;
  // The asctime form names no zone, and is UTC like the others (RFC 9110 § 5.6.7).
  const hasNoZone = /\d\d:\d\d:\d\d(?: \d{4})?\s*$/.test(header);
  const dateMs = Date.parse(hasNoZone ? `${header} GMT` : header);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/** A longer Retry-After is more likely a mistake. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Runs `attempt` until it succeeds, fails for good, or the policy is used up, and then throws its last error. Honours
 * a Retry-After up to {@link MAX_RETRY_AFTER_MS} and caps longer ones; one that does not fit the budget ends the
 * attempts at once.
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  { clock, random, signal, onRetry }: RetryContext,
): Promise<T> {
  const startedMs = clock.now();
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ApiError) || !error.transient) throw error;
      // A Retry-After of 0 or in the past does not mean "retry immediately".
      const delayMs =
        Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) || jitteredDelayMs(failures, policy, random);
      if (clock.now() - startedMs + delayMs > policy.budgetMs) throw outOfBudget(error, clock.now());
      if (failures >= policy.attempts) throw error;
      onRetry?.(error, delayMs);
      await clock.sleep(delayMs, signal);
    }
  }
}

export interface RetryContext {
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  signal?: AbortSignal | undefined;
  onRetry?: ((error: ApiError, delayMs: number) => void) | undefined;
}

function outOfBudget(error: ApiError, nowMs: number): ApiError {
  if (error.retryAfterMs === undefined) return error;
  const retryAfterMs = Math.min(error.retryAfterMs, MAX_RETRY_AFTER_MS);
  const notBefore = new Date(nowMs + retryAfterMs).toISOString();
  const isCut = retryAfterMs < error.retryAfterMs;
  const pause = isCut
    ? `asks for a pause of more than an hour, capped at one hour: until ${notBefore}`
    : `asks for a pause until ${notBefore}`;
  return reword(error, `${error.message}, and ${pause}`, {
    retryAfterMs,
    hint: ({ retrySeconds, syncNow }) =>
      `Run it again after that time, or raise ${retrySeconds} to wait for it${syncNow === undefined ? "" : `; ${syncNow} starts at once`}.`,
  });
}
