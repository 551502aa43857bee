import type { Span } from "../base/calendar/dates.ts";
import { beforeName, type ComparisonName, chanceName, changeName } from "../base/calendar/grain.ts";
import type { LabelledPeriod } from "../base/calendar/periods.ts";
import { CHANGE_DECIMALS } from "./comparison.ts";
import { type Dimension, keyColumns } from "./dimensions.ts";
import {
  type AnyAggregate,
  isCompared,
  isOfOutcomes,
  isOfSpend,
  type Metric,
  metrics,
  type OutcomeForm,
  outcomeMetrics,
  type SpendForm,
  spendMetrics,
} from "./metrics.ts";
import type { Units } from "./parts.ts";

/** An offset from UTC, and from when on it applies. */
export interface ZoneOffset {
  /** ISO 8601 UTC. */
  startsAt: string;
  offsetSeconds: number;
}

export interface RollupQuery {
  /** What to group by, combined; empty for one row of everything. */
  dimensions: readonly Dimension[];
  /** Whether utm values are grouped as stored. @default false */
  raw?: boolean | undefined;
  /** The offsets for weekdays and hours. @default UTC */
  offsets?: readonly ZoneOffset[] | undefined;
  /** How many keys have their own rows: those with the most calls. The rest is one row. @default all */
  top?: number | undefined;
  /**
   * The fewest calls of a row. Smaller rows are folded into their period's row `(other)`, with as many of the next
   * smallest as it needs to be large enough; if the whole period has fewer, its row is blank. With a compared span, both
   * numbers of calls must be large enough. @default 1
   */
  minCell?: number | undefined;
  /** When the calls started. @default any time */
  span?: Span | undefined;
  /** The metrics wanted in addition to `calls`; fewer are faster. @default all */
  figures?: readonly string[] | undefined;
  /** Adds the columns of spend; only for {@link SPEND_DIMENSIONS} and a session with spend. @default none */
  spend?: SpendForm | undefined;
  /** Adds the columns of outcomes; only for a session with outcomes. @default none */
  outcomes?: OutcomeForm | undefined;
  /** The dimensions of the rollup that this is the total of. */
  totalOf?: readonly Dimension[] | undefined;
  /** Whether the total is only of keys with a cost over 0. @default false */
  isWithSpend?: boolean | undefined;
  /** The periods that lead the key, in order. @default none */
  periods?: readonly LabelledPeriod[] | undefined;
  /** Whether each key has a row in each period, with zeros where it has no calls. @default false */
  fill?: boolean | undefined;
  /** The compared spans, each with its own columns. @default none */
  compared?: readonly ComparedSide[] | undefined;
}

/** A compared span; its periods have the labels of their counterparts. */
export interface ComparedSide {
  /** What its columns are named after. @default previous */
  as?: ComparisonName;
  span: Span;
  periods?: readonly LabelledPeriod[] | undefined;
  /** Whether the days themselves are not synced yet, so that there are no changes. @default false */
  isUnreached?: boolean;
}

export interface RollupColumn extends Partial<Omit<Metric, "name" | "type" | "aggregate" | "isCount">> {
  name: string;
  type: Metric["type"] | "text";
  isKey?: true;
  /** Whether it identifies something, such as a campaign. */
  isId?: true;
  /** What it shows of the compared figure on its left. */
  comparison?: ShownComparison;
}

export interface ShownComparison {
  of: string;
  /** What it is compared with. */
  as: ComparisonName;
  shows: "previous" | "change" | "points" | "within chance";
}

/** Returns the name of the column that shows a comparison. */
export function comparedName({ of, as, shows }: ShownComparison): string {
  if (shows === "previous") return beforeName(of, as);
  return shows === "within chance" ? chanceName(of, as) : changeName(of, as);
}

export type Measure = Metric<AnyAggregate>;

export function columnOf({ aggregate: _, isCount: __, ...column }: Measure): RollupColumn {
  return column;
}

export function rollupColumns(query: RollupQuery, rules: Units): RollupColumn[] {
  const { dimensions, periods, compared = [] } = query;
  const compare = (metric: Measure, as: ComparisonName): RollupColumn[] => {
    const { name: of, help: _, ...shape } = columnOf(metric);
    return [
      { ...shape, name: beforeName(of, as), comparison: { of, as, shows: "previous" } },
      {
        name: changeName(of, as),
        type: "decimal",
        decimals: CHANGE_DECIMALS,
        comparison: { of, as, shows: metric.isShare ? "points" : "change" },
      },
    ];
  };
  return [
    ...(periods ? [{ name: "period", type: "text", isKey: true } as const] : []),
    ...keyColumns(dimensions).map(
      ({ of: _, isNamed: __, isNameOf: ___, name, type, ...more }) =>
        ({ name, type, isKey: true, ...more }) as const,
    ),
    ...measuresOf(query, rules).flatMap((metric) => [
      columnOf(metric),
      ...(isCompared(metric) ? compared.flatMap(({ as = "previous" }) => compare(metric, as)) : []),
    ]),
  ];
}

/** Returns the metrics of a rollup, in order; a cost per call also needs the number of those calls. */
export function measuresOf({ figures, spend, outcomes }: RollupQuery, rules: Units): readonly Measure[] {
  const all = [
    ...metrics(rules),
    ...(spend ? spendMetrics(spend) : []),
    ...(outcomes ? outcomeMetrics(outcomes, spend) : []),
  ];
  return figures === undefined ? all : all.filter(({ name }) => name === "calls" || figures.includes(name));
}

export function callMeasures(measures: readonly Measure[]): readonly Metric[] {
  return measures.filter((metric): metric is Metric => !isOfSpend(metric) && !isOfOutcomes(metric.aggregate));
}
