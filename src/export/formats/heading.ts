import type { Column } from "../table.ts";

const ABBREVIATIONS = new Map(
  ["cid", "gclid", "id", "url", "utc", "utm"].map((name) => [name, name.toUpperCase()]),
);

/** Returns a column's heading: `answer_rate_change` → Answer rate, change. */
export function headingOf({ name, comparison }: Pick<Column, "name" | "comparison">): string {
  const words = (comparison?.of ?? name)
    .replace(/_seconds$/, "_in_seconds")
    .replace("first_time", "first-time")
    .split("_")
    .map((word) => ABBREVIATIONS.get(word) ?? word)
    .join(" ");
  const heading = words.charAt(0).toUpperCase() + words.slice(1);
  return comparison === undefined ? heading : `${heading}, ${comparison.shows}`;
}
