import { MICROS } from "../../base/text/currency.ts";
import type { Cells, Side } from "../cells/cells.ts";
import type { OutcomeAggregate } from "../metrics.ts";
import { divideToCents } from "./spent.ts";

/** What the calls of a row earned. */
export interface Earnings {
  bookedCalls: number;
  soldCalls: number;
  revenueMicros: bigint;
}

/** Where a rollup's outcomes come from: for each cell that has any, its sums. */
export type OutcomeSource = (side: Side, cells: Cells) => Promise<Map<number, Earnings>>;

const NOTHING: Earnings = { bookedCalls: 0, soldCalls: 0, revenueMicros: 0n };

export function addEarned(known: Earnings = NOTHING, added: Earnings): Earnings {
  return {
    bookedCalls: known.bookedCalls + added.bookedCalls,
    soldCalls: known.soldCalls + added.soldCalls,
    revenueMicros: known.revenueMicros + added.revenueMicros,
  };
}

/** Returns a figure of outcomes of a row. @param row.costMicros 0 if the cost is not of all its calls */
export function earnedFigure(
  aggregate: OutcomeAggregate,
  { bookedCalls, soldCalls, revenueMicros }: Earnings = NOTHING,
  { calls, costMicros }: { calls: number; costMicros: bigint },
): number | null {
  switch (aggregate.kind) {
    case "outcome":
      if (aggregate.of === "revenue") return Number(revenueMicros) / MICROS;
      return aggregate.of === "booked" ? bookedCalls : soldCalls;
    case "per call":
      return calls === 0 ? null : divideToCents(revenueMicros, BigInt(calls));
    case "per cost":
      return costMicros > 0n ? divideToCents(revenueMicros * BigInt(MICROS), costMicros) : null;
    case "cost per booked":
      return costMicros > 0n && bookedCalls > 0 ? divideToCents(costMicros, BigInt(bookedCalls)) : null;
  }
}
