import { hash } from "node:crypto";
import type { Lists, RollupOutlet } from "../export/job.ts";
import type { Timeframe } from "../export/timeframe.ts";
import { openCallerHash } from "../warehouse/calls/caller-hash.ts";

/** Returns what a rollup asks, except for its days, as text: figures of the same question can be compared. */
export function questionOf(
  { query, contents }: RollupOutlet,
  timeframe: Timeframe,
  { session, reader, onNewKey }: Pick<Lists, "session" | "reader" | "onNewKey">,
): string {
  const { exclude_callers, ...filter } = timeframe.filter;
  // A plain hash would reveal the numbers to a search.
  const sealCallers = (callers: readonly string[]) => {
    const { seal, newKey } = openCallerHash(reader.path);
    if (newKey !== undefined) onNewKey(newKey);
    return seal(hash("sha256", JSON.stringify(callers.toSorted())));
  };
  const entries = Object.entries(filter).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.toSorted() : value,
  ]);
  return JSON.stringify({
    contents,
    dimensions: query.dimensions,
    filter: Object.fromEntries(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))),
    ...(exclude_callers && { exclude_callers: sealCallers(exclude_callers) }),
    ...(query.spend && { spend: query.spend.currency ?? true }),
    grain: timeframe.grain ?? null,
    timezone: timeframe.timezone,
    duration_unit: session.rules.duration_unit,
  });
}
