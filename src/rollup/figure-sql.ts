import type { AttributionRules } from "../attribution/attribution-rules.ts";
import type { Outcome } from "../attribution/compiled-rules.ts";

/** What is counted or summed over calls. Every figure is made of these, so an engine only has to provide them. */
export type Part =
  | { kind: "count" }
  | { kind: "count with outcome"; outcome: Outcome }
  | { kind: "count where"; fact: "is_first_call" | "is_qualified" }
  | { kind: "count distinct"; fact: "caller" }
  /** Over the calls with a value; the sum is null if there is none. */
  | { kind: "sum" | "count of" | "median"; fact: "duration" }
  | { kind: "earliest" | "latest"; fact: "call_started" };

export type Aggregate =
  | Exclude<Part, { fact: "duration" }>
  | { kind: "share with outcome"; outcome: Outcome; decimals: number }
  | { kind: "total seconds" | "average seconds" | "median seconds" };

export function figureText(
  aggregate: Aggregate,
  { duration_unit }: Pick<AttributionRules, "duration_unit">,
  toText: (part: Part) => string,
): string {
  const isMilliseconds = duration_unit === "milliseconds";
  const duration = (kind: "sum" | "count of" | "median") => toText({ kind, fact: "duration" });
  switch (aggregate.kind) {
    case "share with outcome": {
      const { outcome, decimals } = aggregate;
      const found = toText({ kind: "count with outcome", outcome });
      return quotientText(found, toText({ kind: "count" }), decimals);
    }
    // Milliseconds are summed as integers before they become seconds, so that no sum has a rounding error.
    case "total seconds":
      return `coalesce(${duration("sum")}, 0)${isMilliseconds ? " / 1000.0" : ""}`;
    case "average seconds":
      return quotientText(duration("sum"), `(${isMilliseconds ? 1000 : 1} * ${duration("count of")})`, 1);
    case "median seconds":
      return quotientText(duration("median"), isMilliseconds ? "1000" : "1", 1);
    default:
      return toText(aggregate);
  }
}

/**
 * Returns SQL for a quotient of integers or halves, rounded half away from zero; null for a divisor of 0. Rounds only
 * integers: 3 / 20 is 0.2 with one decimal, while `round(3 / 20.0, 1)` is 0.1 or 0.2 depending on SQLite's version.
 */
export function quotientText(dividend: string, divisor: string, decimals: number): string {
  const unit = 10 ** decimals;
  return `round(${unit}.0 * ${dividend} / ${divisor}) / ${unit}`;
}

export function partsOf(aggregates: readonly Aggregate[]): Part[] {
  const parts = new Map<string, Part>();
  for (const aggregate of aggregates) {
    figureText(aggregate, { duration_unit: "seconds" }, (part) => {
      parts.set(partName(part), part);
      return "";
    });
  }
  return [...parts.values()];
}

export function partName(part: Part): string {
  const of = "outcome" in part ? part.outcome : "fact" in part ? part.fact : "calls";
  return `${part.kind.replaceAll(" ", "_")}_${of}`;
}
