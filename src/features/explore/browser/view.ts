import { parseDate } from "../../../base/calendar/dates.ts";
import { GRAINS, type Grain } from "../../../base/calendar/grain.ts";
import { parseLast } from "../../../base/calendar/last.ts";
import { attempt } from "../../../base/errors.ts";
import { grainOf } from "../../../config/request/resolve.ts";
import { DIMENSIONS, type Dimension } from "../../../figures/dimensions.ts";
import { FIGURES } from "../../../figures/metrics.ts";
import type { PageFacts } from "../page-facts.ts";
import { LISTED_FIGURES, type ListedFigure } from "./page-calls.ts";
import { type Days, type PageComparison, todayOf } from "./page-days.ts";
import { entriesOf, type PageFilter } from "./page-filter.ts";

/** What the page shows; the address has it after `#`. */
export interface View {
  days: Days;
  /** A period of these days, chosen in the chart. */
  only: Days | undefined;
  compare: PageComparison | undefined;
  /** @default by the number of days */
  grain: Grain | undefined;
  by: readonly Dimension[];
  filter: PageFilter;
  /** The columns of the table. */
  figures: readonly string[];
  /** The figure of the chart. */
  chart: string;
  /** The figure whose calls are listed. */
  listed: ListedFigure;
  /** A column of the table; by default it is in the order of `export`. */
  sort: { column: string; isDescending: boolean } | undefined;
}

const DEFAULT_FIGURES: readonly string[] = ["calls", "answer_rate", "qualified_calls", "first_time_callers"];
const MAX_BY = 2;

export const shownDays = ({ days, only }: View): Days => only ?? days;
export const shownGrain = ({ days, grain }: View): Grain => grain ?? grainOf(days);

/** Returns the days of a preset, as far as the file has them; undefined if it has none. */
export function presetDays(facts: PageFacts, last: string): Days | undefined {
  return cutDays(facts, last === "all" ? facts : parseLast(last, todayOf(facts)));
}

/** Cuts days to those of the file. */
function cutDays({ from, to }: PageFacts, days: Days): Days | undefined {
  const cut = { from: days.from > from ? days.from : from, to: days.to < to ? days.to : to };
  return cut.from <= cut.to ? cut : undefined;
}

/** Moves one end of days to a day; the other end moves along if it would be on the wrong side. */
export function endDaysAt(days: Days, end: keyof Days, day: string): Days {
  const moved = { ...days, [end]: day };
  return moved.from <= moved.to ? moved : { from: day, to: day };
}

export function defaultView(facts: PageFacts, figures: readonly string[]): View {
  const [by = "channel"] = facts.dimensions;
  return {
    days: presetDays(facts, "4w") ?? { from: facts.from, to: facts.to },
    only: undefined,
    compare: "previous",
    grain: undefined,
    by: [by],
    filter: {},
    figures: DEFAULT_FIGURES.filter((name) => figures.includes(name)),
    chart: "calls",
    listed: "calls",
    sort: undefined,
  };
}

/** Returns the text after `#`: what differs from the default. */
export function toHash(view: View, standard: View): string {
  const parts = new URLSearchParams();
  const add = (name: string, text: string, usual: string) => {
    if (text !== usual) parts.append(name, text);
  };
  const daysText = (days: Days | undefined) => (days ? `${days.from}..${days.to}` : "");
  const sortText = ({ sort }: View) => (sort ? `${sort.isDescending ? "-" : ""}${sort.column}` : "");
  add("days", daysText(view.days), daysText(standard.days));
  add("only", daysText(view.only), "");
  add("compare", view.compare ?? "none", standard.compare ?? "none");
  add("grain", view.grain ?? "", "");
  add("by", view.by.join(), standard.by.join());
  add("figures", view.figures.join(), standard.figures.join());
  add("chart", view.chart, standard.chart);
  add("listed", view.listed, standard.listed);
  add("sort", sortText(view), "");
  for (const [name, texts] of entriesOf(view.filter))
    for (const text of texts) parts.append(`is_${name}`, text);
  return parts.toString();
}

/** Inverse of {@link toHash}; ignores what this file does not have. */
export function fromHash(
  hash: string,
  {
    facts,
    figures,
    charts,
    standard,
  }: { facts: PageFacts; figures: readonly string[]; charts: readonly string[]; standard: View },
): View {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const list = <T extends string>(name: string, allowed: readonly T[]): T[] | undefined => {
    const texts = parts.get(name)?.split(",");
    return texts && [...new Set(texts)].flatMap((text) => allowed.find((each) => each === text) ?? []);
  };
  const daysIn = (name: string) => {
    const days = parseDays(parts.get(name));
    return days && cutDays(facts, days);
  };
  const days = daysIn("days") ?? standard.days;
  const only = daysIn("only");
  const by = list("by", facts.dimensions)?.slice(0, MAX_BY) ?? [];
  const chosen = list("figures", figures) ?? [];
  const filter = Object.fromEntries(
    DIMENSIONS.filter((name) => facts.dimensions.includes(name)).flatMap((name) => {
      const texts = parts.getAll(`is_${name}`);
      return texts.length > 0 ? [[name, texts]] : [];
    }),
  );
  const compare = parts.get("compare");
  const [, sign = "", column] = /^(-?)(\w+)$/.exec(parts.get("sort") ?? "") ?? [];
  return {
    days,
    only: only && only.from >= days.from && only.to <= days.to ? only : undefined,
    compare: compare === "year" ? "year" : compare === "none" ? undefined : standard.compare,
    grain: GRAINS.find((grain) => grain === parts.get("grain")),
    by: by.length > 0 ? by : standard.by,
    filter,
    figures: chosen.length > 0 ? FIGURES.filter((name) => chosen.includes(name)) : standard.figures,
    chart: charts.find((name) => name === parts.get("chart")) ?? standard.chart,
    listed: LISTED_FIGURES.find((name) => name === parts.get("listed")) ?? standard.listed,
    sort: column === undefined ? undefined : { column, isDescending: sign === "-" },
  };
}

/** Returns the days of an address if the file does not have all of them. */
export function daysOutside(hash: string, { from, to }: Days): Days | undefined {
  const days = parseDays(new URLSearchParams(hash.replace(/^#/, "")).get("days"));
  return days && (days.from < from || days.to > to) ? days : undefined;
}

function parseDays(text: string | null): Days | undefined {
  const [, from, to] = /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/.exec(text ?? "") ?? [];
  if (from === undefined || to === undefined || from > to) return undefined;
  const isReal = [from, to].every((day) => attempt(() => parseDate(day)) !== undefined);
  return isReal ? { from, to } : undefined;
}
