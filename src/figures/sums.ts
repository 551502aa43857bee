import { beforeName, changeName } from "../base/calendar/grain.ts";
import { MICROS } from "../base/text/currency.ts";
import { spendFigure } from "./amounts/spent.ts";
import { changeOf } from "./comparison.ts";
import type { FactValue } from "./dictionary.ts";
import { CALL_METRICS, divisorOf } from "./metrics.ts";
import { figureOf, type Part, type Units } from "./parts.ts";
import type { Measure } from "./rollup-query.ts";

/** The figures of a row, by name. */
export type Figures = Readonly<Record<string, FactValue>>;

/** The figure that shows a part of calls. */
const SHOWN_AS: ReadonlyMap<Part, string> = new Map(
  CALL_METRICS.flatMap(({ name, aggregate }) => (aggregate.kind === "count" ? [[aggregate.of, name]] : [])),
);

/** Adds a figure of several rows, in millionths, which are integers; null if no row has it. */
export function addUp(name: string, rows: readonly Figures[]): number | null {
  const numbers = rows.map((row) => row[name]).filter((value) => typeof value === "number");
  if (numbers.length === 0) return null;
  return numbers.reduce((sum, value) => sum + Math.round(value * MICROS), 0) / MICROS;
}

const UNITS: Units = { duration_unit: "seconds" };

/**
 * Returns a figure of rows whose additive figures were added up: a share or a cost per call from these, others as they
 * are. @param options.isPaid whether each row has a cost over 0: else no cost is one of all their calls. @default true
 */
export function figureOfSums(
  measure: Pick<Measure, "name" | "aggregate">,
  sums: Figures,
  { isPaid = true }: { isPaid?: boolean } = {},
): number | null {
  const read = (name: string | undefined) => {
    const value = name === undefined ? null : sums[name];
    return typeof value === "number" ? value : null;
  };
  const ofPart = (part: Part) => () => read(SHOWN_AS.get(part));
  const { aggregate } = measure;
  if (aggregate.kind === "share") return figureOf(aggregate, UNITS, ofPart)(0);
  const divisor = divisorOf(measure);
  if (aggregate.kind !== "cost per" || divisor === undefined) return read(measure.name);
  const costMicros = BigInt(Math.round((read("cost") ?? 0) * MICROS));
  const spent = { costMicros, clicks: null, impressions: null };
  return spendFigure(aggregate, spent, (isPaid && ofPart(divisor)()) || 0);
}

/** Returns the previous values and the changes of figures, as a rollup has them; without those of times. */
export function compareFigures(measures: readonly Measure[], now: Figures, before: Figures): Figures {
  const compared = measures.flatMap((measure) => {
    const [figure, previous] = [now[measure.name] ?? null, before[measure.name] ?? null];
    if (typeof figure === "string" || typeof previous === "string") return [];
    return [
      [beforeName(measure.name), previous],
      [changeName(measure.name), changeOf(measure, figure, previous)],
    ];
  });
  return Object.fromEntries(compared);
}
