import { Temporal } from "temporal-polyfill";
import { type Span, startOfDay } from "../../calendar/dates.ts";
import { localDate } from "../../calendar/local-time.ts";
import type { TagProblem } from "../../export/tag-problem.ts";
import type { RollupSession } from "../../rollup/session.ts";
import type { VisitGroup } from "../../rollup/sqlite/sqlite-visits-sql.ts";
import { findProblems, type Tags } from "./find-problems.ts";

export const RECENT_DAYS = 28;
const NEW_DAYS = 7;

export interface Until {
  /** Of the last day. */
  endsAt?: Span["endsAt"];
  /** The last day; undefined for today. */
  to?: string | undefined;
  timezone: string;
  nowMs: number;
}

/** Finds tags that are probably wrong in the days up to the last one, and since when. */
export async function readProblems(session: RollupSession, { endsAt, to, timezone, nowMs }: Until) {
  const last = Temporal.PlainDate.from(to ?? localDate(new Date(nowMs).toISOString(), timezone));
  const startOf = (days: number) => startOfDay(last.subtract({ days: days - 1 }), timezone);
  const since = startOf(RECENT_DAYS);
  const span = { startsAt: since, ...(endsAt !== undefined && { endsAt }) };
  const first = await session.readFirstStart();
  const spend = await session.loadSpend(timezone);
  const isSpent = spend.days() !== undefined;
  const visits = session.visits(span).map(toVisits);
  const tags: Tags = {
    visits,
    spellings: session.spellings(span),
    costs: isSpent
      ? spend.campaigns(span).map(({ match, ...cost }) => ({ ...cost, has_calls: match !== "unmatched" }))
      : undefined,
    rules: session.rules,
    newSince: first !== null && first < since ? startOf(NEW_DAYS) : null,
  };
  // Earlier calls only say since when: those of other values need not be read.
  const found = findProblems(tags);
  const valuesOf = (field: TagProblem["field"]) =>
    found.flatMap((each) => (each.kind !== "merged" && each.field === field ? [each.value] : []));
  const values = { source: valuesOf("source"), medium: valuesOf("medium"), campaign: valuesOf("campaign") };
  const earlier = Object.values(values).flat().length === 0 ? [] : session.visits({ endsAt: since }, values);
  const all = [...visits, ...earlier.map((each) => ({ ...toVisits(each), calls: 0 }))];
  const problems = findProblems({ ...tags, visits: all }).filter(
    ({ kind, calls }) => calls > 0 || kind === "spend_without_calls",
  );
  return { problems, spend: isSpent ? spend.form : undefined };
}

const toVisits = ({ is_google_click, ...visits }: VisitGroup) => ({
  ...visits,
  is_google_click: is_google_click === 1,
});
