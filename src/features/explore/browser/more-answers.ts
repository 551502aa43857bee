import { isWithinChance, WITHIN_CHANCE } from "../../../base/chance.ts";
import { toDuration } from "../../../calls/attribution/compiled-rules.ts";
import type { Value } from "../../../export/table.ts";
import type { Dimension } from "../../../figures/dimensions.ts";
import { bandCodes, durationBounds } from "../../../figures/duration-bands.ts";
import { needsSpend } from "../../../figures/metrics.ts";
import { OTHER } from "../../../figures/reserved-keys.ts";
import { answer, figuresOfPage, questionOf, readerOf, type Source, withCounts } from "./answers.ts";
import type { ReadFigure } from "./format.ts";
import { spanOf } from "./page-days.ts";
import { shownDays, type View } from "./view.ts";

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
  const choices = new Map<string, Choice>();
  for (const row of rows) {
    const keys = row.slice(0, columns.length - 1);
    if (keys[0] === OTHER) continue;
    const text = filterTextOf(keys);
    const known = choices.get(text);
    const calls = Number(row.at(-1)) + (known?.calls ?? 0);
    choices.set(text, { text, label: known?.label ?? String(keys[0]), calls });
  }
  return [...choices.values()];
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
  read: ReadFigure;
}

/** Answers the week by hours, with the figure of the chart. */
export async function answerWeek(source: Source, view: View): Promise<WeekHour[]> {
  const figure = weekFigure(view);
  const question = {
    ...questionOf(source, view),
    by: WEEK,
    figures: withCounts(figuresOfPage(source.facts).filter(({ name }) => name === figure)),
    compared: undefined,
  };
  const { columns, rows } = await answer(source, question);
  return rows.flatMap((row) => {
    const read = readerOf(columns, row);
    const value = read(figure);
    return value === null ? [] : [{ weekday: String(row[0]), hour: String(row[1]), value, read }];
  });
}

/** The figure of the chart, but spend has no hours. */
export const weekFigure = ({ chart }: View) => (needsSpend(chart) ? "calls" : chart);

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
  const candidates: Mover[] = [];
  for (const dimension of source.facts.dimensions) {
    const { columns, rows } = await answer(source, { ...question, by: [dimension] });
    const keys = columns.findIndex(({ name }) => name === "calls");
    for (const row of rows) {
      if (row[0] === OTHER) continue;
      const [calls, before] = [Number(row[keys]), Number(row[keys + 1])];
      const text = filterTextOf(row.slice(0, keys));
      candidates.push({ dimension, text, label: String(row[0]), calls, before });
    }
  }
  const level = WITHIN_CHANCE / candidates.length;
  const size = ({ calls, before }: Mover) => Math.abs(calls - before / compared.times);
  const movers = candidates
    .filter(({ calls, before }) => !isWithinChance(calls, before, compared.times, level))
    .toSorted((a, b) => size(b) - size(a));
  return { comparisons: candidates.length, movers };
}
