import { type Calls, MARKS_OF, NO_DURATION } from "./calls.ts";
import type { Metric } from "./metrics.ts";
import type { CountPart, Units } from "./parts.ts";

/** What a call was before a change, with the sign -1, or after it, with 1. */
export interface Step {
  sign: number;
  row: number;
}

export interface Effect {
  /** The calls that changed the figure, by their place among the given ones. */
  calls: readonly number[];
  /** By how much in total; null if the figure does not add up. */
  effect: number | null;
}

/** Returns the effect of some calls' changes on a figure of one row. @param changed the steps of each call */
export function effectOn(
  { aggregate, isAdditive }: Pick<Metric, "aggregate" | "isAdditive">,
  changed: readonly (readonly Step[])[],
  calls: Calls,
  { duration_unit }: Units,
): Effect {
  const inUnits = effectOf(changed, isAdditive === true, (row) => valueAt(aggregate, calls, row));
  const isMilliseconds = aggregate.kind === "total seconds" && duration_unit === "milliseconds";
  return {
    ...inUnits,
    effect: inUnits.effect !== null && isMilliseconds ? inUnits.effect / 1000 : inUnits.effect,
  };
}

/** Returns the effect of some calls' changes on a figure that is made of a value of each call. */
export function effectOf(
  changed: readonly (readonly Step[])[],
  isAdditive: boolean,
  value: (row: number) => number,
): Effect {
  const placesOf = (isOf: (index: number) => boolean) => [...changed.keys()].filter(isOf);
  if (!isAdditive) return { calls: placesOf((index) => isOther(changed[index] ?? [], value)), effect: null };
  const effects = changed.map((steps) => steps.reduce((sum, { sign, row }) => sum + sign * value(row), 0));
  return {
    calls: placesOf((index) => effects[index] !== 0),
    effect: effects.reduce((total, effect) => total + effect, 0),
  };
}

/** Whether changes of one call could change a figure that is not a sum. */
function isOther(steps: readonly Step[], value: (row: number) => number): boolean {
  const valuesWith = (sign: number) =>
    steps
      .filter((step) => step.sign === sign)
      .map(({ row }) => value(row))
      .filter((number) => !Number.isNaN(number))
      .sort()
      .join();
  return valuesWith(1) !== valuesWith(-1);
}

/** What a call adds to a figure, or what decides it; NaN if it has no part in it. */
function valueAt(aggregate: Metric["aggregate"], calls: Calls, row: number): number {
  const duration = calls.durations[row] ?? NO_DURATION;
  const has = (part: CountPart) => ((calls.marks[row] ?? 0) & MARKS_OF[part]) === MARKS_OF[part];
  switch (aggregate.kind) {
    case "count":
      return Number(has(aggregate.of));
    case "share":
      return has(aggregate.per) ? Number(has(aggregate.of)) : Number.NaN;
    case "callers":
      return calls.callers[row] || Number.NaN;
    case "total seconds":
      return duration === NO_DURATION ? 0 : duration;
    case "average seconds":
    case "median seconds":
      return duration === NO_DURATION ? Number.NaN : duration;
    case "start":
      return calls.startsMs[row] ?? Number.NaN;
    case "unknown":
      return Number.NaN;
  }
}
