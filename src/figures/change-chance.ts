import { beforeName, type ComparisonName, changeName } from "../base/calendar/grain.ts";
import { isShareWithinChance, isWithinChance } from "../base/chance.ts";
import type { FactValue } from "./dictionary.ts";
import { CALL_METRICS } from "./metrics.ts";

/** Figures that count calls: they come at random, so a test fits their changes. */
const COUNTS: ReadonlySet<string> = new Set(
  CALL_METRICS.flatMap(({ name, aggregate }) => (aggregate.kind === "count" ? [name] : [])),
);
/** The figure that each rate divides by. */
const WHOLES: ReadonlyMap<string, string> = new Map(
  CALL_METRICS.flatMap(({ name, aggregate }) => (aggregate.kind === "share" ? [[name, aggregate.per]] : [])),
);

/** Returns a rate among figures whose divisor is not among them: its changes cannot be judged. */
export function findUnjudged(figures: readonly string[]): { rate: string; whole: string } | undefined {
  for (const [rate, whole] of WHOLES)
    if (figures.includes(rate) && !figures.includes(whole)) return { rate, whole };
  return undefined;
}

/** Explains the words “within chance” next to changes. */
export const CHANCE_MEANING =
  "“Within chance” marks changes that need no other reason: even if nothing had changed, more than one comparison in twenty would show one as large.";

/** Whether {@link isChangeWithinChance} can judge changes of a figure. */
export function hasChance(figure: string): boolean {
  return COUNTS.has(figure) || WHOLES.has(figure);
}

/** The days that figures are compared with. */
export interface ComparedDays {
  /** @default previous */
  as?: ComparisonName;
  /** How many times as long they are. */
  times: number;
  /** Whether the copy has them. */
  isCovered: boolean;
  /** Whether the days themselves are not synced yet. @default false */
  isUnreached?: boolean;
}

/**
 * Returns whether chance alone may explain a figure's change in a row; null for a figure that no test fits, if there is
 * nothing to compare with or no change to be seen, and if the change of a figure that was not 0 is withheld, as of
 * first-time callers.
 * @param read the values of the row by column; for a rate also the figure it divides by
 */
export function isChangeWithinChance(
  figure: string,
  read: (column: string) => FactValue | undefined,
  { as, times, isCovered, isUnreached }: ComparedDays,
): boolean | null {
  if (!isCovered || isUnreached || !hasChance(figure)) return null;
  const [now, before] = [read(figure), read(beforeName(figure, as))];
  if (typeof now !== "number" || typeof before !== "number") return null;
  const change = read(changeName(figure, as));
  if (now === before || change === 0 || (before !== 0 && typeof change !== "number")) return null;
  if (COUNTS.has(figure)) return isWithinChance(now, before, times);
  const whole = WHOLES.get(figure);
  const [calls, callsBefore] = [read(`${whole}`), read(beforeName(`${whole}`, as))];
  if (typeof calls !== "number" || typeof callsBefore !== "number") return null;
  return isShareWithinChance(
    { part: Math.round(now * calls), whole: calls },
    { part: Math.round(before * callsBefore), whole: callsBefore },
  );
}
