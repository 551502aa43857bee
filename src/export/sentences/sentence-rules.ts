import { longLabelOf } from "../../base/calendar/period-text.ts";
import { isShareWithinChance, isWithinChance, WITHIN_CHANCE } from "../../base/chance.ts";
import { formatCount, formatMoney, formatQuantity, formatShare } from "../../base/text/quantity-text.ts";
import { has } from "../statements/statements.ts";
import type { MovedKey, SentenceFacts } from "./facts.ts";

/** Text, and names, which visitors may have chosen. */
export type Words = readonly (string | { name: string })[];
export type SentenceValues = Readonly<Record<string, string | number | null>>;

/** Defines one sentence: when it is said, and its words. */
export interface SentenceRule<V extends SentenceValues = SentenceValues> {
  /** Whether missing calls do not make it false. @default false */
  holdsInDoubt?: true;
  /** Returns the values, if there is something to say. */
  find(facts: SentenceFacts): V | undefined;
  say(values: V): Words;
}

function rule<V extends SentenceValues>(defined: SentenceRule<V>): SentenceRule<V> {
  return defined;
}

/** Four figures of all calls are compared: calls, missed, qualified, and booked or sold ones. */
const LEVEL = WITHIN_CHANCE / 4;

/** In the order of importance. */
export const SENTENCE_RULES = {
  notice: rule({
    find: ({ notices }) => {
      const order = ["silent", "few", "many"];
      const [first] = notices.toSorted(
        (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || b.expected - a.expected,
      );
      return first && { ...first, others: notices.length - 1 };
    },
    say: ({ kind, dimension, name, since, expected, others }) => [
      { silent: "No call", few: "Far fewer calls than usual", many: "Far more calls than usual" }[kind],
      ...ofKey(dimension, name),
      ` since ${since}${kind === "silent" ? `; ${expected} were expected until it was noticed` : ""}`,
      others === 0 ? "." : `. ${formatQuantity(others, "other notice")} ${others === 1 ? "is" : "are"} open.`,
    ],
  }),
  calls: rule({
    find: ({ total, compared }) => {
      const [calls, before] = [total.calls, total.calls_previous];
      if (compared === undefined || typeof calls !== "number" || typeof before !== "number") return undefined;
      if (!hasChanged(calls, before, compared.times)) return undefined;
      return { calls, before, than: compared.before };
    },
    say: ({ calls, before, than }) => [
      `${formatQuantity(calls, "call")} came in, ${difference(calls, before)} ${than}.`,
    ],
  }),
  missed: rule({
    find: (facts) =>
      typeof facts.total.calls_in_hours === "number"
        ? findShare(facts, "missed_in_hours", "calls_in_hours")
        : findShare(facts, "missed_calls"),
    say: (values) => sayShare("missed", values),
  }),
  spend_without_calls: rule({
    find: ({ spend, statements }) => {
      if (spend === undefined || has(statements, "filters_of_calls_alone")) return undefined;
      const level = WITHIN_CHANCE / Math.max(1, spend.campaigns);
      // Had it brought calls at the cost of all campaigns, none would be a rare chance.
      const [first, ...others] = spend.silent.filter(
        ({ cost }) =>
          cost > 0 && !isWithinChance(0, spend.calls, Math.max(0, spend.cost - cost) / cost, level),
      );
      if (first === undefined) return undefined;
      const { name, cost, isKnown } = first;
      return { name, cost, currency: spend.currency, is_known: Number(isKnown), others: others.length };
    },
    say: ({ name, cost, currency, is_known, others }) => [
      "Campaign ",
      { name },
      ` cost ${formatMoney(cost, currency)}${is_known ? " and brought no call" : ", and no call has ever had its name or id"}`,
      others === 0 ? "." : `; ${formatQuantity(others, "more campaign")} spent without a call.`,
    ],
  }),
  fewer_calls: moved("down", "fell"),
  restated: rule({
    holdsInDoubt: true,
    find: ({ restatements }) => {
      if (restatements.length === 0) return undefined;
      const counts = restatements.flatMap(({ was, now, ...each }) =>
        Number.isInteger(was) && Number.isInteger(now)
          ? [{ ...each, was: Number(was), now: Number(now) }]
          : [],
      );
      const isCalls = ({ metric }: { metric: string }) => Number(metric === "calls");
      const [largest] = counts.toSorted(
        (a, b) => isCalls(b) - isCalls(a) || Math.abs(b.now - b.was) - Math.abs(a.now - a.was),
      );
      const key = Object.values(largest?.key ?? {}).filter((value) => value !== null);
      return {
        figures: restatements.length,
        metric: largest?.metric ?? null,
        name: key.length === 0 ? null : key.join(" / "),
        period: largest?.period ?? null,
        was: largest?.was ?? null,
        now: largest?.now ?? null,
      };
    },
    say: ({ figures, metric, name, period, was, now }) => [
      `${formatQuantity(figures, "figure")} of earlier reports changed`,
      ...(metric === null || was === null || now === null
        ? []
        : [
            `${figures === 1 ? ":" : ", such as"} ${metric.replaceAll("_", " ")}`,
            ...(name === null ? [] : [" of ", { name }]),
            ...(period ? [`${name === null ? " of" : ","} ${longLabelOf(period)}`] : []),
            `, from ${formatCount(was)} to ${formatCount(now)}`,
          ]),
      ".",
    ],
  }),
  outcomes: rule({
    find: ({ outcomes, compared }) => {
      if (outcomes === undefined || compared === undefined) return undefined;
      const { total, currency, by } = outcomes;
      const what = currency === null ? "booked" : "sold";
      const [calls, before] = [total[`${what}_calls`], total[`${what}_calls_previous`]];
      // Without earlier jobs, none may have been imported.
      if (typeof calls !== "number" || typeof before !== "number" || before === 0) return undefined;
      // Jobs of the latest calls are still to come.
      if (calls < before && by === "call") return undefined;
      if (!hasChanged(calls, before, compared.times)) return undefined;
      const [revenue = null, earlier = null] = [total.revenue, total.revenue_previous].map(Number);
      return { what, calls, before, than: compared.before, currency, revenue, earlier };
    },
    say: ({ what, calls, before, than, currency, revenue, earlier }) => [
      `By the jobs imported so far, ${formatQuantity(calls, "call")} ${calls === 1 ? "was" : "were"} ${what}, ${difference(calls, before)} ${than}`,
      currency === null
        ? "."
        : `; revenue was ${formatMoney(revenue ?? 0, currency)}, after ${formatMoney(earlier ?? 0, currency)}.`,
    ],
  }),
  more_calls: moved("up", "rose"),
  qualified: rule({
    find: (facts) => findShare(facts, "qualified_calls"),
    say: (values) => sayShare("qualified", values),
  }),
} satisfies Record<string, SentenceRule>;

/** Finds a share of calls that changed, not a count that follows from more or fewer calls. */
function findShare(
  { total, compared }: SentenceFacts,
  figure: "missed_calls" | "missed_in_hours" | "qualified_calls",
  per: "calls" | "calls_in_hours" = "calls",
) {
  const [part, whole] = [total[figure], total[per]];
  const [before, whole_before] = [total[`${figure}_previous`], total[`${per}_previous`]];
  if (compared === undefined || typeof part !== "number" || typeof before !== "number") return undefined;
  if (!isPositive(whole) || !isPositive(whole_before)) return undefined;
  if (isShareWithinChance({ part, whole }, { part: before, whole: whole_before }, LEVEL)) return undefined;
  return { part, whole, before, whole_before, per, than: compared.before };
}

type FoundShare = NonNullable<ReturnType<typeof findShare>>;

function sayShare(verb: string, { part, whole, before, whole_before, per, than }: FoundShare): Words {
  const calls = `${formatQuantity(whole, "call")}${per === "calls" ? "" : " in opening hours"}`;
  return [
    `${formatCount(part)} of ${calls} ${whole === 1 ? "was" : "were"} ${verb} (${formatShare(part, whole)}), ${difference(part, before)} ${than} (${formatShare(before, whole_before)}).`,
  ];
}

const isPositive = (value: unknown): value is number => typeof value === "number" && value > 0;

/** Finds the key that moved most, of several the most specific; not one that has all calls. */
function moved(way: keyof SentenceFacts["movers"], verb: string) {
  return rule({
    find: (facts) => findMoved(facts, way),
    say: ({ dimension, name, calls, before }) => [
      "Calls",
      ...ofKey(dimension, name),
      ` ${verb} from ${formatCount(before)} to ${formatCount(calls)}.`,
    ],
  });
}

function findMoved({ movers, total, compared }: SentenceFacts, way: keyof SentenceFacts["movers"]) {
  if (compared === undefined) return undefined;
  const some = movers[way].filter(
    ({ calls, before }) =>
      (calls !== total.calls || before !== total.calls_previous) && isOneWay(calls, before, compared.times),
  );
  const change = ({ calls, before }: MovedKey) => calls - before;
  const [first] = some;
  const last = first && some.findLast((each) => change(each) === change(first));
  return last && { ...last };
}

function hasChanged(now: number, before: number, times: number): boolean {
  return isOneWay(now, before, times) && !isWithinChance(now, before, times, LEVEL);
}

/** Whether a count is higher, or lower, and so is its rate: a longer month has more calls at a lower rate. */
function isOneWay(now: number, before: number, times: number): boolean {
  return (now - before) * (now * times - before) > 0;
}

const PREPOSITIONS: Readonly<Record<string, string>> = {
  source: "from",
  campaign: "of campaign",
  channel: "of channel",
  topic: "about",
  tracking_number: "to",
};

/** Such as `from google`; nothing for all calls. */
function ofKey(dimension: string, name: string | null): Words {
  const preposition = PREPOSITIONS[dimension];
  if (preposition === undefined) return [];
  return name === null ? [` without a ${dimension}`] : [` ${preposition} `, { name }];
}

function difference(now: number, before: number): string {
  if (now === before) return "as many as";
  return `${formatCount(Math.abs(now - before))} ${now > before ? "more" : "fewer"} than`;
}
