import type { Clock } from "../../src/base/clock.ts";
import type { FetchSlice } from "../../src/paging/prefetch.ts";
import { Throttle } from "../../src/paging/throttle.ts";
import type { PageSlice } from "../../src/sync/fetch.ts";
import type { Run } from "../../src/sync/read-calls.ts";
import { keepingAll } from "../../src/warehouse/calls/call-guard.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";

/** A run over a service in memory, one request at a time. */
export function makeRun(
  warehouse: Warehouse,
  fetch: FetchSlice<PageSlice>,
  clock: Clock,
  rules: Partial<Run> = {},
): Run {
  return {
    warehouse,
    source: { fetch: () => fetch, isRefusal: () => false },
    claim: { baseUrl: new URL("https://api.example.com"), token: "secret", isRebound: false },
    keeping: keepingAll(warehouse),
    clock,
    limit: 20,
    overlap: 3,
    throttle: new Throttle(1), // its own: an abandoned run keeps its place in it for ever
    lookbackHours: 72,
    fullEveryHours: 24,
    goneAfterHours: 6,
    checkEveryHours: 168,
    acceptGone: 0,
    attempts: () => ({ retries: 0, failed_request_ids: "[]" }),
    ...rules,
  };
}
