import { closedRange, countDays } from "../../base/calendar/dates.ts";
import { PERIOD_ON_PERIOD } from "../../base/calendar/grain.ts";
import { HISTORY_DAYS } from "../../base/calendar/history.ts";
import { localDate, localMinute } from "../../base/calendar/local-time.ts";
import { countOpenDays } from "../../base/calendar/opening-hours.ts";
import { longLabelOf } from "../../base/calendar/period-text.ts";
import { formatCount, formatDecimal, formatMoney, formatQuantity } from "../../base/text/quantity-text.ts";
import {
  COST_PER_CALL_FIGURES,
  FIRST_CALL_FIGURES,
  OUTCOME_FIGURES,
  RETURN_FIGURES,
  SPEND_FIGURES,
} from "../../figures/metrics.ts";
import { type Rule, rule } from "./rule.ts";

const FEW_DAYS = `fewer than ${HISTORY_DAYS} days of calls lie before`;

/** Reports of ad platforms may lack the day of the last sync, and the one before. */
const SPEND_IS_LATE_DAYS = 2;

/** Shares of working days that differ by less are as months have them. */
const ALIKE = 0.1;

const COSTS = [...SPEND_FIGURES, ...RETURN_FIGURES];

const earlier = (a: string, b: string) => (a < b ? a : b);
const later = (a: string, b: string) => (a < b ? b : a);

/** What the days and the filter of a file leave out, or make hard to compare. */
export const RANGE_RULES = {
  unfinished: rule({
    level: "caution",
    find: ({ warehouse, range }) => {
      const finishedAt = warehouse?.run?.finished_at;
      if (range === undefined || !finishedAt) return undefined;
      const { periods = [], timezone } = range;
      const last = periods.at(-1);
      const { ends_at } = last ?? range.range;
      if (ends_at === undefined || ends_at <= finishedAt) return undefined;
      return {
        period: last?.period ?? null,
        until: localMinute(finishedAt, timezone),
        compared_until: range.compared_with?.find(({ until }) => until !== undefined)?.until ?? null,
      };
    },
    say: ({ period, until, compared_until }) => {
      const days = period === null ? "These days end" : `The period ${longLabelOf(period)} ends`;
      const compared =
        compared_until === null
          ? ""
          : ` The days compared with end at that time of day, ${compared_until}, too.`;
      return `${days} after the last sync, ${until}: later calls are not here yet.${compared}`;
    },
  }),
  spend_days: rule({
    level: "caution",
    about: COSTS,
    find: ({ warehouse, range, firstDay }) => {
      const { days } = range?.spend ?? {};
      if (range === undefined || days == null) return undefined;
      const { finished_at } = warehouse?.run ?? {};
      const synced = finished_at ? localDate(finished_at, range.timezone) : days.last;
      const began = firstDay ?? days.first;
      const { from = began, to = synced } = range.range;
      const first = earlier(days.first, later(from, began));
      const of = countDays({ from: first, to: later(days.last, earlier(to, synced)) });
      const isLate = countDays({ from: days.last, to: synced }) <= SPEND_IS_LATE_DAYS + 1;
      const due = isLate ? countDays({ from: first, to: days.last }) : of;
      return days.count < due ? { days: days.count, of } : undefined;
    },
    say: ({ days, of }) =>
      `Costs are of ${formatCount(days)} of ${formatQuantity(of, "day")}: if ads ran on the others, too, costs per call are too low.`,
  }),
  previous_not_covered: rule({
    level: "caution",
    find: ({ range: { compared_with = [] } = {}, report: { comparedFrom } = {} }) => {
      const all = compared_with.find((each) => each.begins_before_first_call);
      const of = compared_with.length > 1 ? (all?.as ?? null) : null;
      if (all !== undefined) return { from: all.from ?? null, up_to: null, of };
      const some = compared_with.find((each) => each.lacking_up_to !== undefined);
      if (some !== undefined) return { from: null, up_to: some.lacking_up_to ?? null, of };
      return comparedFrom === undefined ? undefined : { from: comparedFrom, up_to: null, of };
    },
    say: ({ from, up_to, of }) =>
      up_to === null
        ? `The days compared with${of === null ? "" : ` by ${of}`} begin ${from === null ? "" : `on ${longLabelOf(from)}, `}before the first call in the copy: there are no ${of === null ? "previous figures" : "figures of them"} and no changes.`
        : `The periods up to ${longLabelOf(up_to)} are compared with days before the first call in the copy: they have no previous figures and no changes.`,
  }),
  unlike_days: rule({
    level: "caution",
    find: ({ range }) => {
      const now = closedRange(range?.range);
      if (range === undefined || now === undefined) return undefined;
      const hours = range.rules?.hours;
      const [days, open] = [countDays(now), countOpenDays(now, hours)];
      for (const { as, ...compared } of range.compared_with ?? []) {
        const before = closedRange(compared);
        // Of period on period, each pair has its own days.
        if (before === undefined || as === PERIOD_ON_PERIOD) continue;
        const [days_before, open_before] = [countDays(before), countOpenDays(before, hours)];
        if (Math.abs(open / days - open_before / days_before) <= ALIKE) continue;
        const are = hours ? "have opening hours" : "are Monday to Friday";
        return { open, days, open_before, days_before, are };
      }
      return undefined;
    },
    say: ({ open, days, open_before, days_before, are }) =>
      `${formatCount(open)} of these ${formatQuantity(days, "day")} ${are}, and ${formatCount(open_before)} of the ${formatQuantity(days_before, "day")} compared with.`,
  }),
  short_history: rule({
    level: "caution",
    about: [...FIRST_CALL_FIGURES],
    find: ({ range }) => {
      if (!range?.range.short_history) return undefined;
      const { periods = [] } = range;
      const short = periods.filter(({ short_history }) => short_history);
      return { up_to: short.length === periods.length ? null : (short.at(-1)?.period ?? null) };
    },
    say: ({ up_to }) =>
      `First-time callers of ${up_to === null ? "these days" : `the periods up to ${longLabelOf(up_to)}`} may be too many: ${FEW_DAYS} them.`,
  }),
  short_history_before: rule({
    level: "caution",
    about: [...FIRST_CALL_FIGURES],
    find: ({ range: { compared_with = [] } = {} }) => {
      const short = compared_with.find((each) => each.short_history);
      return short && { of: compared_with.length > 1 ? short.as : null };
    },
    say: ({ of }) =>
      `The change of first-time callers is not computed: ${FEW_DAYS} the days compared with${of === null ? "" : ` by ${of}`}.`,
  }),
  filters_of_calls_alone: rule({
    level: "caution",
    about: COSTS,
    find: ({ range: { spend } = {} }) => {
      const names = spend?.currency ? (spend.filters_of_calls_alone ?? []) : [];
      return names.length > 0 ? { filters: names.join(",") } : undefined;
    },
    say: ({ filters }) => {
      const names = filters.replace("_seconds", "").replaceAll("_", " ").replaceAll(",", " and ");
      return `Filters by ${names} apply to calls alone: costs are for all calls.`;
    },
  }),
  spend_days_differ: rule({
    level: "caution",
    about: COSTS,
    find: ({ range: { spend } = {} }) =>
      spend?.currency && spend.rows > 0 && spend.days_differ ? {} : undefined,
    say: () =>
      "Costs are not compared where the days before have more or fewer days with spend, or end within a day.",
  }),
  unmatched_spend: rule({
    level: "caution",
    about: COSTS,
    find: ({ range: { spend } = {} }) => {
      const { rows = 0, cost = 0 } = spend?.campaigns.unmatched ?? {};
      if (spend === undefined || rows === 0) return undefined;
      return { cost, of: spend.cost, currency: spend.currency };
    },
    say: ({ cost, of, currency }) =>
      `Spend of campaigns that no call has: ${formatMoney(cost, currency)} of ${formatMoney(of, currency)}.`,
  }),
  unmatched_jobs: rule({
    level: "caution",
    about: OUTCOME_FIGURES,
    find: ({ range: { outcomes } = {}, imported = outcomes }) =>
      imported && imported.matched < imported.jobs
        ? { jobs: imported.jobs, matched: imported.matched }
        : undefined,
    say: ({ jobs, matched }) =>
      `Of ${formatQuantity(jobs, "imported job")}, ${formatCount(matched)} (${formatDecimal(Math.floor((1000 * matched) / jobs) / 10, 1)}%) ${matched === 1 ? "has" : "have"} a call: figures leave out the others.`,
  }),
  no_amounts: rule({
    level: "caution",
    about: ["revenue", "revenue_per_call", "return_on_ad_spend"],
    find: ({ range: { outcomes } = {} }) =>
      outcomes !== undefined && outcomes.jobs > 0 && outcomes.currency === null ? {} : undefined,
    say: () => "No imported job has an amount: revenue is blank.",
  }),
  callers_without_calls: rule({
    level: "caution",
    find: ({ range: { filter } = {} }) =>
      filter?.excluded_callers_without_calls ? { numbers: filter.excluded_callers_without_calls } : undefined,
    say: ({ numbers }) =>
      `${formatQuantity(numbers, "number")} of the callers to leave out ${numbers === 1 ? "has" : "have"} never called.`,
  }),
  no_callers_excluded: rule({
    level: "caution",
    find: ({ range: { filter } = {} }) => (filter?.excluded_callers === 0 ? {} : undefined),
    say: () => "The file of callers to leave out has no numbers: all callers count.",
  }),
  provisional: rule({
    level: "caution",
    find: ({ range }) => (range?.range.provisional ? {} : undefined),
    say: () => "The latest days are provisional: late transcripts and corrections may still come.",
  }),
  untagged_calls: rule({
    level: "note",
    about: COST_PER_CALL_FIGURES,
    find: ({ range: { spend } = {} }) => (spend?.currency && spend.rows > 0 ? {} : undefined),
    say: () =>
      "The service lists only calls with DNI data. Calls from an ad's own call button are in no figure: costs per call are too high by them.",
  }),
  revenue_by_job: rule({
    level: "note",
    about: OUTCOME_FIGURES,
    find: ({ range: { outcomes } = {} }) => (outcomes?.revenue_by === "job-date" ? {} : undefined),
    say: () => "Booked and sold calls and revenue are counted by the date of their job, not of their call.",
  }),
  revenue_by_call: rule({
    level: "note",
    about: OUTCOME_FIGURES,
    find: ({ range: { outcomes } = {} }) =>
      outcomes?.revenue_by === "call" && outcomes.jobs > 0 ? {} : undefined,
    say: () =>
      "Booked and sold calls and revenue belong to the period of their call; later jobs still raise them.",
  }),
  no_outcomes: rule({
    level: "note",
    about: OUTCOME_FIGURES,
    find: ({ range: { outcomes } = {} }) => (outcomes?.jobs === 0 ? {} : undefined),
    say: () => "No jobs have been imported: calltally outcome import reads what calls earned.",
  }),
  no_spend: rule({
    level: "note",
    about: COSTS,
    find: ({ range: { spend } = {} }) => (spend?.currency === null ? {} : undefined),
    say: () => "No spend has been imported: calltally spend import reads the reports of ad platforms.",
  }),
  no_spend_of_days: rule({
    level: "note",
    about: COSTS,
    find: ({ range: { spend } = {} }) => (spend?.currency && spend.rows === 0 ? {} : undefined),
    say: () => "No spend was imported for these days and this filter.",
  }),
} satisfies Record<string, Rule>;
