import { formatAmount, formatCount } from "../../base/text/quantity-text.ts";
import type { Figure } from "../../export/blocks.ts";
import { NONE } from "../../export/letterhead/page-parts.ts";
import type { ComparedDays } from "../../figures/change-chance.ts";
import type { Figures } from "../../figures/sums.ts";
import { formatAnswerRate, formatChange, formatPoints, isMarked, type Stretch } from "./figure-text.ts";

/** What the figures of a headline are read from; undefined for what the days do not have. */
export interface HeadlineSource {
  calls: Figures;
  costs: Figures | undefined;
  outcomes: Figures | undefined;
  /** ISO 4217; null for outcomes without amounts. */
  currencies: { costs: string | null; outcomes: string | null };
  compared: ComparedDays | undefined;
}

interface Form {
  of: (figures: Figures, column: string, stretch: Stretch) => string | null;
  change: (figures: Figures, column: string) => string | null;
}

const numbered = (format: (number: number) => string): Form => ({
  of: (figures, column, stretch) => {
    const value = figures[`${column}${stretch}`];
    return typeof value === "number" ? format(value) : null;
  },
  change: formatChange,
});
const COUNT = numbered(formatCount);
const AMOUNT = numbered(formatAmount);
const RATE: Form = {
  of: (figures, _, stretch) => formatAnswerRate(figures, stretch),
  change: (figures) => formatPoints(figures),
};

interface Row {
  name: string;
  from: "calls" | "costs" | "outcomes";
  form: Form;
  /** Which calls it is of, in words, if not of all. */
  scope?: string;
  /** Whether it is left out where it is null. */
  isOptional?: boolean;
}

const WITH_SPEND = "campaigns with spend";

const ROWS = {
  calls: { name: "Calls", from: "calls", form: COUNT },
  answer_rate: { name: "Answer rate", from: "calls", form: RATE },
  qualified_calls: { name: "Qualified calls", from: "calls", form: COUNT },
  first_time_callers: { name: "First-time callers", from: "calls", form: COUNT },
  missed_calls: { name: "Missed calls", from: "calls", form: COUNT },
  missed_in_hours: { name: "Missed in opening hours", from: "calls", form: COUNT, isOptional: true },
  booked_calls: { name: "Booked calls", from: "outcomes", form: COUNT },
  revenue: { name: "Revenue", from: "outcomes", form: AMOUNT },
  cost: { name: "Cost", from: "costs", form: AMOUNT },
  cost_per_call: { name: "Cost per call", from: "costs", form: AMOUNT, scope: WITH_SPEND },
  cost_per_qualified_call: {
    name: "Cost per qualified call",
    from: "costs",
    form: AMOUNT,
    scope: WITH_SPEND,
  },
} as const satisfies Record<string, Row>;

export type HeadlineColumn = keyof typeof ROWS;

/** Returns the figures of a message, with their units and scopes. */
export function toMessageFigures(source: HeadlineSource, columns: readonly HeadlineColumn[]): Figure[] {
  return columns.flatMap((column) => {
    const { scope }: Row = ROWS[column];
    const currency = currencyOf(source, column);
    const inUnit = (text: string) => (currency === undefined ? text : `${text} ${currency}`);
    return readFigure(source, column).map(({ name, value, change, previous, within_chance }) => ({
      name: scope === undefined ? name : `${name} (${scope})`,
      value: value === NONE ? NONE : inUnit(value),
      change,
      previous: previous === null ? null : inUnit(previous),
      within_chance,
    }));
  });
}

/** Returns a figure of a page, whose name has the unit; none if the days do not have it. */
export function toPageFigure(source: HeadlineSource, column: HeadlineColumn): Figure[] {
  const currency = currencyOf(source, column);
  return readFigure(source, column).map(({ name, ...figure }) => ({
    name: currency === undefined ? name : `${name}, ${currency}`,
    ...figure,
  }));
}

/** Undefined for a figure that is no amount. */
function currencyOf({ currencies }: HeadlineSource, column: HeadlineColumn): string | null | undefined {
  const { form, from }: Row = ROWS[column];
  return form === AMOUNT && from !== "calls" ? currencies[from] : undefined;
}

function readFigure(source: HeadlineSource, column: HeadlineColumn): Figure[] {
  const { name, from, form, isOptional }: Row = ROWS[column];
  const figures = source[from];
  const { compared } = source;
  if (figures === undefined || (isOptional && figures[column] == null)) return [];
  if (from === "outcomes" && form === AMOUNT && source.currencies.outcomes === null) return [];
  const [value, previous] = [form.of(figures, column, ""), form.of(figures, column, "_previous")];
  const change = form.change(figures, column);
  const isCompared = value !== null && previous !== null && change !== null;
  const numberOf = (name: string) => {
    const number = figures[name];
    return typeof number === "number" ? number : null;
  };
  return [
    {
      name,
      value: value ?? NONE,
      change: isCompared ? change : null,
      previous: isCompared ? previous : null,
      within_chance: isCompared && compared !== undefined && isMarked(figures, column, compared),
      numbers: {
        value: numberOf(column),
        change: numberOf(`${column}_change`),
        previous: numberOf(`${column}_previous`),
      },
    },
  ];
}
