import { divideRounded } from "./rounding.ts";

export type Outcome = "answered" | "missed" | "other";

export interface Units {
  duration_unit: "seconds" | "milliseconds";
  /** Undefined if no opening hours are set. */
  hours?: object | undefined;
}

export type CountPart =
  | "calls"
  | `${Outcome}_calls`
  | "qualified_calls"
  | "first_calls"
  | "calls_in_hours"
  | "answered_in_hours"
  | "missed_in_hours";

/**
 * What is counted or summed over calls. Every figure of calls is made of these, so an engine only has to provide them.
 * `callers` counts different callers; those of durations are over the calls with one, in the stored unit.
 */
export type Part =
  | CountPart
  | "callers"
  | "duration_sum"
  | "duration_count"
  | "duration_median"
  | "earliest_start"
  | "latest_start";

/** A value for each row; NaN for null. Starts are milliseconds since 1970. */
export type Parts = Partial<Record<Part, Float64Array>>;

export type Aggregate =
  | { kind: "count"; of: CountPart }
  | { kind: "callers" }
  | { kind: "share"; of: CountPart; per: "calls" | "calls_in_hours"; decimals: number }
  | { kind: "total seconds" }
  | { kind: "average seconds" }
  | { kind: "median seconds" }
  | { kind: "start"; of: "earliest_start" | "latest_start" }
  | { kind: "unknown" };

/** Returns a value of a row. */
export type ReadRow = (row: number) => number | null;

/** Returns a function to a figure of a row; null for a quotient by 0. */
export function figureOf(
  aggregate: Aggregate,
  { duration_unit }: Units,
  readerOf: (part: Part) => ReadRow,
): ReadRow {
  const perSecond = duration_unit === "milliseconds" ? 1000 : 1;
  switch (aggregate.kind) {
    case "count":
    case "start":
      return readerOf(aggregate.of);
    case "callers":
      return readerOf("callers");
    case "share": {
      const [part, whole] = [readerOf(aggregate.of), readerOf(aggregate.per)];
      return (row) => divideRounded(part(row), whole(row), aggregate.decimals);
    }
    // Milliseconds are summed as integers before they become seconds, so that no sum has a rounding error.
    case "total seconds": {
      const sum = readerOf("duration_sum");
      return (row) => (sum(row) ?? 0) / perSecond;
    }
    case "average seconds": {
      const [sum, count] = [readerOf("duration_sum"), readerOf("duration_count")];
      return (row) => divideRounded(sum(row), perSecond * (count(row) ?? 0), 1);
    }
    case "median seconds": {
      const median = readerOf("duration_median");
      return (row) => divideRounded(median(row), perSecond, 1);
    }
    case "unknown":
      return () => null;
  }
}

export function partsOf(aggregates: readonly Aggregate[]): Part[] {
  const parts = new Set<Part>();
  for (const aggregate of aggregates) {
    figureOf(aggregate, { duration_unit: "seconds" }, (part) => {
      parts.add(part);
      return () => null;
    });
  }
  return [...parts];
}
