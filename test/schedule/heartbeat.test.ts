import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { openHeartbeat } from "../../src/schedule/heartbeat.ts";
import { keepLines } from "../support/log-lines.ts";
import { type Answer, drip, ENDLESS, reset, stall, startServer, text } from "../support/services/server.ts";

const { signal } = new AbortController();
const ok = text("OK");

interface Told {
  path?: string;
  stop?: AbortSignal;
  /** @default long enough for any response to arrive */
  timeoutMs?: number;
}

/** A monitor with these responses, and a heartbeat that pings it. */
async function tell(
  answers: [Answer, ...Answer[]],
  { path = "/ping/SECRET-17/", stop = signal, timeoutMs = 600_000 }: Told = {},
) {
  const monitor = await startServer(...answers);
  const { log, lines } = keepLines();
  const heartbeat = openHeartbeat({ url: new URL(path, monitor.url), log, signal: stop, timeoutMs });
  const seen = () => monitor.requests.map(({ method, url }) => `${method} ${url}`);
  return { ...monitor, heartbeat, lines, seen };
}

describe("openHeartbeat", () => {
  it.each([true, false])(
    "sends the end only after the response to the start, however late: good %s",
    async (isGood) => {
      const late = Promise.withResolvers<ServerResponse>();
      await using told = await tell([(_request, response) => late.resolve(response), ok]);
      told.heartbeat.start();
      const ended = told.heartbeat.end(isGood);
      const response = await late.promise;
      // Enough time for a ping that does not wait: its request arrives before the response to this one.
      await fetch(new URL("/another", told.url));
      response.end();
      await ended;
      const end = `GET /ping/SECRET-17${isGood ? "" : "/fail"}`;
      expect(told.seen()).toEqual(["GET /ping/SECRET-17/start", "GET /another", end]);
      expect(told.lines).toEqual([]);
    },
  );

  it("keeps the query of the address", async () => {
    await using told = await tell([ok], { path: "/?key=k" });
    told.heartbeat.start();
    await told.heartbeat.end(true);
    expect(told.seen()).toEqual(["GET /start?key=k", "GET /?key=k"]);
  });

  it("sends nothing without an address", async () => {
    const { log, lines } = keepLines();
    const heartbeat = openHeartbeat({ url: undefined, log, signal });
    heartbeat.start();
    await heartbeat.end(true);
    expect(lines).toEqual([]);
  });

  it.each<[title: string, answer: Answer, problem: unknown, timeoutMs?: number]>([
    ["a failure", text("", 500), "status 500"],
    ["a redirect, which is not followed", text("", 302, { location: "/" }), "status 302"],
    ["a reset", reset, expect.not.stringContaining("SECRET")],
    ["no response", stall, "no response in time", 150],
  ])(
    "tries twice, then logs the failure without the address: %s",
    async (_title, answer, problem, timeoutMs) => {
      await using told = await tell([answer], timeoutMs === undefined ? {} : { timeoutMs });
      await told.heartbeat.end(true);
      expect(told.seen()).toHaveLength(2);
      expect(told.lines).toEqual([{ level: 40, problem, msg: "cannot reach the monitor" }]);
    },
  );

  it("accepts a successful second attempt, without waiting for a body that drips", async () => {
    await using told = await tell([text("", 503), drip(ENDLESS, 100)]);
    await told.heartbeat.end(true);
    expect({ seen: told.seen().length, lines: told.lines }).toEqual({ seen: 2, lines: [] });
  });

  it("does not wait for the response to the start", async () => {
    await using told = await tell([stall], { timeoutMs: 150 });
    told.heartbeat.start();
    expect(told.seen()).toEqual([]);
    await told.heartbeat.end(true);
  });

  it("aborts the start and tries the end once when the process is stopping", async () => {
    const stop = new AbortController();
    await using told = await tell([stall, ok], { path: "/ping", stop: stop.signal });
    told.heartbeat.start();
    while (told.seen().length === 0) await new Promise(setImmediate);
    stop.abort();
    await told.heartbeat.end(false);
    expect(told.seen()).toEqual(["GET /ping/start", "GET /ping/fail"]);
  });
});
