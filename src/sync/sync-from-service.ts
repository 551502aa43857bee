import type { ApiError } from "../api/api-errors.ts";
import { ApiClient } from "../api/client.ts";
import type { Clock } from "../base/clock.ts";
import { Throttle } from "../paging/throttle.ts";
import { readLastDoneRun, type SyncRun } from "../warehouse/runs/runs.ts";
import { createSource } from "./fetch.ts";
import type { PreparedWarehouse } from "./prepare-warehouse.ts";
import { ServiceClock } from "./service-clock.ts";
import type { SyncOptions } from "./sync-options.ts";
import { syncWarehouse } from "./sync-warehouse.ts";

/** Connects to the service and reads its calls into a prepared warehouse; slows down when the service asks for it. */
export async function syncFromService(
  prepared: PreparedWarehouse,
  options: SyncOptions & { clock: Clock },
): Promise<SyncRun> {
  const { clock, limit, concurrency, signal } = options;
  const throttle = new Throttle(concurrency);
  const failures: ApiError[] = [];
  await using client = new ApiClient({
    ...options.api,
    clock,
    connections: concurrency,
    onRetry: (error) => {
      failures.push(error);
      if (error.status === 429) throttle.slowDown();
    },
  });
  const serviceClock = new ServiceClock(readLastDoneRun(prepared.warehouse)?.clock_ahead_ms ?? null);
  const attempts = () => ({
    retries: failures.length,
    failed_request_ids: JSON.stringify(failures.flatMap(({ requestId }) => requestId ?? [])),
    clock_ahead_ms: serviceClock.aheadMs,
  });
  const { orgUnitId } = options.api;
  const source = createSource(client, { limit, orgUnitId, throttle, signal }, serviceClock);
  return await syncWarehouse({ ...options, ...prepared, source, throttle, attempts });
}
