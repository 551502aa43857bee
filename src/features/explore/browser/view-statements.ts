import { toInstants } from "../../../calendar/dates.ts";
import { type Statement, statementsOf } from "../../../statements/statements.ts";
import type { PageFacts } from "../page-facts.ts";
import { comparedOf } from "./answers.ts";
import { shownDays, type View } from "./view.ts";

/** Returns what a reader of the view must know, by the rules of all files. */
export function statementsOfView(facts: PageFacts, view: View): Statement[] {
  const { timezone, historyFrom, settledUntil, warehouse } = facts;
  const days = shownDays(view);
  const { endsAt = "" } = toInstants(days, timezone);
  const compared = comparedOf(facts, view);
  const hasHistory = historyFrom !== null && days.from >= historyFrom;
  return statementsOf({
    warehouse,
    range: {
      timezone,
      filter: {},
      range: {
        ends_at: endsAt,
        ...((settledUntil === null || endsAt > settledUntil) && { provisional: true }),
        ...(!hasHistory && { short_history: true }),
      },
      ...(typeof compared === "object" && {
        compared_with: compared.hasHistory ? {} : { short_history: true },
      }),
    },
  });
}
