import { existsSync } from "node:fs";
import { type ApiAccess, ApiClient } from "../api/client.ts";
import { readCallCount } from "../warehouse/call-table.ts";
import { type InsightChange, saveInsight } from "../warehouse/insight-table.ts";
import { openExistingWarehouse, openWarehouse } from "../warehouse/open.ts";
import { assertOrigin, bindOrigin } from "../warehouse/origin.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import { getInsight, type Insight } from "./insight-client.ts";

/** What a fetch of an insight brought. */
export interface InsightUpdate {
  insight_id: number;
  insight_name: string | null;
  /** Undefined for an insight that was not in the warehouse. */
  changes: InsightChange[] | undefined;
}

/**
 * Fetches insights into the warehouse, one after the other; yields each as soon as it is stored.
 *
 * @throws UsageError where the warehouse is a copy of another service
 * @throws ApiError; the insights before are kept
 */
export async function* syncInsights(
  database: string,
  api: ApiAccess,
  ids: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<InsightUpdate, void, void> {
  if (existsSync(database)) {
    using warehouse = openExistingWarehouse(database);
    assertOrigin(warehouse, api);
  }
  await using client = new ApiClient(api);
  for await (const insight of fetchInsights(client, ids, signal)) {
    using warehouse = openWarehouse(database);
    const stored = { ...insight, group_list: insight.group_list.map(({ id }) => id) };
    const fetchedAt = new Date().toISOString();
    const changes = writeTransaction(warehouse, () => {
      assertOrigin(warehouse, api);
      if (readCallCount(warehouse) === 0) bindOrigin(warehouse, api, fetchedAt);
      return saveInsight(warehouse, stored, fetchedAt);
    });
    yield { insight_id: insight.insight_id, insight_name: insight.insight_name, changes };
  }
}

/** Fetches insights, each once. */
export async function* fetchInsights(
  client: ApiClient,
  ids: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<Insight, void, void> {
  for (const id of new Set(ids)) yield await getInsight(client, id, { signal });
}
