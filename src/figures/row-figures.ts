import { type Earnings, earnedFigure } from "./amounts/earned.ts";
import { type Spent, spendFigure } from "./amounts/spent.ts";
import { changeOf } from "./comparison.ts";
import type { FactValue } from "./dictionary.ts";
import { divisorOf, isOfFirstCalls, isOfOutcomes } from "./metrics.ts";
import { figureOf, type Part, type Parts, partsOf, type ReadRow, type Units } from "./parts.ts";
import { callMeasures, type Measure } from "./rollup-query.ts";
import { toTimeText } from "./time-text.ts";

/** What the figures of one side are computed from, by row. */
export interface SideRows {
  /** May end before the last row: the side has no calls in the others. */
  parts: Parts;
  spent: ReadonlyMap<number, Spent>;
  earned: ReadonlyMap<number, Earnings>;
  /** The rows that also have calls of keys without a cost over 0. */
  unpaid: ReadonlySet<number>;
}

/** Returns the parts of calls that the figures of a rollup are made of. */
export function partsNeeded(measures: readonly Measure[]): Part[] {
  const ofCalls = partsOf(callMeasures(measures).map(({ aggregate }) => aggregate));
  return [...new Set<Part>(["calls", ...ofCalls, ...measures.flatMap((metric) => divisorOf(metric) ?? [])])];
}

interface FigureContext {
  rules: Units;
  /** In the order of the compared sides. */
  compared: readonly KnownSide[];
}

/** What is known of a compared side. */
export interface KnownSide {
  /** Whether the copy has the days of the compared span: else no change is known. @default true */
  isBeforeCovered?: boolean;
  /** Whether enough history precedes the compared span to know its first-time callers. @default true */
  hasHistoryBefore?: boolean;
  /** Whether a row has something to compare with, if only 0. @default always */
  hasBefore?: (row: number) => boolean;
}

/** Returns functions to the figures of a row, each followed by those to its value before and its change, by compared side. */
export function figureReaders(
  measures: readonly Measure[],
  [current, ...others]: readonly SideRows[],
  { rules, compared }: FigureContext,
): ((row: number) => FactValue)[] {
  return measures.flatMap((metric): ((row: number) => FactValue)[] => {
    const now = readerOf(metric, current, rules);
    if (metric.type === "time") {
      return [
        (row) => {
          const ms = now(row);
          return ms === null ? null : toTimeText(ms);
        },
      ];
    }
    const compare = (side: SideRows, index: number): ReadRow[] => {
      const { isBeforeCovered = true, hasHistoryBefore = true, hasBefore } = compared[index] ?? {};
      const ofBefore = readerOf(metric, side, rules);
      const before: ReadRow = (row) => (hasBefore?.(row) === false ? null : ofBefore(row));
      const isKnown = isBeforeCovered && (hasHistoryBefore || !isOfFirstCalls(metric));
      return [before, (row) => (isKnown ? changeOf(metric, now(row), before(row)) : null)];
    };
    return [now, ...others.flatMap(compare)];
  });
}

function readerOf(metric: Measure, side: SideRows | undefined, rules: Units): ReadRow {
  const ofPart = (part: Part): ReadRow => {
    const values = side?.parts[part] ?? new Float64Array();
    return (row) => {
      const value = values[row] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    };
  };
  const { aggregate } = metric;
  if (metric.isUnknown) return () => null;
  if (aggregate.kind === "spend" || aggregate.kind === "cost per") {
    const divisor = divisorOf(metric);
    const calls = divisor && ofPart(divisor);
    return (row) => {
      const spent = side?.spent.get(row);
      const isPaid = spent !== undefined && spent.costMicros > 0n && !side?.unpaid.has(row);
      return spendFigure(aggregate, spent, (isPaid && calls?.(row)) || 0);
    };
  }
  if (isOfOutcomes(aggregate)) {
    const calls = ofPart("calls");
    return (row) => {
      const { costMicros = 0n } = side?.unpaid.has(row) ? {} : (side?.spent.get(row) ?? {});
      return earnedFigure(aggregate, side?.earned.get(row), { calls: calls(row) ?? 0, costMicros });
    };
  }
  const figure = figureOf(aggregate, rules, ofPart);
  return metric.isCount ? (row) => figure(row) ?? 0 : figure;
}
