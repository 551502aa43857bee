import type { Call } from "../../../src/calls/columns.ts";
import { type FoldFilter, type FoldQuery, foldRollup, METRICS } from "../figures/fold.ts";
import type { SceneAccount } from "./accounts.ts";
import { addDays, onTheWall, periodsOf, startOf } from "./clock.ts";

/** What is asked for, in the words of a request. */
export interface Asked {
  by: readonly string[];
  range?: { from: string; to: string } | undefined;
  grain?: "day" | "week" | "month" | "quarter";
  compare?: "previous" | "year";
  filter?: FoldFilter & { include_gone?: true; outcome?: readonly string[] };
  top?: number;
  fill?: true;
  total?: true;
  raw?: true;
  spend?: true;
  outcomes?: true;
  revenue_by?: "call" | "job-date";
  /** Replaces the account's zone. */
  timezone?: string;
}

/** What figures are computed from. */
export type OracleAccount = Pick<SceneAccount, "timezone" | "rules" | "calls" | "gone" | "spend" | "jobs">;

export type OracleRow = Record<string, string | number | null>;

const SPEND = [
  "cost",
  "clicks",
  "impressions",
  "cost_per_call",
  "cost_per_qualified_call",
  "cost_per_first_time_caller",
];
const OUTCOMES = [
  "booked_calls",
  "sold_calls",
  "revenue",
  "revenue_per_call",
  "return_on_ad_spend",
  "cost_per_booked_call",
];
const TIMES = ["first_call_at", "last_call_at"];
const YOUNG = ["first_time_callers", "cost_per_first_time_caller"];
const DAY_MS = 86_400_000;
const WITH_ID = ["campaign", "org_unit"];

/** How far the job of a call came. */
function stageOf({ jobs }: OracleAccount, { call_id }: Call): string {
  const own = jobs.filter((job) => job.call_id === call_id).map(({ stage }) => stage);
  return ["sold", "booked", "lost"].find((stage) => own.some((each) => each === stage)) ?? "none";
}

/** Computes the figures that each surface must show for what is asked: rows by name, in order, the total last. */
export function figuresOf(account: OracleAccount, asked: Asked): OracleRow[] {
  const { rules, calls, gone, spend, jobs } = account;
  const { by, range, grain, compare, filter: given = {}, total, revenue_by: revenueBy = "call" } = asked;
  const zone = asked.timezone ?? account.timezone;
  const { include_gone, outcome, ...filter } = given;
  const live = calls.filter(({ call_id }) => !gone.has(call_id));
  const counted = include_gone ? calls : live;
  const isMeant = (call: Call) => outcome === undefined || outcome.includes(stageOf(account, call));
  const spanOf = (days: { from: string; to: string }) => ({
    startsAt: startOf(days.from, zone),
    endsAt: startOf(addDays(days.to, 1), zone),
  });
  const before = range && compare && beforeOf(range, compare, grain);
  const days = calls.flatMap(({ call_id, call_started }) =>
    call_started === null || gone.has(call_id) ? [] : [onTheWall(call_started, zone).day],
  );
  const extent = { from: days.toSorted()[0] ?? "", to: days.toSorted().at(-1) ?? "" };
  const periods = grain && periodsOf(range ?? extent, grain, zone);
  const earlier = before && grain && periodsOf(before, grain, zone);
  const query: FoldQuery = {
    dimensions: by,
    rules,
    zone,
    filter,
    live,
    isMeant,
    firstStart: calls.flatMap(({ call_started }) => call_started ?? []).sort()[0],
    ...(asked.raw && { raw: true }),
    ...(range && { span: spanOf(range) }),
    ...(asked.top !== undefined && { top: asked.top }),
    ...(periods && { periods, fill: asked.fill ?? false }),
    ...(before && {
      previous: {
        span: spanOf(before),
        periods: (earlier ?? []).slice(0, periods?.length).map(({ startsAt }, place) => ({
          startsAt,
          period: periods?.[place]?.period ?? "",
        })),
      },
    }),
    ...(asked.spend && {
      spend: { rows: spend.map((row) => ({ ...row, startsAt: startOf(row.day, zone) })), calls },
    }),
    ...(asked.outcomes && {
      outcomes: { by: revenueBy, jobs: jobs.map((job) => ({ ...job, startsAt: startOf(job.day, zone) })) },
    }),
  };
  const endings = compare === "year" ? ["year_ago", "year_change"] : ["previous", "change"];
  const toRows = (own: FoldQuery) => foldRollup(counted, own);
  const keys = by.flatMap((name) => (WITH_ID.includes(name) ? [name, `${name}_id`] : [name]));
  const names = [
    ...METRICS,
    ...(asked.spend ? SPEND : []),
    ...(asked.outcomes ? OUTCOMES : []).filter(
      (name) =>
        (name !== "revenue_per_call" || revenueBy === "call") &&
        (!["return_on_ad_spend", "cost_per_booked_call"].includes(name) || asked.spend),
    ),
  ].flatMap((name) =>
    compare && !TIMES.includes(name) ? [name, ...endings.map((ending) => `${name}_${ending}`)] : [name],
  );
  const named = (columns: readonly string[], row: readonly (string | number | null)[]): OracleRow =>
    Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null]));
  // Who called for the first time is unknown in days with less than 90 days of calls before them.
  const isYoung =
    before && Date.parse(spanOf(before).startsAt) - Date.parse(String(query.firstStart)) < 90 * DAY_MS;
  // Costs of days that lack more days of spend than the others are unknown, too.
  const missingIn = ({ from, to }: { from: string; to: string }) =>
    (Date.parse(to) - Date.parse(from)) / DAY_MS +
    1 -
    new Set(spend.map(({ day }) => day).filter((day) => from <= day && day <= to)).size;
  const isUnequal = range && before && missingIn(range) !== missingIn(before);
  const unknown = [...(isYoung ? YOUNG : []), ...(isUnequal ? SPEND : [])].flatMap((name) =>
    endings.map((ending) => `${name}_${ending}`),
  );
  const known = (row: OracleRow): OracleRow => ({
    ...row,
    ...Object.fromEntries(unknown.filter((name) => name in row).map((name) => [name, null])),
  });
  const rows = toRows(query).map((row) =>
    known(named([...(periods ? ["period"] : []), ...keys, ...names], row)),
  );
  if (!total) return rows;
  const { periods: _, top: __, fill: ___, previous, ...whole } = query;
  const wholeQuery = {
    ...whole,
    dimensions: [],
    totalOf: by,
    ...(previous && { previous: { ...previous, periods: [] } }),
  };
  const totalOf = (label: string, isWithSpend: boolean): OracleRow => {
    const lead = periods ? ["period", ...keys] : keys;
    const [row = []] = toRows({ ...wholeQuery, isWithSpend });
    return known({ ...named(lead, []), [String(lead[0])]: label, ...named(names, row) });
  };
  return [...rows, totalOf("(total)", false), ...(asked.spend ? [totalOf("(with spend)", true)] : [])];
}

/** The days before: as many, or the same dates a year earlier. */
function beforeOf(
  { from, to }: { from: string; to: string },
  compare: "previous" | "year",
  grain: Asked["grain"],
) {
  // Weeks are compared with those 52 weeks before.
  if (compare === "year" && grain === "week") return { from: addDays(from, -364), to: addDays(to, -364) };
  if (compare === "year") {
    const yearBefore = (day: string) => `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
    return { from: yearBefore(from), to: yearBefore(to) };
  }
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return { from: addDays(from, -days), to: addDays(from, -1) };
}
