import { z } from "zod";
import { ageOf, type Clock } from "../base/clock.ts";
import { readChanges } from "../warehouse/changed-buckets.ts";
import { connect } from "../warehouse/open.ts";
import { readOrigin } from "../warehouse/origin.ts";
import { readLastForgotten } from "../warehouse/privacy-act-table.ts";
import { readPublication } from "../warehouse/publication-table.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import { Claim } from "./claim.ts";
import type { Cluster } from "./cluster.ts";
import { eraseReplaced } from "./erase-replaced.ts";
import { type KnownTotals, type LocalFacts, openLocalFacts, openLocalSpend } from "./local-rows.ts";
import type { PublishOptions } from "./publish-options.ts";
import { type About, confirmTotals, readAbout } from "./published.ts";
import { BucketTotals } from "./row-hash.ts";
import { sendDifferences } from "./send-differences.ts";

/** All facts are hashed at least once a day. */
const MAX_HASHED_AGE_MS = 86_400_000;

interface AccountOptions extends PublishOptions {
  account: string;
  startedMs: number;
  clock: Clock;
}

/**
 * Publishes one moment of a warehouse under a claim on the account; also returns the state to store for the next
 * publication.
 */
export async function publishAccount(cluster: Cluster, warehouse: Reader, options: AccountOptions) {
  const { account, to, isPersonal, isThorough = true, startedMs, clock, signal, onSent } = options;
  using reader = connect(warehouse);
  reader.sqlite.exec("BEGIN");
  const { warehouse_id } = readOrigin(reader);
  const last = readPublication(reader, to.name);
  const local = { account, shards: cluster.shards.length, isPersonal };

  const claim = await Claim.take(cluster, { account, warehouse_id, startedMs }, signal);
  const facts = openLocalFacts(reader, local);
  const changes = readChanges(reader, last?.change_id ?? 0);
  const isKnown = !isThorough && ageOf(last?.hashed_at, startedMs) < MAX_HASHED_AGE_MS;
  const known = isKnown ? parseKnownTotals(last?.totals, facts, local.shards, changes.buckets) : undefined;
  const { sent: calls, ...done } = await sendDifferences(claim, facts, { known, signal, onSent });
  const { sent: spend } = await sendDifferences(claim, openLocalSpend(reader, local), { signal, onSent });
  const totals = await confirmTotals(cluster, reader, { account, signal });
  const about: About = {
    ...readAbout(reader),
    is_personal: isPersonal,
    timezone: options.timezone,
    lookback_hours: options.lookbackHours,
    totals,
  };
  const published_at = new Date(clock.now()).toISOString();
  const before = await claim.confirm(published_at, about);
  const act_id = readLastForgotten(reader);
  const isForgotten = before !== undefined && act_id > (last?.act_id ?? 0);
  const erased = await eraseReplaced(cluster, about, { account, isForgotten, signal });

  const result = {
    /** Address of the cluster, without the user. */
    target: to.name,
    account,
    shards: local.shards,
    published_at,
    run_id: about.run?.run_id ?? null,
    totals,
    sent: { calls, spend },
    /** Whether the servers merged their parts, because replaced rows held personal data. */
    erased,
    elapsed_ms: clock.now() - startedMs,
  };
  const kept: z.infer<typeof keptSchema> = { basis: facts.basis, totals: done.totals.toText() };
  const state = {
    act_id,
    change_id: changes.changeId,
    totals: JSON.stringify(kept),
    ...(done.isHashed && { hashed_at: new Date(startedMs).toISOString() }),
  };
  return { result, state };
}

const keptSchema = z.object({ basis: z.string(), totals: z.string() });

/** @returns undefined if nothing is known, or rows are now made differently */
function parseKnownTotals(
  text: string | null | undefined,
  { basis }: LocalFacts,
  shards: number,
  changed: readonly number[],
): KnownTotals | undefined {
  if (text == null) return undefined;
  const kept = keptSchema.parse(JSON.parse(text));
  return kept.basis === basis ? { totals: new BucketTotals(shards, kept.totals), changed } : undefined;
}
