import type { PageFacts } from "../page-facts.ts";
import { comparedOf } from "./answers.ts";
import { exportFilterOf } from "./page-filter.ts";
import { shownDays, type View } from "./view.ts";

/** A filter by name, as `export` and `calltally.yaml` have it. */
type Filters = [name: string, value: string | number | boolean | readonly string[]][];

/** Returns the dimensions of the filter that `export` has no filter for. */
export function pageFiltersOf({ filter }: View): string[] {
  return exportFilterOf(filter).others.map(([name]) => name);
}

/** Returns the command that makes the same table. */
export function toCommand(facts: PageFacts, view: View): string {
  const { from, to } = shownDays(view);
  const options: (string | [flag: string, value: string])[] = [
    ["--by", view.by.join()],
    ["--from", from],
    ["--to", to],
    ["--timezone", facts.timezone],
    ...(isCompared(facts, view)
      ? [["--compare", view.compare ?? ""] satisfies [string, string], "--chance"]
      : []),
    ["--columns", view.figures.join()],
    "--total",
    ...filtersOf(facts, view).flatMap(([name, value]): (string | [string, string])[] => {
      const flag = name === "min_duration_seconds" ? "--min-duration" : `--${name.replaceAll("_", "-")}`;
      if (value === true) return [flag];
      return [value].flat().map((text) => [flag, String(text)]);
    }),
  ];
  const words = options.flatMap((option) =>
    typeof option === "string" ? [option] : [`${option[0]} ${quote(option[1])}`],
  );
  return ["calltally export", ...words].join(" ");
}

/** Returns the lines of `calltally.yaml` that make the same table. */
export function toReport(facts: PageFacts, view: View): string {
  const { from, to } = shownDays(view);
  const filters = filtersOf(facts, view);
  const lines = [
    `by: ${JSON.stringify(view.by)}`,
    `range: { from: ${from}, to: ${to} }`,
    ...(isCompared(facts, view) ? [`compare: ${view.compare}`, "chance: true"] : []),
    `columns: ${JSON.stringify(view.figures)}`,
    "total: true",
    ...(filters.length > 0
      ? ["filter:", ...filters.map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)]
      : []),
  ];
  return ["reports:", "  explored:", ...lines.map((line) => `    ${line}`)].join("\n");
}

function isCompared(facts: PageFacts, view: View): boolean {
  return typeof comparedOf(facts, view) === "object";
}

/** A filter of the page replaces that of the file: it is of values that the file has. */
function filtersOf({ filter, excludedCallers }: PageFacts, view: View): Filters {
  const { exported } = exportFilterOf(view.filter);
  const all = Object.entries({ ...filter, ...exported });
  return [
    ...all,
    ...(excludedCallers === null ? [] : [["exclude_callers", "FILE"] satisfies Filters[number]]),
  ];
}

/** Quotes a word for a shell, if it needs quotes. */
function quote(text: string): string {
  return /^[\w.,:/+@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
