import { CalltallyError, EXIT } from "../base/errors.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { Claim } from "./claim.ts";
import { literal } from "./clickhouse-text.ts";
import { FACTS_TABLE, SPEND_TABLE } from "./cluster-tables.ts";
import type { Totals } from "./published-about.ts";

const TOTALS = `SELECT count(*), coalesce(sum(is_live), 0), coalesce(sum(duration), 0), count(DISTINCT caller),
  (SELECT count(*) FROM ${SPEND_TABLE.name}) FROM ${FACTS_TABLE.name}`;

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
  const [calls = 0, live_calls = 0, duration = 0, callers = 0, spend_rows = 0] =
    sqlite.prepare<[], number[]>(TOTALS).raw().get() ?? [];
  const here: Totals = { calls, live_calls, duration, callers, spend_rows };
  const options = { doing: `read the totals of ${account}`, signal };
  const where = `FINAL WHERE account = ${literal(account)} AND is_deleted = 0`;
  const [counted] = await cluster.select(
    `SELECT count(), sum(is_live), sum(duration), uniqExact(caller) FROM ${cluster.table(FACTS_TABLE.name)} ${where}`,
    options,
  );
  const [spend] = await cluster.select(
    `SELECT count() FROM ${cluster.table(SPEND_TABLE.name)} ${where}`,
    options,
  );
  const there = [...(counted ?? []), ...(spend ?? [])];
  for (const [index, [name, value]] of Object.entries(here).entries()) {
    // A sum over nothing is null.
    const found = Number(there[index] ?? 0);
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
