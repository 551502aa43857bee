import { type CallHours, type CallKeys, type HourCounts, keyOf, type WatchedKey } from "./call-hours.ts";
import {
  type End,
  type Finding,
  KeyCalls,
  MIN_CALLS_A_WEEK,
  MIN_WEEKS,
  type PastNotice,
  TESTS,
} from "./key-calls.ts";
import { DAY_HOURS, lastDays, WEEK_HOURS, WEEK_MS, WEEKS } from "./local-days.ts";
import { WATCHED } from "./notice-table.ts";

/** The judged week, those before, and one more that shows whether a key had calls before them. */
export const HORIZON_MS = (WEEKS + 2) * WEEK_MS;
/** The chance of a false notice, of all examined keys together, in one judgement of an hour. */
const FALSE_CHANCE = 2e-5;
/** A key is off more than all other calls are, but for this chance; with more, the others are off as well. */
const SHARED_CHANCE = 0.01;

interface JudgeOptions<Past> {
  /** Later calls are not judged. */
  untilHour: number;
  /** IANA zone of weekdays and hours. */
  zone: string;
  past: readonly Past[];
  /** Local days with spend of each campaign, since 1970; no other campaign is watched. */
  spent?: ReadonlyMap<string, ReadonlySet<number>>;
}

/**
 * Finds keys that have gone silent or far off, and notices that are over.
 * @param calls those since {@link HORIZON_MS} before
 */
export function judgeCalls<Past extends PastNotice>(
  calls: CallHours,
  { untilHour, zone, past, spent = new Map() }: JudgeOptions<Past>,
) {
  const { days, dayHour, weekHour } = lastDays(untilHour, zone);
  const watch = (key: WatchedKey, counts: HourCounts) => {
    const ofKey = past.filter((notice) => notice.dimension === "all" || isSame(notice, key));
    const isDay = key.dimension === "campaign" ? isWholeDay(spent.get(key.key)) : () => true;
    return new KeyCalls(counts, { days, untilHour, weekHour, past: ofKey, isDay });
  };
  const open: (WatchedKey & Pick<Finding, "kind">)[] = [];
  const ended: (End & { notice: Past })[] = [];
  for (const notice of past.filter(({ endedHour }) => endedHour === undefined)) {
    const end = watch(notice, calls.countKey(notice)).endOf(notice);
    if (end === undefined) open.push(notice);
    else ended.push({ notice, ...end });
  }
  /** Whether neither another notice nor a new key explains a finding, nor that all other calls are off as well. */
  const isNews = (key: WatchedKey, finding: Finding, level: number): boolean => {
    const { kind, sinceHour } = finding;
    // Open ones of the same direction, others of this time, and those whose new level is usual since.
    const noticed = past.filter(
      ({ endedHour = untilHour, reason, ...notice }) =>
        !open.some((other) => isSame(notice, other)) &&
        (endedHour > sinceHour || kind === "many" || reason === "nothing to compare with"),
    );
    const alike = open.filter((notice) => (notice.kind === "many") === (kind === "many"));
    const apart = [...alike, ...noticed].filter((notice) => !isSame(notice, key));
    const isNew = kind === "many" ? newKeys(calls, weekHour) : () => false;
    const isLeft = (keys: CallKeys) => !isNew(keys) && !apart.some((notice) => has(keys, notice));
    const view = watch(
      key,
      calls.count((keys) => isLeft(keys) && has(keys, key)),
    ).look(sinceHour);
    if (view.kind !== kind || view.chanceOf(TESTS[kind]) >= level) return false;
    if (key.dimension === "all") return true;
    const others = calls.count((keys) => isLeft(keys) && !has(keys, key));
    // A source that all calls have is off because all calls are.
    if (others.firstFrom(0) === undefined) return key.dimension === "tracking_number";
    const rest = watch({ dimension: "all", key: "" }, others).look(sinceHour);
    return TESTS[kind](view.calls, rest.calls, rest.expected / view.expected) < SHARED_CHANCE;
  };
  const examined = WATCHED.flatMap((dimension) =>
    [...calls.group(dimension, MIN_WEEKS * MIN_CALLS_A_WEEK)]
      .map(([key, counts]) => ({ dimension, key, watched: watch({ dimension, key }, counts) }))
      .filter(({ watched }) => watched.isExamined()),
  );
  const level = FALSE_CHANCE / examined.length;
  const started: (WatchedKey & Finding)[] = [];
  for (const { watched, ...key } of examined) {
    if (past.some((notice) => notice.endedHour === undefined && isSame(notice, key))) continue;
    const news = watched.find(level, [dayHour, weekHour], (finding) => isNews(key, finding, level));
    if (news === undefined) continue;
    started.push({ ...key, ...news });
    open.push({ ...key, kind: news.kind });
  }
  return { started, ended };
}

const isSame = (a: WatchedKey, b: WatchedKey) => a.dimension === b.dimension && a.key === b.key;
const has = (keys: CallKeys, { dimension, key }: WatchedKey) => keyOf(keys, dimension) === key;

/** On the first and last day of its spend, a campaign may have run for some hours only. */
function isWholeDay(spent: ReadonlySet<number> = new Set()): (day: number) => boolean {
  return (day) => [day - 1, day, day + 1].every((each) => spent.has(each));
}

/** Returns whether calls have a key that has no calls in the weeks before, which it has to have to be examined. */
function newKeys(calls: CallHours, weekHour: number): (keys: CallKeys) => boolean {
  const isNew = (["tracking_number", "source", "campaign"] as const).map((dimension) => {
    const first = calls.firstDays(dimension);
    const since = weekHour - MIN_WEEKS * WEEK_HOURS;
    return (keys: CallKeys) => (first.get(keys[dimension] ?? "") ?? 0) * DAY_HOURS > since;
  });
  return (keys) => isNew.some((each) => each(keys));
}
