import { changeOf } from "./comparison.ts";
import type { FactValue } from "./dictionary.ts";
import { divisorOf, isCompared, isOfFirstCalls } from "./metrics.ts";
import { figureOf, type Part, type Parts, partsOf, type Units } from "./parts.ts";
import { callMeasures, type Measure } from "./rollup-query.ts";
import { type Spent, spendFigure } from "./spent.ts";

/** What the figures of one side are computed from, by row. */
export interface SideRows {
  /** May end before the last row: the side has no calls in the others. */
  parts: Parts;
  spent: ReadonlyMap<number, Spent>;
  /** The rows that also have calls of keys without a cost over 0. */
  unpaid: ReadonlySet<number>;
}

/** Returns the parts of calls that the figures of a rollup are made of. */
export function partsNeeded(measures: readonly Measure[]): Part[] {
  const ofCalls = partsOf(callMeasures(measures).map(({ aggregate }) => aggregate));
  return [...new Set<Part>(["calls", ...ofCalls, ...measures.flatMap((metric) => divisorOf(metric) ?? [])])];
}

export interface FigureContext {
  rules: Units;
  /** Whether the copy has the days of the compared span: else no change is known. @default true */
  isBeforeCovered?: boolean;
  /** Whether enough history precedes the compared span to know its first-time callers. @default true */
  hasHistoryBefore?: boolean;
}

/** Returns the figures of a row, each followed by its previous value and change if there is a compared side. */
export function figuresOf(
  row: number,
  measures: readonly Measure[],
  [current, previous]: readonly SideRows[],
  context: FigureContext,
): FactValue[] {
  return measures.flatMap((metric) => {
    const now = figureOfRow(metric, row, current, context);
    if (previous === undefined || !isCompared(metric)) return [show(metric, now)];
    const before = figureOfRow(metric, row, previous, context);
    const { isBeforeCovered = true, hasHistoryBefore = true } = context;
    const isKnown = isBeforeCovered && (hasHistoryBefore || !isOfFirstCalls(metric));
    return [now, before, isKnown ? changeOf(metric, now, before) : null];
  });
}

/** A time is a number until it is shown. */
function show({ type }: Measure, figure: number | null): FactValue {
  return type === "time" && figure !== null ? new Date(figure).toISOString() : figure;
}

function figureOfRow(
  metric: Measure,
  row: number,
  side: SideRows | undefined,
  { rules }: FigureContext,
): number | null {
  const read = (part: Part) => {
    const value = side?.parts[part]?.[row] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  };
  const { aggregate } = metric;
  if (aggregate.kind === "spend" || aggregate.kind === "cost per") {
    const spent = side?.spent.get(row);
    const isPaid = spent !== undefined && spent.costMicros > 0n && !side?.unpaid.has(row);
    const divisor = divisorOf(metric);
    const calls = divisor && isPaid ? read(divisor) : 0;
    return spendFigure(aggregate, spent, calls ?? 0);
  }
  const figure = figureOf(aggregate, rules, read);
  return metric.isCount ? (figure ?? 0) : figure;
}
