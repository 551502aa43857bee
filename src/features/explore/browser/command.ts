import { shellWord } from "../../../base/text/shell-word.ts";
import { needsSpend } from "../../../figures/metrics.ts";
import type { PageFacts } from "../page-facts.ts";
import { needsOutcomes, tableFigures } from "./answers.ts";
import { titleOf } from "./format.ts";
import { compareDays } from "./page-days.ts";
import { exportFilterOf } from "./page-filter.ts";
import { shownDays, type View } from "./view.ts";

/** Options by their names in `calltally.yaml`. */
type Options = [name: string, value: string | number | boolean | readonly string[]][];

/** Returns why no command makes the same table; undefined if one does. */
export function whyNoCommand({ minCell }: PageFacts, { filter }: View): string | undefined {
  if (minCell !== null) return "small groups of calls were folded by day";
  const { others } = exportFilterOf(filter);
  if (others.length === 0) return undefined;
  const names = others.map(([name]) => titleOf(name).toLowerCase());
  return `export has no filter by ${names.join(" and ")}`;
}

/** Returns the command that makes the same table. */
export function toCommand(facts: PageFacts, view: View): string {
  const { from, to } = shownDays(view);
  const days: Options = [
    ["from", from],
    ["to", to],
    ["timezone", facts.timezone],
  ];
  const flags = [...figuresOf(facts, view), ...days, ...filtersOf(facts, view)].flatMap(([name, value]) => {
    const flag = name === "min_duration_seconds" ? "--min-duration" : `--${name.replaceAll("_", "-")}`;
    if (value === true) return [flag];
    const texts = name === "by" || name === "columns" ? [String(value)] : [value].flat().map(String);
    return texts.map((text) => `${flag} ${shellWord(text)}`);
  });
  const account = facts.account === null ? [] : [`--account ${facts.account}`];
  return ["calltally export", ...flags, ...account].join(" ");
}

/** Returns the lines of `calltally.yaml` that make the same table. */
export function toReport(facts: PageFacts, view: View): string {
  const { from, to } = shownDays(view);
  const toLine = ([name, value]: Options[number]) => `${name}: ${JSON.stringify(value)}`;
  const filters = filtersOf(facts, view);
  const lines = [
    ...(facts.account === null ? [] : [toLine(["accounts", [facts.account]])]),
    ...figuresOf(facts, view).map(toLine),
    `range: { from: ${from}, to: ${to} }`,
    ...(filters.length > 0 ? ["filter:", ...filters.map((filter) => `  ${toLine(filter)}`)] : []),
  ];
  return ["reports:", "  explored:", ...lines.map((line) => `    ${line}`)].join("\n");
}

function figuresOf(facts: PageFacts, view: View): Options {
  const { by, compare } = view;
  const figures = tableFigures(view);
  const compared = compare && typeof compareDays(facts, shownDays(view), compare) === "object" && compare;
  return [
    ["by", by],
    ["columns", figures],
    ["total", true],
    ...(figures.some(needsSpend) ? ([["spend", true]] satisfies Options) : []),
    ...(figures.some(needsOutcomes) ? ([["outcomes", true]] satisfies Options) : []),
    ...(compared
      ? ([
          ["compare", compared],
          ["chance", true],
        ] satisfies Options)
      : []),
  ];
}

/** A filter of the page replaces that of the file: it is of values that the file has. */
function filtersOf({ filter, excludedCallers }: PageFacts, view: View): Options {
  const { exported } = exportFilterOf(view.filter);
  const all = Object.entries({ ...filter, ...exported });
  return [...all, ...(excludedCallers === null ? [] : ([["exclude_callers", "FILE"]] satisfies Options))];
}
