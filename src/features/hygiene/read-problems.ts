import { Temporal } from "temporal-polyfill";
import { startOfDay, toInstants } from "../../base/calendar/dates.ts";
import { localDate } from "../../base/calendar/local-time.ts";
import { recordOf } from "../../base/records.ts";
import { ALIAS_FIELDS } from "../../calls/attribution/attribution-rules.ts";
import type { RollupSession } from "../../sources/session.ts";
import type { VisitGroup } from "../../sources/sqlite/sqlite-visits-sql.ts";
import { findProblems, type Tags } from "./find-problems.ts";
import type { TagProblem } from "./tag-problem.ts";

export const RECENT_DAYS = 28;
const NEW_DAYS = 7;

export interface Until {
  /** The last day; undefined for today. */
  to?: string | undefined;
  timezone: string;
  nowMs: number;
}

/** Finds tags that are probably wrong in the days up to the last one, and since when. */
export async function readProblems(session: RollupSession, { to, timezone, nowMs }: Until) {
  const last = Temporal.PlainDate.from(to ?? localDate(new Date(nowMs).toISOString(), timezone));
  const startOf = (days: number) => startOfDay(last.subtract({ days: days - 1 }), timezone);
  const since = startOf(RECENT_DAYS);
  const span = { ...toInstants(to === undefined ? {} : { to }, timezone), startsAt: since };
  const first = await session.readFirstStart();
  const spend = session.hasSpend() ? await session.loadSpend(timezone) : undefined;
  const visits = session.visits(span).map(toVisits);
  const tags: Tags = {
    visits,
    spellings: session.spellings(span),
    costs: spend
      ?.campaigns(span)
      .map(({ match, ...cost }) => ({ ...cost, has_calls: match !== "unmatched" })),
    rules: session.rules,
    newSince: first !== null && first < since ? startOf(NEW_DAYS) : null,
  };
  // Earlier calls only say since when: those of other values need not be read.
  const ofPeriod = findProblems(tags);
  const valuesOf = (field: TagProblem["field"]) =>
    ofPeriod.flatMap((each) => (each.field === field ? [each.value] : []));
  const values = recordOf(ALIAS_FIELDS, valuesOf);
  const isAny = Object.values(values).some((ofField) => ofField.length > 0);
  const earlier = isAny ? session.earlierVisits({ before: since, ...values }) : [];
  const all = [...visits, ...earlier.map((each) => ({ ...toVisits(each), calls: 0 }))];
  const problems = findProblems({ ...tags, visits: all }).filter(
    ({ kind, calls }) => calls > 0 || kind === "spend_without_calls",
  );
  return { problems, spend: spend?.form };
}

const toVisits = ({ is_google_click, ...visits }: VisitGroup) => ({
  ...visits,
  is_google_click: is_google_click === 1,
});
