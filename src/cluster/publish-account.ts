import type { Clock } from "../base/clock.ts";
import { openReader } from "../warehouse/open.ts";
import { readOrigin } from "../warehouse/origin.ts";
import { readLastForgotten } from "../warehouse/privacy-act-table.ts";
import { readPublication } from "../warehouse/publication-table.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { Claim } from "./claim.ts";
import type { Cluster } from "./cluster.ts";
import { confirmTotals } from "./confirm-totals.ts";
import { eraseReplaced } from "./erase-replaced.ts";
import { openLocalSpend } from "./local-rows.ts";
import type { PublishOptions } from "./publish-options.ts";
import { type About, readAbout, type Totals } from "./published-about.ts";
import { type Sent, sendDifferences } from "./send-differences.ts";
import { sendFacts } from "./send-facts.ts";

export interface PublishResult {
  /** Address of the cluster, without the user. */
  target: string;
  account: string;
  shards: number;
  published_at: string;
  run_id: number | null;
  totals: Totals;
  sent: { calls: Sent; spend: Sent };
  /** Whether the servers merged their parts, because replaced rows held personal data. */
  erased: boolean;
  elapsed_ms: number;
}

interface AccountOptions extends PublishOptions {
  account: string;
  startedMs: number;
  clock: Clock;
}

/**
 * Publishes one moment of a warehouse to a cluster under a claim on the account; returns also the state to store for the
 * next publication.
 */
export async function publishAccount(cluster: Cluster, warehouse: Warehouse, options: AccountOptions) {
  const { account, to, isPersonal, timezone, lookbackHours, startedMs, clock, signal, onSent } = options;
  using reader = openReader(warehouse);
  reader.sqlite.exec("BEGIN");
  const { warehouse_id } = readOrigin(reader);
  const last = readPublication(reader, to.name);
  const local = { account, shards: cluster.shards.length, isPersonal };

  const claim = await Claim.take(cluster, { account, warehouse_id, startedMs }, signal);
  const { state, sent: calls } = await sendFacts(claim, reader, {
    ...options,
    local,
    last,
    nowMs: startedMs,
  });
  const { sent: spend } = await sendDifferences(claim, openLocalSpend(reader, local), { signal, onSent });
  const totals = await confirmTotals(claim, reader, signal);
  const settings = { is_personal: isPersonal, timezone, lookback_hours: lookbackHours };
  const about: About = { ...readAbout(reader), ...settings, totals };
  const published_at = new Date(clock.now()).toISOString();
  const before = await claim.confirm(published_at, about);
  const act_id = readLastForgotten(reader);
  const isForgotten = before !== undefined && act_id > (last?.act_id ?? 0);
  const erased = await eraseReplaced(cluster, about, { account, isForgotten, signal });

  const result: PublishResult = {
    target: to.name,
    account,
    shards: local.shards,
    published_at,
    run_id: about.run?.run_id ?? null,
    totals,
    sent: { calls, spend },
    erased,
    elapsed_ms: clock.now() - startedMs,
  };
  return { result, state: { ...state, act_id } };
}
