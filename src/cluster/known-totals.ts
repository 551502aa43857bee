import { z } from "zod";
import { ageOf } from "../clock.ts";
import { BUCKETS } from "../warehouse/changed-buckets.ts";
import type { readPublication } from "../warehouse/publication-table.ts";
import type { KnownTotals, LocalFacts } from "./local-rows.ts";
import { BucketTotals } from "./row-hash.ts";

/** What is kept of a publication, so that the next one need not hash what has not changed since. */
export interface LocalState {
  change_id: number;
  act_id: number;
  totals: string;
  hashed_at?: string;
}

const keptSchema = z.object({ basis: z.string(), totals: z.string(), otherFirsts: z.string() });

/** Whatever is believed of what has not changed is looked at once a day all the same. */
const MOST_MS = 86_400_000;

/** Returns what is kept of the facts as they are published now. */
export function describeTotals({ basis, otherFirsts }: LocalFacts, totals: BucketTotals): string {
  const kept: z.infer<typeof keptSchema> = {
    basis,
    totals: totals.toText(),
    otherFirsts: otherFirsts.toText(),
  };
  return JSON.stringify(kept);
}

/** Returns what need not be hashed again; undefined where it is all, since nothing is known, or not since today. */
export function readKnownTotals(
  last: ReturnType<typeof readPublication>,
  { basis, otherFirsts }: LocalFacts,
  { shards, changes, nowMs }: { shards: number; changes: { buckets: readonly number[] }; nowMs: number },
): KnownTotals | undefined {
  if (ageOf(last?.hashed_at, nowMs) >= MOST_MS || last?.totals == null) return undefined;
  const kept = keptSchema.parse(JSON.parse(last.totals));
  if (kept.basis !== basis) return undefined;
  const moved = new BucketTotals(1, kept.otherFirsts).differences(otherFirsts);
  return {
    totals: new BucketTotals(shards, kept.totals),
    changed: [...new Set([...changes.buckets, ...moved.map((index) => index % BUCKETS)])],
  };
}
