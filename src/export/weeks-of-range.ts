import { closedRange } from "../base/calendar/dates.ts";
import { type Period, periods } from "../base/calendar/periods.ts";
import { rollupColumns } from "../figures/rollup-query.ts";
import type { ExportJob, RollupOutlet } from "./job.ts";
import type { Timeframe } from "./timeframe.ts";

/** Of more weeks, few figures are of a report that is made each week. */
const MAX_WEEKS = 53;

/** Returns the weeks of a range without periods, the first and the last maybe cut; none if it has no two. */
function weeksOf({ range, grain, timezone }: Timeframe): Period[] {
  const closed = closedRange(range);
  if (grain !== undefined || closed === undefined) return [];
  const weeks = periods({ ...closed, grain: "week", zone: timezone });
  return weeks.length < 2 || weeks.length > MAX_WEEKS ? [] : weeks;
}

export const byWeek = (contents: string) => `${contents} by week`;

/** Has the figures of a rollup without periods compared by the weeks that its range and an earlier one both have. */
export async function watchWeeks(
  { remembered, timeframe, session }: Pick<ExportJob, "remembered" | "timeframe" | "session">,
  { file, contents, query }: RollupOutlet,
): Promise<void> {
  const weeks = weeksOf(timeframe);
  if (!remembered?.isKept || weeks.length === 0) return;
  const asked = { ...query, periods: weeks, previous: undefined };
  const columns = rollupColumns(asked, session.rules);
  const { rows } = await session.rollup(asked);
  const watched = remembered.watch({ file, contents: byWeek(contents), query: asked, columns, weeks }, rows);
  while (watched.next().done === false);
}
