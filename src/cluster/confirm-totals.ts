import { CalltallyError, EXIT } from "../base/errors.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { Claim } from "./claim.ts";
import { literal } from "./clickhouse-text.ts";
import { FACTS_TABLE, SPEND_TABLE } from "./cluster-tables.ts";
import type { Totals } from "./published-about.ts";

/**
 * Returns the totals of an account in the warehouse, after it asserts that the cluster has the same.
 *
 * @throws CalltallyError (exit 3) if the cluster has different ones, read over all shards as its readers do
 */
export async function confirmTotals(
  { cluster, account }: Claim,
  { sqlite }: Warehouse,
  signal: AbortSignal | undefined,
): Promise<Totals> {
  const here = sqlite
    .prepare<[], Totals>(
      `SELECT count(*) AS calls, coalesce(sum(is_live), 0) AS live_calls, coalesce(sum(duration), 0) AS duration,
        count(DISTINCT caller) AS callers, (SELECT count(*) FROM ${SPEND_TABLE.name}) AS spend_rows FROM ${FACTS_TABLE.name}`,
    )
    .get();
  if (here === undefined) throw new Error("A SELECT of sums has a row");
  const options = { doing: `read the totals of ${account}`, signal };
  const where = `FINAL WHERE account = ${literal(account)} AND is_deleted = 0`;
  const [counted] = await cluster.select(
    `SELECT count() AS calls, sum(is_live) AS live_calls, sum(duration) AS duration, uniqExact(caller) AS callers FROM ${cluster.table(FACTS_TABLE.name)} ${where}`,
    options,
  );
  const [spend] = await cluster.select(
    `SELECT count() AS spend_rows FROM ${cluster.table(SPEND_TABLE.name)} ${where}`,
    options,
  );
  const there = { ...counted, ...spend };
  for (const [name, value] of Object.entries(here)) {
    // A sum over nothing is null.
    const found = Number(there[name] ?? 0);
    if (found === value) continue;
    throw new CalltallyError(
      EXIT.unverified,
      `Cannot confirm that the cluster has all of ${account}: ${name.replace("_", " ")} are ${found} over all shards, and ${value} here`,
      {
        hint: "Does each server reach the others as remote_servers says, and is it the same cluster for all of them?",
      },
    );
  }
  return here;
}
