import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/sync/run.ts";
import {
  type CallService,
  callOf,
  type Disturb,
  newestFirst,
  type ServedCall,
  startCallService,
} from "../support/services/call-service.ts";

/*
 * First loads from services that do not list what they count, or change with each request: the verdict, the exit code and
 * the ledger, over HTTP. `test/service/paging/lossy-timelines.ts` has the same in many more ways, without HTTP.
 */

/** Calls listed oldest first. */
const oldestFirst = (count: number) => Array.from({ length: count }, (_, at) => callOf(at + 1, count - at));

/** From one request on, only some calls are listed and counted. */
const shrinks =
  (after: number, to: number): Disturb =>
  ({ offset, limit, before }, calls) =>
    before < after ? undefined : { rows: calls.slice(0, to).slice(offset, offset + limit), total: to };

/** Calls with these ids are dropped from each page, and the count is a cached one. */
const drops =
  (first: number, last: number, total: number): Disturb =>
  ({ rows }) => ({ rows: rows.filter(({ call_id: id }) => Number(id) < first || Number(id) > last), total });

/** A page ends before the call with this id, and is empty at it. */
const cannotSend =
  (large: number, total: number): Disturb =>
  ({ rows }) => {
    const at = rows.findIndex(({ call_id }) => call_id === large);
    return { rows: at < 0 ? rows : rows.slice(0, at), total };
  };

interface Scene {
  title: string;
  calls: readonly ServedCall[];
  limit: number;
  disturb: Disturb;
  /** Calls stored. */
  stored: number;
  reason: string;
}

const scenes: Scene[] = [
  {
    title: "falls from 5,000 to 2,000 after two pages",
    calls: newestFirst(5000),
    limit: 500,
    disturb: shrinks(2, 2000),
    stored: 2000,
    reason:
      "all pages joined, but total fell by 3000 while reading: a replica may lag; and far fewer calls came than the service counted: 2000 of 5000",
  },
  {
    title: "falls from 2,500 to 0 with empty lists",
    calls: newestFirst(2500),
    limit: 500,
    disturb: shrinks(2, 0),
    stored: 950,
    reason:
      "all pages joined, but total fell by 2500 while reading: a replica may lag; and far fewer calls came than the service counted: 950 of 2500",
  },
  {
    title: "drops 160 calls after LIMIT before the last three, and has a cached count",
    calls: oldestFirst(463),
    limit: 100,
    disturb: drops(301, 460, 300),
    stored: 303,
    reason: "the list ended early and went on: offsets 300 to 399 came empty: 303 calls read, total 300",
  },
  {
    title: "cannot send one large call, and has a cached count",
    calls: oldestFirst(303),
    limit: 100,
    disturb: cannotSend(301, 300),
    stored: 302,
    reason: "the list ended early and went on: offsets 300 to 300 came empty: 302 calls read, total 300",
  },
];

describe("sync, of a service that is not vouched for", () => {
  it.each(scenes)(
    "ends with exit code 3 if the list $title",
    async ({ calls, limit, disturb, stored, reason }) => {
      await using service = await startCallService(calls, disturb);
      const run = await service.sync({ limit, concurrency: 1 });
      expect(run).toMatchObject({ verdict: "unverified", verdict_reason: reason, calls_read: stored });
      expect(exitCodeOf(run)).toBe(3);
      expect(service.readIds()).toHaveLength(stored);
      expect(service.read("SELECT verdict, verdict_reason FROM sync_runs")).toEqual([
        { verdict: "unverified", verdict_reason: reason },
      ]);
    },
  );

  it("counts what an interrupted first load has seen when the next one resumes it", async () => {
    await using service = await startCallService(newestFirst(1000), shrinks(3, 400));
    const stop = new AbortController();
    const first = service.sync({
      limit: 100,
      concurrency: 1,
      signal: stop.signal,
      onProgress: ({ read }) => read > 150 && stop.abort(),
    });
    await expect(first).rejects.toThrow();
    const run = await service.sync({ limit: 100, concurrency: 1 });
    expect(run.verdict).toBe("unverified");
    expect(run.verdict_reason).toContain("; and far fewer calls came than the service counted: 400 of 1000");
  });
});

it("ends with exit code 3 if an interrupted first load begins again at a list without most of its calls", async () => {
  await using service = await startCallService(newestFirst(1000));
  const stop = new AbortController();
  const first = service.sync({
    limit: 100,
    concurrency: 1,
    signal: stop.signal,
    onProgress: ({ read }) => read > 140 && stop.abort(),
  });
  await expect(first).rejects.toThrow();
  // The oldest calls are listed instead of the newest ones that were read.
  service.calls = service.calls.slice(900);
  const run = await service.sync({ limit: 100, concurrency: 1 });
  expect(run).toMatchObject({ verdict: "exact", calls_read: 100 });
  expect(service.read("SELECT count(*) AS missing FROM calls WHERE missing_since IS NOT NULL")).toEqual([
    { missing: 0 },
  ]);
  expect(exitCodeOf(run)).toBe(3);
});

describe("sync, of a service that changes with each request", () => {
  const addNewest = (service: CallService, at: number) => {
    const id = 10_000 + service.requests.length;
    service.calls.splice(at, 0, callOf(id, -service.requests.length));
  };

  it.each([
    {
      verdict: "verified",
      title: "a call comes, newest first,",
      calls: newestFirst(1500),
      change: addNewest,
      at: () => 0,
    },
    {
      verdict: "verified",
      title: "a call comes, oldest first,",
      calls: oldestFirst(1500),
      change: addNewest,
      at: (service: CallService) => service.calls.length,
    },
    // No look guesses where the end then is.
    {
      verdict: "probable",
      title: "calls go and come in turn",
      calls: newestFirst(1500),
      change: (service: CallService, at: number) =>
        service.requests.length % 2 === 0 ? addNewest(service, 0) : service.calls.splice(at, 1),
      at: (service: CallService) => (service.requests.length * 389) % service.calls.length,
    },
  ])(
    "ends as $verdict, with exit code 0, while $title at each request",
    async ({ verdict, calls, change, at }) => {
      const listed = calls.length;
      await using service = await startCallService(calls, ({ honest }) => {
        change(service, at(service));
        return honest;
      });
      const run = await service.sync({ limit: 100, concurrency: 1 });
      expect(run.verdict_reason).toMatch(
        verdict === "verified"
          ? /^all pages joined, while calls came or went: /
          : /^all pages joined, but calls came or went at each look for the end: /,
      );
      expect(run.verdict).toBe(verdict);
      expect(run.advice ?? "").not.toContain("Ask the support");
      expect(exitCodeOf(run)).toBe(0);
      const ids = new Set(service.readIds());
      const throughout = service.calls.filter(({ call_id }) => Number(call_id) <= listed);
      expect(throughout.filter(({ call_id }) => !ids.has(Number(call_id)))).toEqual([]);
    },
  );
});
