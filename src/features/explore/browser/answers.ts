import { toDuration } from "../../../attribution/compiled-rules.ts";
import { isWithinChance, WITHIN_CHANCE } from "../../../base/chance.ts";
import type { Span } from "../../../calendar/dates.ts";
import { isSpendComparable } from "../../../export/described-spend.ts";
import { blankUnknown, chooseColumns, pickColumns, withChance } from "../../../export/rollups.ts";
import type { Column, TotalRow, Value } from "../../../export/table.ts";
import type { Compared } from "../../../export/timeframe.ts";
import { isChangeWithinChance } from "../../../figures/change-chance.ts";
import { type Dimension, keyColumns, SPEND_DIMENSIONS } from "../../../figures/dimensions.ts";
import { bandCodes, durationBounds } from "../../../figures/duration-bands.ts";
import { foldRollup } from "../../../figures/fold-rollup.ts";
import {
  FIRST_CALL_FIGURES,
  OUTCOME_FIGURES,
  RETURN_FIGURES,
  SPEND_FIGURES,
  TIME_FIGURES,
} from "../../../figures/metrics.ts";
import { TOTAL, WITH_SPEND } from "../../../figures/reserved-keys.ts";
import { type Measure, measuresOf, type RollupQuery, rollupColumns } from "../../../figures/rollup-query.ts";
import type { PageFacts } from "../page-facts.ts";
import type { PageCalls } from "./page-calls.ts";
import { compareDays, type Days, periodsOf, spanOf } from "./page-days.ts";
import type { PageFilter } from "./page-filter.ts";
import { shownDays, shownGrain, type View } from "./view.ts";

export interface Source {
  facts: PageFacts;
  calls: PageCalls;
}

/** Figures that the page can compute: it has no times of calls, and no first calls during a first load. */
export function figuresOfPage({ rules, spend, outcomes, warehouse }: PageFacts): Measure[] {
  const isUnknown = (name: string) => warehouse.first_load && FIRST_CALL_FIGURES.has(name);
  return measuresOf({ dimensions: [], spend: spend?.form, outcomes: outcomes?.form }, rules).filter(
    ({ name }) => !TIME_FIGURES.includes(name) && !isUnknown(name),
  );
}

/** Returns the figures of the table: those of spend need dimensions that spend has. */
export function tableFigures({ by, figures }: Pick<View, "by" | "figures">): readonly string[] {
  if (by.every((name) => SPEND_DIMENSIONS.includes(name))) return figures;
  const shown = figures.filter((name) => !needsSpend(name));
  return shown.length > 0 ? shown : ["calls"];
}

export const needsSpend = (name: string) => SPEND_FIGURES.includes(name) || RETURN_FIGURES.includes(name);
export const needsOutcomes = (name: string) => OUTCOME_FIGURES.includes(name);

/** Returns what the shown days are compared with, or why they are not. */
export function comparedOf(facts: PageFacts, view: View): Compared | string | undefined {
  return view.compare && compareDays(facts, shownDays(view), view.compare);
}

interface Question {
  days: Days;
  filter: PageFilter;
  by: readonly Dimension[];
  figures: readonly string[];
  compared: Compared | undefined;
}

export interface Answer {
  columns: readonly Column[];
  rows: readonly (readonly Value[])[];
}

/** Answers the table as `export` writes it, and its totals. */
export async function answerTable(source: Source, view: View): Promise<Answer & { totals: TotalRow[] }> {
  const question = questionOf(source, view);
  const { columns, rows } = await answer(source, question);
  const { spend } = queryOf(source, question);
  const keys = keyColumns(view.by).slice(1);
  const totalOf = async (kind: TotalRow["kind"]): Promise<TotalRow> => {
    const isWithSpend = kind === "with_spend";
    const [figures = []] = (await answer(source, question, { isWithSpend })).rows;
    return { kind, values: [isWithSpend ? WITH_SPEND : TOTAL, ...keys.map(() => null), ...figures] };
  };
  const totals = [await totalOf("total"), ...(spend ? [await totalOf("with_spend")] : [])];
  return { columns, rows, totals };
}

function questionOf({ facts }: Source, view: View): Question {
  const compared = comparedOf(facts, view);
  return {
    by: view.by,
    filter: view.filter,
    figures: tableFigures(view),
    days: shownDays(view),
    compared: typeof compared === "object" ? compared : undefined,
  };
}

function queryOf({ facts }: Source, { days, by, figures, compared }: Question): RollupQuery {
  return {
    dimensions: by,
    figures,
    span: spanOf(days),
    previous: compared && { span: compared.span },
    spend: figures.some(needsSpend) ? facts.spend?.form : undefined,
    outcomes: figures.some(needsOutcomes) ? facts.outcomes?.form : undefined,
  };
}

/** @param total for the total of the rows instead of them */
async function answer(source: Source, question: Question, total?: { isWithSpend: boolean }): Promise<Answer> {
  const { facts, calls } = source;
  const { days, filter, by, figures, compared } = question;
  const ofRows = queryOf(source, question);
  const query = total === undefined ? ofRows : { ...ofRows, dimensions: [], totalOf: by, ...total };
  const known = { hasHistoryBefore: compared?.hasHistory ?? true };
  const folded = await foldRollup(query, calls.source(filter), known);
  const columns = rollupColumns(query, facts.rules);
  const range = { range: days, span: spanOf(days), compared };
  const spend = { days: (span: Span) => calls.spendDays(filter, span) };
  const isFirstLoad = facts.warehouse.first_load;
  const blank = blankUnknown(columns, {
    compared,
    isFirstLoad,
    isSpendKnown: query.spend !== undefined && isSpendComparable(spend, range),
  });
  const rows = Iterator.from(folded).map(({ values }) => blank(values));
  const table = pickColumns({ columns, rows }, chooseColumns(columns, figures));
  const judged = compared && canJudge(figures) ? withChance(table, compared) : table;
  return { columns: judged.columns, rows: [...judged.rows] };
}

/** Whether `export` marks changes within chance: those of answer rates need the calls. */
export function canJudge(figures: readonly string[]): boolean {
  return figures.includes("calls") || !figures.includes("answer_rate");
}

/** A figure of all shown calls. */
export interface Card {
  metric: Measure;
  now: number | null;
  before: number | null;
  /** Whether there is a change, and chance does not explain it. */
  change: number | null;
  isWithinChance: boolean;
}

/** The figures that have a card, and may be in the chart. */
export function cardFigures(facts: PageFacts): Measure[] {
  return figuresOfPage(facts).filter(({ name }) => CARDS.includes(name));
}

const CARDS: readonly string[] = [
  ...["calls", "answer_rate", "qualified_calls", "missed_calls", "first_time_callers", "unique_callers"],
  ...["median_duration_seconds", "cost", "booked_calls", "revenue"],
];

export async function answerCards(source: Source, view: View): Promise<Card[]> {
  const shown = cardFigures(source.facts);
  const question = { ...questionOf(source, view), by: [], figures: shown.map(({ name }) => name) };
  const { columns, rows } = await answer(source, question);
  const values = new Map(columns.map(({ name }, index) => [name, rows[0]?.[index] ?? null]));
  const read = (name: string) => {
    const value = values.get(name);
    return typeof value === "number" ? value : null;
  };
  const { compared } = question;
  return shown.map((metric) => ({
    metric,
    now: read(metric.name),
    before: read(`${metric.name}_previous`),
    change: read(`${metric.name}_change`),
    isWithinChance: compared !== undefined && isChangeWithinChance(metric.name, read, compared) === true,
  }));
}

/** A period of the chart. */
export interface TimePoint {
  period: string;
  days: Days;
  now: number | null;
  before: number | null;
  /** The days that it is compared with. */
  previous: string | undefined;
}

/** Answers the chart, which always has all chosen days. */
export async function answerTime(source: Source, view: View): Promise<TimePoint[]> {
  const { facts, calls } = source;
  const { days, chart, compare, filter } = view;
  const { periods, previous } = periodsOf(facts, days, shownGrain(view), compare);
  const question = { days, filter, by: [], figures: [chart], compared: undefined };
  const query = { ...queryOf(source, question), periods, fill: true, previous };
  const columns = rollupColumns(query, facts.rules).map(({ name }) => name);
  const folded = await foldRollup(query, calls.source(filter));
  const rows = new Map([...folded].map(({ values }) => [values[0], values]));
  return periods.map(({ period, days }) => {
    const read = (name: string) => {
      const value = rows.get(period)?.[columns.indexOf(name)];
      return typeof value === "number" ? value : null;
    };
    return {
      period,
      days,
      now: read(chart),
      before: read(`${chart}_previous`),
      previous: previous?.names.find((own) => own.period === period)?.previous,
    };
  });
}

/** A value of a dimension that calls have, to filter by. */
export interface Choice {
  /** As a filter takes it: an id, if there is one. */
  text: string;
  label: string;
  calls: number;
}

/** Lists the values of a dimension among the calls of all other filters, most calls first. */
export async function answerChoices(source: Source, view: View, dimension: Dimension): Promise<Choice[]> {
  const { [dimension]: _, ...filter } = view.filter;
  const question = {
    ...questionOf(source, view),
    by: [dimension],
    figures: ["calls"],
    filter,
    compared: undefined,
  };
  const { columns, rows } = await answer(source, question);
  const found = new Map<string, Choice>();
  for (const row of rows) {
    const keys = row.slice(0, columns.length - 1);
    const text = filterTextOf(keys);
    const known = found.get(text);
    const calls = Number(row.at(-1)) + (known?.calls ?? 0);
    found.set(text, { text, label: known?.label ?? String(keys[0]), calls });
  }
  return [...found.values()];
}

/** Returns how a filter names a row's value of a dimension: by its id if it has one. @param keys name, and id if any */
export function filterTextOf([name = null, id = null]: readonly Value[]): string {
  return String(id ?? name);
}

/** A figure of an hour of the week. */
export interface WeekHour {
  weekday: string;
  hour: string;
  value: number;
}

/** Answers the week by hours, with the figure of the chart. */
export async function answerWeek(source: Source, view: View): Promise<WeekHour[]> {
  // Spend has no hours.
  const figure = needsSpend(view.chart) ? "calls" : view.chart;
  const question = { ...questionOf(source, view), by: WEEK, figures: [figure], compared: undefined };
  const { rows } = await answer(source, question);
  return rows.flatMap(([weekday, hour, value]) =>
    typeof value === "number" ? [{ weekday: String(weekday), hour: String(hour), value }] : [],
  );
}

const WEEK = ["weekday", "hour"] as const;

/** Counts the calls of each duration band, as the report does. */
export function answerDurations({ facts, calls }: Source, view: View): DurationBand[] {
  const bounds = durationBounds(facts.rules);
  const stored = bounds.map((seconds) => toDuration(seconds, facts.rules));
  const shown = calls.within(view.filter, spanOf(shownDays(view)));
  const counts = new Array<number>(bounds.length + 2).fill(0);
  for (const code of bandCodes(shown.durations, stored)) counts[code] = (counts[code] ?? 0) + 1;
  const [unknown = 0, below = 0, ...others] = counts;
  return [
    ...(below > 0 ? [{ from: null, to: 0, calls: below }] : []),
    ...others.map((count, index) => ({
      from: bounds[index] ?? 0,
      to: bounds[index + 1] ?? null,
      calls: count,
    })),
    ...(unknown > 0 ? [{ from: null, to: null, calls: unknown }] : []),
  ];
}

/** Durations in seconds, `to` exclusive; both are null for calls without a duration. */
export interface DurationBand {
  from: number | null;
  to: number | null;
  calls: number;
}

/** A value of a dimension whose calls changed by more than chance. */
export interface Mover extends Choice {
  dimension: Dimension;
  before: number;
}

/** Finds what moved most, of all values that were compared. */
export async function answerMovers(
  source: Source,
  view: View,
): Promise<{ comparisons: number; movers: Mover[] }> {
  const question = { ...questionOf(source, view), figures: ["calls"] };
  const { compared } = question;
  if (compared === undefined) return { comparisons: 0, movers: [] };
  const found: Mover[] = [];
  for (const dimension of source.facts.dimensions) {
    const { columns, rows } = await answer(source, { ...question, by: [dimension] });
    const keys = columns.findIndex(({ name }) => name === "calls");
    for (const row of rows) {
      const [calls, before] = [Number(row[keys]), Number(row[keys + 1])];
      const text = filterTextOf(row.slice(0, keys));
      found.push({ dimension, text, label: String(row[0]), calls, before });
    }
  }
  const level = WITHIN_CHANCE / found.length;
  const size = ({ calls, before }: Mover) => Math.abs(calls - before / compared.times);
  const movers = found
    .filter(({ calls, before }) => !isWithinChance(calls, before, compared.times, level))
    .toSorted((a, b) => size(b) - size(a));
  return { comparisons: found.length, movers };
}
