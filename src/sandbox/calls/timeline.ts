import { deriveSeed, seededRandom } from "../random.ts";

const HOUR_MS = 3_600_000;
const SPAN_HOURS = 90 * 24;

/** Calls by hour of the day, UTC: the business hours of the central United States. */
const HOUR_WEIGHTS = [
  3, 2, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 2, 4, 8, 12, 13, 12, 10, 10, 11, 11, 10, 8, 5,
];

/** Calls by day of the week, Sunday first. */
const DAY_WEIGHTS = [0.25, 1.3, 1.1, 1, 1, 0.9, 0.4];

/** Every so often two calls start in the same millisecond. */
const TIE_EVERY = 97;

/**
 * Spreads calls over the 90 days before `endMs`, mostly in business hours. Returns the start of the call at an index,
 * in milliseconds since 1970-01-01 UTC, which never falls as the index grows.
 */
export function createTimeline(seed: number, count: number, endMs: number): (index: number) => number {
  const beginMs = endMs - SPAN_HOURS * HOUR_MS;
  const elapsedWeights = new Float64Array(SPAN_HOURS + 1);
  for (let hour = 0; hour < SPAN_HOURS; hour++) {
    elapsedWeights[hour + 1] = (elapsedWeights[hour] ?? 0) + weightOf(beginMs + hour * HOUR_MS);
  }
  const totalWeight = elapsedWeights[SPAN_HOURS] ?? 0;

  return (index) => {
    const isLast = index === count - 1;
    const isTie = index % TIE_EVERY === TIE_EVERY - 1 && !isLast;
    const ownIndex = isTie ? index - 1 : index;
    const jitter = isLast ? 0 : seededRandom(deriveSeed(seed, ownIndex))();
    const weight = ((ownIndex + 1 - jitter) / count) * totalWeight;
    const hour = lastNotAbove(elapsedWeights, weight);
    const hourBegin = elapsedWeights[hour] ?? 0;
    const hourEnd = elapsedWeights[hour + 1] ?? totalWeight;
    const shareOfHour = hourEnd === hourBegin ? 0 : (weight - hourBegin) / (hourEnd - hourBegin);
    return Math.round(beginMs + (hour + shareOfHour) * HOUR_MS);
  };
}

function weightOf(atMs: number): number {
  const at = new Date(atMs);
  return (HOUR_WEIGHTS[at.getUTCHours()] ?? 0) * (DAY_WEIGHTS[at.getUTCDay()] ?? 0);
}

function lastNotAbove(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
