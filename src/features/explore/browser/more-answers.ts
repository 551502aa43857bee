import { toDuration } from "../../../calls/attribution/compiled-rules.ts";
import { type Moved, Movers } from "../../../export/sections/movers.ts";
import type { Value } from "../../../export/table.ts";
import { MARKS } from "../../../figures/calls.ts";
import type { Dimension } from "../../../figures/dimensions.ts";
import { bandCodes, type DurationBand, durationBounds } from "../../../figures/duration-bands.ts";
import type { ReadFigure } from "../../../figures/figure-text.ts";
import { OTHER } from "../../../figures/reserved-keys.ts";
import {
  answer,
  figuresOfPage,
  needsSpend,
  questionOf,
  readerOf,
  type Source,
  withCounts,
} from "./answers.ts";
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
  const found = new Map<string, Choice>();
  for (const row of rows) {
    const keys = row.slice(0, columns.length - 1);
    if (keys[0] === OTHER) continue;
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
  const { durations, marks } = calls.within(view.filter, spanOf(shownDays(view)));
  const none = { calls: 0, answered_calls: 0, missed_calls: 0 };
  const counts = Array.from({ length: bounds.length + 2 }, () => ({ ...none }));
  for (const [row, code] of bandCodes(durations, stored).entries()) {
    const band = counts[code] ?? none;
    const mark = marks[row] ?? 0;
    band.calls++;
    if (mark & MARKS.answered) band.answered_calls++;
    if (mark & MARKS.missed) band.missed_calls++;
  }
  const [unknown = none, below = none, ...others] = counts;
  return [
    ...(below.calls > 0 ? [{ from_seconds: null, to_seconds: 0, ...below }] : []),
    ...others.map((count, index) => ({
      from_seconds: bounds[index] ?? 0,
      to_seconds: bounds[index + 1] ?? null,
      ...count,
    })),
    ...(unknown.calls > 0 ? [{ from_seconds: null, to_seconds: null, ...unknown }] : []),
  ];
}

/** Answers what is said about durations. */
export async function answerDurationFigures(source: Source, view: View): Promise<ReadFigure> {
  const figures = ["qualified_calls", "average_duration_seconds", "median_duration_seconds"];
  const question = { ...questionOf(source, view, []), figures: ["calls", ...figures], compared: undefined };
  const { columns, rows } = await answer(source, question);
  return readerOf(columns, rows[0]);
}

/** Finds what moved most, of all values that were compared. */
export async function answerMovers(source: Source, view: View): Promise<Moved | undefined> {
  const question = { ...questionOf(source, view), figures: ["calls"] };
  const { compared } = question;
  if (compared === undefined) return undefined;
  const movers = new Movers();
  for (const dimension of source.facts.dimensions) {
    const { columns, rows } = await answer(source, { ...question, by: [dimension] });
    for (const row of rows) {
      if (row[0] === OTHER) continue;
      movers.note(dimension, Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])));
    }
  }
  return movers.find(compared);
}
