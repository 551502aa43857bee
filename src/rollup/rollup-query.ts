import type { AttributionRules } from "../attribution/attribution-rules.ts";
import type { LabelledPeriod } from "../calendar/periods.ts";
import type { Span } from "./call-filter.ts";
import { type Dimension, keyColumns } from "./dimensions.ts";
import type { Aggregate } from "./figure-sql.ts";
import {
  isCompared,
  isOfSpend,
  type Metric,
  metrics,
  type SpendAggregate,
  type SpendForm,
  spendMetrics,
} from "./metrics.ts";

/** From when on a zone's clocks are so far ahead of UTC. */
export interface ZoneOffset {
  /** ISO 8601 UTC. */
  startsAt: string;
  offsetSeconds: number;
}

export interface RollupQuery {
  /** What to group by, together; none for one row of everything. */
  dimensions: readonly Dimension[];
  /** Whether utm values are grouped as they are stored. @default false */
  raw?: boolean | undefined;
  /** The offsets by which weekdays and hours are told, each from its instant on. @default UTC */
  offsets?: readonly ZoneOffset[] | undefined;
  /** How many keys have rows of their own, those with the most calls; all others are in one row. @default all */
  top?: number | undefined;
  /**
   * How many calls a row has at least. Rows of fewer are in the row `(other)` of their period, with as many of the next smallest
   * as it takes for that row to have so many; where the whole period has fewer, its row has no figures. With `previous`, either
   * number of calls counts.
   * @default 1
   */
  minCell?: number | undefined;
  /** When the calls started. @default whenever */
  span?: Span | undefined;
  /** Names of the metrics that are wanted beside `calls`; the fewer, the quicker. @default all of them */
  figures?: readonly string[] | undefined;
  /** Adds the columns of spend, in this form; of {@link SPEND_DIMENSIONS} alone, and a session that has spend. @default none */
  spend?: SpendForm | undefined;
  /** The dimensions of the rollup that this is the line of totals of: costs are shared out over the calls of their keys that have spend. */
  totalOf?: readonly Dimension[] | undefined;
  /** The periods that lead the key, in the order of time. @default none */
  periods?: readonly LabelledPeriod[] | undefined;
  /** Whether a key has a row in each period, of zeros where it has no calls. @default false */
  fill?: boolean | undefined;
  /** The stretch whose figures stand beside, as `…_previous` and `…_change`; its periods under the labels of the ones they stand beside. */
  previous?: { span: Span; periods?: readonly LabelledPeriod[] | undefined } | undefined;
}

export interface RollupColumn extends Partial<Omit<Metric, "name" | "type" | "aggregate" | "isCount">> {
  name: string;
  type: Metric["type"] | "text";
  isKey?: true;
  /** Whether it names something, such as a campaign. */
  isId?: true;
  /** What it shows of the figure on its left, where that is compared. */
  comparison?: { of: string; shows: "previous" | "change" };
}

export type Measure = Metric<Aggregate | SpendAggregate>;

/** Digits after the point of a change, which is a share: 0.25 for a quarter more. */
const CHANGE_DECIMALS = 4;

export function rollupColumns(
  query: RollupQuery,
  rules: Pick<AttributionRules, "duration_unit">,
): RollupColumn[] {
  const { dimensions, periods, previous } = query;
  const toColumn = ({ aggregate: _, isCount: __, help, ...metric }: Measure): RollupColumn => {
    const { name, type, decimals, currency, ...flags } = metric;
    const form = { ...(decimals !== undefined && { decimals }), ...(currency !== undefined && { currency }) };
    return { name, type, ...form, ...flags, help };
  };
  const compare = (metric: Measure): RollupColumn[] => {
    const { name: of, help: _, ...shape } = toColumn(metric);
    return [
      { ...shape, name: `${of}_previous`, comparison: { of, shows: "previous" } },
      {
        name: `${of}_change`,
        type: "decimal",
        decimals: CHANGE_DECIMALS,
        comparison: { of, shows: "change" },
      },
    ];
  };
  return [
    ...(periods ? [{ name: "period", type: "text", isKey: true } as const] : []),
    ...keyColumns(dimensions).map(
      ({ of: _, isNamed: __, name, type, ...more }) => ({ name, type, isKey: true, ...more }) as const,
    ),
    ...measuresOf(query, rules).flatMap((metric) => [
      toColumn(metric),
      ...(previous && isCompared(metric) ? compare(metric) : []),
    ]),
  ];
}

/** Returns the metrics of a rollup, in their order; a cost per call needs the number of these calls beside it. */
export function measuresOf(
  { figures, spend }: RollupQuery,
  rules: Pick<AttributionRules, "duration_unit">,
): readonly Measure[] {
  const all = [...metrics(rules), ...(spend ? spendMetrics(spend) : [])];
  return figures === undefined ? all : all.filter(({ name }) => name === "calls" || figures.includes(name));
}

export function callMeasures(measures: readonly Measure[]): readonly Metric[] {
  return measures.filter((metric): metric is Metric => !isOfSpend(metric));
}
