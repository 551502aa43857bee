import { namesOf } from "../records.ts";

export const GRAINS = ["day", "week", "month", "quarter"] as const;

/** Lengths of a period. Weeks are ISO 8601 weeks, from Monday. */
export type Grain = (typeof GRAINS)[number];

/** What figures are compared with, and how the columns are called that a comparison adds. */
export const COMPARISON_COLUMNS = {
  /** The whole time just before. */
  previous: { before: "previous", change: "change", period: "previous_period" },
  /** The same dates a year earlier. */
  year: { before: "year_ago", change: "year_change", period: "period_year_ago" },
  /** The same weekdays a year earlier. */
  "52-weeks": { before: "52_weeks_ago", change: "52_weeks_change", period: "period_52_weeks_ago" },
  /** Each period with the one before it. */
  "period-on-period": { before: "period_before", change: "period_change", period: "period_before" },
} as const;
export const COMPARISONS = namesOf(COMPARISON_COLUMNS);
export type ComparisonName = (typeof COMPARISONS)[number];
/** Those of all days at once. */
export const SPAN_COMPARISONS = ["previous", "year", "52-weeks"] as const satisfies ComparisonName[];
export const PERIOD_ON_PERIOD = "period-on-period" satisfies ComparisonName;

/** `days` compares with as many days before, even if the range begins or ends with a month. */
export type Comparison = ComparisonName | "days";
export type SpanComparison = Exclude<Comparison, typeof PERIOD_ON_PERIOD>;

/** Returns the name of the column with a figure's value before. */
export const beforeName = (figure: string, as: ComparisonName = "previous") =>
  `${figure}_${COMPARISON_COLUMNS[as].before}`;
export const changeName = (figure: string, as: ComparisonName = "previous") =>
  `${figure}_${COMPARISON_COLUMNS[as].change}`;
export const chanceName = (figure: string, as: ComparisonName = "previous") =>
  `${changeName(figure, as).slice(0, -"change".length)}within_chance`;
