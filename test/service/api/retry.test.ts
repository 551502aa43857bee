import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../../src/base/errors.ts";
import { ApiError } from "../../../src/service/api/api-errors.ts";
import {
  DEFAULT_RETRY,
  jitteredDelayMs,
  parseRetryAfterMs,
  type RetryPolicy,
  retry,
} from "../../../src/service/api/retry.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const POLICY: RetryPolicy = { attempts: 4, baseDelayMs: 1000, maxDelayMs: 3000, budgetMs: 60_000 };

const busy = (retryAfterMs?: number) =>
  new ApiError(EXIT.unreachable, "The API returned 503", {
    status: 503,
    requestId: "r-1",
    hint: "Try again later.",
    transient: true,
    retryAfterMs,
  });

/** Fails with each of the errors in turn, then succeeds with the number of attempts it took. */
function failing(...errors: unknown[]) {
  let attempts = 0;
  const attempt = async () => {
    if (attempts++ < errors.length) throw errors[attempts - 1];
    return attempts;
  };
  return { attempt, count: () => attempts };
}

/** Returns what was thrown. */
async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown");
}

/** Random number just below 1: each delay is just below its bound. */
const highest = () => 1 - Number.EPSILON;

describe("jitteredDelayMs", () => {
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it("lies between 0 and a bound that doubles with each failure up to maxDelayMs", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        share,
        (failures, baseDelayMs, maxDelayMs, random) => {
          const delayMs = jitteredDelayMs(failures, { ...POLICY, baseDelayMs, maxDelayMs }, () => random);
          let boundMs = baseDelayMs;
          for (let i = 1; i < failures && boundMs < maxDelayMs; i++) boundMs *= 2;
          expect(delayMs).toBeGreaterThanOrEqual(0);
          expect(delayMs).toBeCloseTo(random * Math.min(boundMs, maxDelayMs), 6);
        },
      ),
    );
  });

  it("uses the whole range: 0 for the lowest random number, nearly the bound for the highest", () => {
    const delays = (random: () => number) => [1, 2, 3, 4].map((n) => jitteredDelayMs(n, POLICY, random));
    expect(delays(() => 0)).toEqual([0, 0, 0, 0]);
    expect(delays(() => 0.5)).toEqual([500, 1000, 1500, 1500]);
    expect(delays(highest).map(Math.round)).toEqual([1000, 2000, 3000, 3000]);
  });
});

describe("parseRetryAfterMs", () => {
  const NOW_MS = Date.parse("2026-11-20T15:00:00Z");

  it.each([
    { header: " 120 ", ms: 120_000 },
    { header: "Friday, 20-Nov-26 15:01:00 GMT", ms: 60_000 },
    { header: "Fri, 20 Nov 2026 14:59:59 GMT", ms: 0 },
  ])("reads $header as $ms ms", ({ header, ms }) => {
    expect(parseRetryAfterMs(header, NOW_MS)).toBe(ms);
  });

  it.each([
    { header: "Fri Nov 20 15:00:42 2026", ms: 42_000 },
    { header: "2026-11-20 15:00:42", ms: 42_000 },
    { header: "Fri, 20 Nov 2026 16:00:42 +0100", ms: 42_000 },
  ])(
    "reads $header, without a zone or with one, as $ms ms in any time zone of this machine",
    ({ header, ms }) => {
      const { TZ } = process.env;
      try {
        for (process.env.TZ of ["America/New_York", "Asia/Tokyo"])
          expect(parseRetryAfterMs(header, NOW_MS)).toBe(ms);
      } finally {
        if (TZ === undefined) delete process.env.TZ;
        else process.env.TZ = TZ;
      }
    },
  );

  it.each([undefined, "soon", "1.5", "1, 2", "Infinity"])("does not read %j as a time", (header) => {
    expect(parseRetryAfterMs(header, NOW_MS)).toBeUndefined();
  });

  it("returns undefined or at least 0 for any text", () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[-\d.,: ]{1,12}$/), fc.integer().map(String));
    fc.assert(
      fc.property(texts, (header) => {
        expect(parseRetryAfterMs(header, NOW_MS) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe("retry", () => {
  it("retries until success, waits longer each time and reports each failure", async () => {
    const clock = new FakeClock();
    const errors = [busy(), busy(), busy()];
    const { attempt } = failing(...errors);
    const told: unknown[] = [];
    const onRetry = (error: ApiError, delayMs: number) => told.push([error, delayMs]);

    await expect(retry(attempt, POLICY, { clock, random: () => 0.5, onRetry })).resolves.toBe(4);

    expect(clock.sleeps).toEqual([500, 1000, 1500]);
    expect(told).toEqual([
      [errors[0], 500],
      [errors[1], 1000],
      [errors[2], 1500],
    ]);
  });

  it.each([1, 6])("makes %i attempts in all, then throws the last error", async (attempts) => {
    const clock = new FakeClock();
    const errors = Array.from({ length: 10 }, () => busy());
    const { attempt, count } = failing(...errors);

    const thrown = await thrownBy(retry(attempt, { ...POLICY, attempts }, { clock, random: highest }));

    expect(thrown).toBe(errors[attempts - 1]);
    expect(count()).toBe(attempts);
    expect(clock.sleeps).toHaveLength(attempts - 1);
  });

  it("makes 6 attempts within two minutes by default", async () => {
    const clock = new FakeClock();
    const { attempt, count } = failing(...Array.from({ length: 10 }, () => busy()));
    const startedMs = clock.now();

    await thrownBy(retry(attempt, DEFAULT_RETRY, { clock, random: highest }));

    expect(count()).toBe(6);
    expect(clock.now() - startedMs).toBeLessThan(120_000);
  });

  it("waits a Retry-After in full, though it is longer than maxDelayMs and without jitter", async () => {
    const clock = new FakeClock();
    const { attempt } = failing(busy(45_000), busy(15_000));
    await expect(retry(attempt, POLICY, { clock, random: () => 0 })).resolves.toBe(3);
    expect(clock.sleeps).toEqual([45_000, 15_000]);
  });

  it("stops immediately when a Retry-After exceeds the budget, with exit code 5 and the time it names", async () => {
    const clock = new FakeClock("2026-11-20T15:00:00.000Z");
    const { attempt, count } = failing(busy(60_001));

    const thrown = await thrownBy(retry(attempt, POLICY, { clock, random: highest }));

    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({
      exitCode: 5,
      status: 503,
      requestId: "r-1",
      retryAfterMs: 60_001,
      transient: false,
      message: "The API returned 503, and asks for a pause until 2026-11-20T15:01:00.001Z",
      hint: "Run it again after that time, or raise CALLTALLY_RETRY_SECONDS to wait for it; `calltally sync --now` starts at once.",
    });
    expect(count()).toBe(1);
    expect(clock.sleeps).toEqual([]);
  });

  it("counts earlier waits and the attempts' own time against the budget", async () => {
    const clock = new FakeClock();
    const errors = [busy(30_000), busy(20_000)];
    const { attempt, count } = failing(...errors);
    const slow = async () => {
      clock.advance(6000);
      return await attempt();
    };

    const thrown = await thrownBy(retry(slow, POLICY, { clock, random: highest }));

    // 6 s + 30 s + 6 s have passed at 15:00:42; 20 s more do not fit into the minute.
    expect(thrown).toMatchObject({
      exitCode: 5,
      message: expect.stringContaining("2026-11-20T15:01:02.000Z"),
    });
    expect(count()).toBe(2);
    expect(clock.sleeps).toEqual([30_000]);
  });

  it("stops with the error itself when a delay of its own choosing exceeds the budget", async () => {
    const clock = new FakeClock();
    const errors = [busy(), busy(), busy()];
    const { attempt, count } = failing(...errors);

    const thrown = await thrownBy(
      retry(attempt, { ...POLICY, budgetMs: 1200 }, { clock, random: () => 0.5 }),
    );

    expect(thrown).toBe(errors[1]);
    expect(count()).toBe(2);
  });

  it("reports a Retry-After beyond any calendar as an error of the service, not of calltally", async () => {
    const clock = new FakeClock();
    for (const header of ["99999999999999999", "9".repeat(400)]) {
      const { attempt, count } = failing(busy(parseRetryAfterMs(header, clock.now())));
      const thrown = await thrownBy(retry(attempt, POLICY, { clock, random: highest }));
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({
        exitCode: 5,
        message: expect.stringContaining("capped at one hour: until"),
      });
      expect(count()).toBe(1);
    }
  });

  it.each([
    new ApiError(EXIT.refused, "The API refused the token", { hint: "" }),
    new TypeError("a defect of ours"),
    "no error at all",
  ])("does not retry permanent errors: %s", async (error) => {
    const clock = new FakeClock();
    const { attempt, count } = failing(error);
    expect(await thrownBy(retry(attempt, POLICY, { clock, random: highest }))).toBe(error);
    expect(count()).toBe(1);
    expect(clock.sleeps).toEqual([]);
  });

  it("throws the signal's reason when it aborts during the wait, and does not retry", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const reason = new Error("stopped");
    clock.onSleep = () => controller.abort(reason);
    const { attempt, count } = failing(busy(), busy());

    const { signal } = controller;
    expect(await thrownBy(retry(attempt, POLICY, { clock, random: highest, signal }))).toBe(reason);

    expect(count()).toBe(1);
    expect(clock.sleeps).toHaveLength(1);
  });

  it("throws the signal's reason when it aborts during an attempt, and does not wait", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const reason = new Error("stopped");
    const { signal } = controller;
    const attempt = async () => {
      controller.abort(reason);
      throw busy();
    };

    expect(await thrownBy(retry(attempt, POLICY, { clock, random: highest, signal }))).toBe(reason);

    expect(clock.sleeps).toEqual([]);
  });
});
