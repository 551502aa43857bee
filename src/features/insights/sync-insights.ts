import { describeError, EXIT } from "../../base/errors.ts";
import { ApiError, reword } from "../../service/api/api-errors.ts";
import { type ApiAccess, ApiClient } from "../../service/api/client.ts";
import { readCallCount } from "../../warehouse/calls/call-table.ts";
import { openExistingWarehouse } from "../../warehouse/file/open.ts";
import { assertAccount, bindOrigin } from "../../warehouse/origin.ts";
import { writeTransaction } from "../../warehouse/transaction.ts";
import { getInsight, type Insight } from "./insight-client.ts";
import { type InsightChange, saveInsight } from "./insights.ts";

export interface InsightUpdate {
  insight_id: number;
  insight_name: string | null;
  /** Undefined for an insight that is new here. */
  changes: InsightChange[] | undefined;
}

/**
 * Fetches insights one after the other; yields each once it is stored.
 * @throws UsageError if the warehouse is a copy of another service
 * @throws ApiError as {@link fetchInsights} does; insights read before stay stored
 */
export async function* syncInsights(
  database: string,
  api: ApiAccess,
  ids: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<InsightUpdate, void, void> {
  {
    using warehouse = openExistingWarehouse(database);
    assertAccount(warehouse, api);
  }
  await using client = new ApiClient(api);
  for await (const insight of fetchInsights(client, ids, signal)) {
    using warehouse = openExistingWarehouse(database);
    const stored = { ...insight, group_list: insight.group_list.map(({ id }) => id) };
    const fetchedAt = new Date().toISOString();
    const changes = writeTransaction(warehouse, (tx) => {
      assertAccount(tx, api);
      if (readCallCount(tx) === 0) bindOrigin(tx, api, fetchedAt);
      return saveInsight(tx, stored, fetchedAt);
    });
    yield { insight_id: insight.insight_id, insight_name: insight.insight_name, changes };
  }
}

/** An insight that the service does not have, or does not serve as documented. */
interface FailedInsight {
  id: number;
  error: ApiError;
}

/**
 * Fetches insights, each once. Failures do not stop the others; they are named at the end.
 * @throws ApiError at once if the service cannot be reached; with exit code 8 and the ids, after all others, for
 * missing insights
 */
export async function* fetchInsights(
  client: ApiClient,
  ids: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<Insight, void, void> {
  const failed: FailedInsight[] = [];
  for (const id of new Set(ids)) {
    const insight = await getInsight(client, id, { signal }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.exitCode !== EXIT.contract) throw error;
      failed.push({ id, error });
    });
    if (insight !== undefined) yield insight;
  }
  if (failed.length > 0) throw nameFailed(failed);
}

function nameFailed(failed: readonly FailedInsight[]): ApiError {
  const [first] = failed;
  if (first !== undefined && failed.length === 1) {
    const { message, hint } = first.error;
    return reword(first.error, `Cannot read insight ${first.id}: ${message}`, { hint });
  }
  const reasons = failed.map(({ id, error }) => `${id}: ${describeError(error)}`);
  const message = `Cannot read ${failed.length} insights: ${reasons.join("; ")}`;
  const hints = new Set(failed.map(({ error }) => error.hint));
  return new ApiError(EXIT.contract, message, { hint: [...hints].join(" ") });
}
