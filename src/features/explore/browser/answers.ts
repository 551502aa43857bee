import type { Span } from "../../../base/calendar/dates.ts";
import { areAlike } from "../../../base/calendar/periods.ts";
import { isSpendComparable } from "../../../export/described-spend.ts";
import { blankUnknown, chooseColumns, pickColumns, withChance } from "../../../export/rollups.ts";
import type { Column, TotalRow, Value } from "../../../export/table.ts";
import type { Counterpart } from "../../../export/timeframe.ts";
import { findUnjudged } from "../../../figures/change-chance.ts";
import { areOfSpend, type Dimension, keyColumns } from "../../../figures/dimensions.ts";
import { type ReadFigure, titleOf } from "../../../figures/figure-text.ts";
import { foldRollup } from "../../../figures/fold-rollup.ts";
import { FIRST_CALL_FIGURES, needsSpend, OUTCOME_FIGURES, TIME_FIGURES } from "../../../figures/metrics.ts";
import { OTHER, TOTAL, WITH_SPEND } from "../../../figures/reserved-keys.ts";
import { type Measure, measuresOf, type RollupQuery, rollupColumns } from "../../../figures/rollup-query.ts";
import { partsNeeded } from "../../../figures/row-figures.ts";
import { FOLDED, GROUP_PARTS } from "../packed-calls.ts";
import type { PageFacts } from "../page-facts.ts";
import type { PageCalls } from "./page-calls.ts";
import { compareDays, type Days, periodsOf, spanOf } from "./page-days.ts";
import { entriesOf, type PageFilter } from "./page-filter.ts";
import { shownDays, shownGrain, type View } from "./view.ts";

export interface Source {
  facts: PageFacts;
  calls: PageCalls;
}

/**
 * Figures that the page can compute: it has no times of calls, no first calls during a first load, maybe no
 * hours, and of groups of calls only what adds up.
 */
export function figuresOfPage({ rules, spend, outcomes, warehouse, minCell }: PageFacts): Measure[] {
  const isUnknown = (metric: Measure) =>
    metric.aggregate.kind === "unknown" ||
    TIME_FIGURES.includes(metric.name) ||
    (warehouse.first_load && FIRST_CALL_FIGURES.has(metric.name)) ||
    (minCell !== null && !partsNeeded([metric]).every((part) => GROUPED.includes(part)));
  return measuresOf({ dimensions: [], spend: spend?.form, outcomes: outcomes?.form }, rules).filter(
    (metric) => !isUnknown(metric),
  );
}

const GROUPED: readonly string[] = GROUP_PARTS;

/** Returns the figures of the table: those of spend need dimensions that spend has, and rates need what they are of. */
export function tableFigures({ by, figures }: Pick<View, "by" | "figures">): readonly string[] {
  const shown = areOfSpend(by) ? figures : figures.filter((name) => !needsSpend(name));
  return withWholes(shown.length > 0 ? shown : ["calls"]);
}

/** Puts before a rate what it divides by, which `--chance` asks for. */
function withWholes(figures: readonly string[]): readonly string[] {
  const unjudged = findUnjudged(figures);
  if (unjudged === undefined) return figures;
  return withWholes(figures.toSpliced(figures.indexOf(unjudged.rate), 0, unjudged.whole));
}

export const needsOutcomes = (name: string) => OUTCOME_FIGURES.includes(name);

/**
 * Returns what the shown days are compared with, or why they are not. Of groups only all calls are compared, on days
 * that are all in the file: a value whose calls are in (other) on some days, or left out, would seem to change.
 */
export function comparedOf(
  { facts, calls }: Source,
  view: View,
  by: readonly Dimension[] = [],
): Counterpart | string | undefined {
  if (view.compare === undefined) return undefined;
  const days = shownDays(view);
  const compared = compareDays(facts, days, view.compare);
  if (facts.minCell === null || typeof compared === "string") return compared;
  const names = [...by, ...entriesOf(view.filter).map(([name]) => name)];
  if (names.some((name) => name !== "weekday"))
    return "Not compared: on some days, calls of these values are in (other).";
  const isWhole = [spanOf(days), compared.span].every((span) => calls.daysLeftOut(span) === 0);
  return isWhole ? compared : `Not compared: days with fewer than ${facts.minCell} calls are left out.`;
}

interface Question {
  days: Days;
  filter: PageFilter;
  by: readonly Dimension[];
  figures: readonly string[];
  compared: Counterpart | undefined;
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

export function questionOf(source: Source, view: View, by: readonly Dimension[] = view.by): Question {
  const compared = comparedOf(source, view, by);
  return {
    by,
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
    compared: compared && [{ span: compared.span }],
    spend: figures.some(needsSpend) ? facts.spend?.form : undefined,
    outcomes: figures.some(needsOutcomes) ? facts.outcomes?.form : undefined,
  };
}

/** Answers a rollup. @param total for the total of the rows instead of them */
export async function answer(
  source: Source,
  question: Question,
  total?: { isWithSpend: boolean },
): Promise<Answer> {
  const { facts, calls } = source;
  const { filter, by, figures, compared } = question;
  const ofRows = queryOf(source, question);
  const query = total === undefined ? ofRows : { ...ofRows, dimensions: [], totalOf: by, ...total };
  const known = [{ hasHistoryBefore: compared?.hasHistory ?? true }];
  const folded = await foldRollup(query, calls.source(filter), known);
  const columns = rollupColumns(query, facts.rules);
  const blank = blankOf(source, query, question);
  const rows = showFolded([...Iterator.from(folded).map(({ values }) => blank(values))]);
  const table = pickColumns({ columns, rows }, chooseColumns(columns, figures));
  const judged = compared ? withChance(table, [compared]) : table;
  return { columns: judged.columns, rows: [...judged.rows] };
}

/** Shows the groups that were folded as the last row, {@link OTHER}. */
function showFolded(rows: readonly (readonly Value[])[]): readonly (readonly Value[])[] {
  const isFolded = (row: readonly Value[]) => row.includes(FOLDED);
  const other = rows.filter(isFolded).map((row) => {
    const first = row.indexOf(FOLDED);
    return row.map((value, index) => (value !== FOLDED ? value : index === first ? OTHER : null));
  });
  return other.length === 0 ? rows : [...rows.filter((row) => !isFolded(row)), ...other];
}

/** Returns a function that blanks figures which cannot be known. */
function blankOf(
  { facts, calls }: Source,
  query: RollupQuery,
  { days, filter, compared }: Pick<Question, "days" | "filter" | "compared">,
) {
  const range = { range: days, span: spanOf(days) };
  const spend = { days: (span: Span) => calls.spendDays(filter, span)?.days };
  return blankUnknown(rollupColumns(query, facts.rules), {
    compared: compared ? [compared] : [],
    isFirstLoad: facts.warehouse.first_load,
    costTestOf: (before) => () => query.spend !== undefined && isSpendComparable(spend, range, before),
  });
}

/** A figure of all shown calls. */
export interface Card {
  metric: Measure;
  read: ReadFigure;
}

/** The figures that have a card, and may be in the chart. */
export function cardFigures(facts: PageFacts): Measure[] {
  return figuresOfPage(facts).filter(({ name }) => CARDS.includes(name));
}

const CARDS: readonly string[] = [
  ...["calls", "answer_rate", "qualified_calls", "missed_calls", "first_time_callers", "unique_callers"],
  ...["missed_in_hours", "answer_rate_in_hours"],
  ...["median_duration_seconds", "cost", "booked_calls", "revenue"],
];

export async function answerCards(source: Source, view: View): Promise<Card[]> {
  const shown = cardFigures(source.facts);
  const question = { ...questionOf(source, view, []), figures: withCounts(shown) };
  const { columns, rows } = await answer(source, question);
  const read = readerOf(columns, rows[0]);
  return shown.map((metric) => ({ metric, read }));
}

/** Returns the names of figures, and of what their rates are made from: they are rounded and judged by it. */
export function withCounts(figures: readonly Measure[]): string[] {
  const names = figures.flatMap(({ name, aggregate }) =>
    aggregate.kind === "share" ? [name, aggregate.of, aggregate.per] : [name],
  );
  return [...new Set(names)];
}

/** Names a figure of the page: calls of a page of groups are not all calls. */
export function titleOfFigure({ minCell }: Pick<PageFacts, "minCell">, name: string): string {
  return minCell !== null && name === "calls" ? `Calls in groups of ${minCell} or more` : titleOf(name);
}

/** Returns a function that reads a row by column. */
export function readerOf(
  columns: readonly Column[],
  row: readonly Value[] = [],
): (column: string) => number | null {
  return (name) => {
    const value = row[columns.findIndex((column) => column.name === name)];
    return typeof value === "number" ? value : null;
  };
}

/** A period of the chart. */
export interface TimePoint {
  period: string;
  days: Days;
  /** Undefined if the days compared with have no such period. */
  daysBefore: Days | undefined;
  now: number | null;
  before: number | null;
  read: ReadFigure;
}

/** Whether a period is compared with as many days, or a whole month with a whole month. */
export function isAlike({ days, daysBefore }: Pick<TimePoint, "days" | "daysBefore">): boolean {
  return daysBefore !== undefined && areAlike(days, daysBefore);
}

/** Answers the chart, which always has all chosen days. */
export async function answerTime(source: Source, view: View): Promise<TimePoint[]> {
  const { facts, calls } = source;
  const { days, chart, compare, filter } = view;
  const isCompared = typeof comparedOf(source, view) === "object";
  const { periods, compared } = periodsOf(facts, days, shownGrain(view), isCompared ? compare : undefined);
  const figures = withCounts(figuresOfPage(facts).filter(({ name }) => name === chart));
  const query = {
    ...queryOf(source, { days, filter, by: [], figures, compared }),
    periods,
    // A period without groups may have had calls.
    fill: facts.minCell === null,
    compared: compared && [compared],
  };
  const columns = rollupColumns(query, facts.rules);
  const blank = blankOf(source, query, { days, filter, compared });
  const folded = Iterator.from(await foldRollup(query, calls.source(filter))).map(({ values }) =>
    blank(values),
  );
  const rows = new Map(folded.map((values) => [values[0], values]));
  return periods.map(({ period, days, daysBefore }) => {
    const read = readerOf(columns, rows.get(period));
    return { period, days, daysBefore, now: read(chart), before: read(`${chart}_previous`), read };
  });
}
