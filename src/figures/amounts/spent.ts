import { MICROS } from "../../base/text/currency.ts";
import type { Cells, Side } from "../cells/cells.ts";
import type { SpendAggregate } from "../metrics.ts";

/** What was spent in a row. */
export interface Spent {
  costMicros: bigint;
  /** Null if no report has them. */
  clicks: number | null;
  impressions: number | null;
}

/** Where a rollup's spend comes from: for each cell with spend, its sums. */
export type SpendSource = (side: Side, cells: Cells) => Map<number, Spent>;

export function addSpent(known: Spent | undefined, added: Spent): Spent {
  if (known === undefined) return added;
  const add = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0));
  return {
    costMicros: known.costMicros + added.costMicros,
    clicks: add(known.clicks, added.clicks),
    impressions: add(known.impressions, added.impressions),
  };
}

const CENT_MICROS = BigInt(MICROS / 100);

/**
 * Returns a figure of spend of a row; null where nothing was spent.
 * @param calls what a cost is divided by; 0 if the cost is not only of these calls
 */
export function spendFigure(
  aggregate: SpendAggregate,
  spent: Spent | undefined,
  calls: number,
): number | null {
  if (spent === undefined) return null;
  if (aggregate.kind === "spend") {
    return aggregate.of === "cost_micros" ? Number(spent.costMicros) / MICROS : spent[aggregate.of];
  }
  if (calls === 0) return null;
  return divideToCents(spent.costMicros, BigInt(calls));
}

/**
 * Divides millionths into whole cents, half a cent away from zero: floating-point division would sometimes be off by
 * one. @param divisor above 0
 */
export function divideToCents(micros: bigint, divisor: bigint): number {
  const size = micros < 0n ? -micros : micros;
  const cents = Number((size * 2n + divisor * CENT_MICROS) / (divisor * 2n * CENT_MICROS)) / 100;
  return micros < 0n ? 0 - cents : cents;
}
