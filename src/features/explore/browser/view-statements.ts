import { toInstants } from "../../../base/calendar/dates.ts";
import type { Based } from "../../../export/statements/completeness.ts";
import { type Statement, statementsOf } from "../../../export/statements/statements.ts";
import { cardFigures, comparedOf, type Source, tableFigures } from "./answers.ts";
import { spanOf } from "./page-days.ts";
import { entriesOf, spendFilterOf } from "./page-filter.ts";
import { shownDays, type View } from "./view.ts";

/** Returns what the figures of the view are based on, as a manifest has it. */
export function basisOfView(source: Source, view: View): Based {
  const { timezone, warehouse } = source.facts;
  const { startsAt = "" } = toInstants(shownDays(view), timezone);
  const statements = statementsOfView(source, view);
  return { run: warehouse.run, statements, timezone, range: { starts_at: startsAt } };
}

/** Returns what a reader of the view must know, by the rules of all files. */
export function statementsOfView(source: Source, view: View): Statement[] {
  const { facts, calls } = source;
  const { timezone, historyFrom, settledUntil, warehouse, spend, outcomes } = facts;
  const days = shownDays(view);
  const { endsAt = "" } = toInstants(days, timezone);
  const compared = comparedOf(source, view);
  const spent = calls.spendDays(view.filter, spanOf(days));
  const costs = calls.costs(view.filter, spanOf(days));
  const others = entriesOf(view.filter).flatMap(([name]) =>
    name in spendFilterOf(view.filter) ? [] : [name],
  );
  const before = typeof compared === "object" ? calls.spendDays(view.filter, compared.span) : undefined;
  const hasHistory = historyFrom !== null && days.from >= historyFrom;
  return statementsOf(
    {
      warehouse,
      figures: [...cardFigures(facts).map(({ name }) => name), view.chart, ...tableFigures(view)],
      firstDay: facts.coveredFrom ?? undefined,
      range: {
        timezone,
        filter: {},
        rules: facts.rules,
        range: {
          ...days,
          ends_at: endsAt,
          ...((settledUntil === null || endsAt > settledUntil) && { provisional: true }),
          ...(!hasHistory && { short_history: true }),
        },
        ...(spend && {
          spend: {
            ...spend.described,
            cost: costs.cost,
            campaigns: { ...spend.described.campaigns, unmatched: costs.unmatched },
            rows: spent?.rows ?? 0,
            days: spent?.days ?? null,
            ...(others.length > 0 && { filters_of_calls_alone: others }),
            ...(before && before.days.count !== (spent?.days.count ?? 0) && ({ days_differ: true } as const)),
          },
        }),
        ...(outcomes && { outcomes: outcomes.described }),
        ...(typeof compared === "object" && {
          compared_with: [
            { as: "previous", ...compared.range, ...(!compared.hasHistory && { short_history: true }) },
          ],
        }),
      },
    },
    facts.minCell ?? undefined,
  );
}
