import { divideRounded } from "./rounding.ts";

export type Outcome = "answered" | "missed" | "other";

export interface Units {
  duration_unit: "seconds" | "milliseconds";
}

export type CountPart = "calls" | `${Outcome}_calls` | "qualified_calls" | "first_calls";

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
  | { kind: "share"; of: `${Outcome}_calls`; decimals: number }
  | { kind: "total seconds" }
  | { kind: "average seconds" }
  | { kind: "median seconds" }
  | { kind: "start"; of: "earliest_start" | "latest_start" };

/** Returns a figure of a row from its parts; null for a quotient by 0. */
export function figureOf(
  aggregate: Aggregate,
  { duration_unit }: Units,
  read: (part: Part) => number | null,
): number | null {
  const perSecond = duration_unit === "milliseconds" ? 1000 : 1;
  switch (aggregate.kind) {
    case "count":
    case "start":
      return read(aggregate.of);
    case "callers":
      return read("callers");
    case "share":
      return divideRounded(read(aggregate.of), read("calls"), aggregate.decimals);
    // Milliseconds are summed as integers before they become seconds, so that no sum has a rounding error.
    case "total seconds":
      return (read("duration_sum") ?? 0) / perSecond;
    case "average seconds":
      return divideRounded(read("duration_sum"), perSecond * (read("duration_count") ?? 0), 1);
    case "median seconds":
      return divideRounded(read("duration_median"), perSecond, 1);
  }
}

export function partsOf(aggregates: readonly Aggregate[]): Part[] {
  const parts = new Set<Part>();
  for (const aggregate of aggregates) {
    figureOf(aggregate, { duration_unit: "seconds" }, (part) => {
      parts.add(part);
      return null;
    });
  }
  return [...parts];
}
