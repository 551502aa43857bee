import { z } from "zod";
import { ageOf } from "../base/clock.ts";
import { readChanges } from "../warehouse/changed-buckets.ts";
import type { readPublication } from "../warehouse/publication-table.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { Claim } from "./claim.ts";
import { type KnownTotals, type LocalFacts, type LocalOptions, openLocalFacts } from "./local-rows.ts";
import { BucketTotals } from "./row-hash.ts";
import { type SendOptions, sendDifferences } from "./send-differences.ts";

interface FactsOptions extends Omit<SendOptions, "known"> {
  local: LocalOptions;
  /** What the warehouse stores of the last publication. */
  last: ReturnType<typeof readPublication>;
  /** @default true */
  isThorough?: boolean | undefined;
  nowMs: number;
}

const keptSchema = z.object({ basis: z.string(), totals: z.string() });

/** All rows are hashed once a day, whatever has changed. */
const MAX_AGE_MS = 86_400_000;

/**
 * Makes the facts of an account in the cluster the same as in the warehouse; returns also the state to store for the next
 * publication. Unless it is thorough, hashes only the buckets that have changed since the last one.
 */
export async function sendFacts(
  claim: Claim,
  reader: Warehouse,
  { local, last, isThorough = true, nowMs, ...options }: FactsOptions,
) {
  const facts = openLocalFacts(reader, local);
  const changes = readChanges(reader, last?.change_id ?? 0);
  const isKnown = !isThorough && ageOf(last?.hashed_at, nowMs) < MAX_AGE_MS;
  const known = isKnown ? parseKnownTotals(last?.totals, facts, local.shards, changes.buckets) : undefined;
  const { isHashed, totals, sent } = await sendDifferences(claim, facts, { ...options, known });
  const kept: z.infer<typeof keptSchema> = { basis: facts.basis, totals: totals.toText() };
  const state = {
    change_id: changes.changeId,
    totals: JSON.stringify(kept),
    ...(isHashed && { hashed_at: new Date(nowMs).toISOString() }),
  };
  return { sent, state };
}

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
