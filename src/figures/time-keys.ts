import type { LabelledPeriod } from "../base/calendar/periods.ts";
import type { Dictionary } from "./dictionary.ts";
import { HOURS, type LocalPart, WEEKDAYS } from "./dimensions.ts";
import type { Codes } from "./key-table.ts";
import type { ZoneOffset } from "./rollup-query.ts";

const DAY_SECONDS = 86_400;
/** Days from a Monday to 1970-01-01. */
const DAYS_SINCE_MONDAY = 3;

/** Codes of the periods in which calls started; a null value for those outside of all, or without a start. */
export function periodCodes(
  startsMs: Float64Array,
  periods: readonly LabelledPeriod[],
  dictionary: Dictionary,
): Codes {
  const labels = Int32Array.from(periods, ({ period }) => dictionary.codeOf(period));
  const none = dictionary.codeOf(null);
  const indexAt = stretchAt(periods);
  const endMs = Date.parse(periods.at(-1)?.endsAt ?? "");
  return mapToCodes(startsMs, (startMs) => (startMs >= endMs ? none : (labels[indexAt(startMs)] ?? none)));
}

/** Codes of the local weekdays or hours at which calls started; a null value for those without a start. */
export function localCodes(
  startsMs: Float64Array,
  { part, offsets }: { part: LocalPart; offsets: readonly ZoneOffset[] },
  dictionary: Dictionary,
): Codes {
  const names = part === "weekday" ? WEEKDAYS : HOURS;
  const codes = names.map((name) => dictionary.codeOf(name));
  const none = dictionary.codeOf(null);
  const indexAt = stretchAt(offsets);
  return mapToCodes(startsMs, (startMs) => {
    if (Number.isNaN(startMs)) return none;
    // The first offset also applies before its start.
    const offset = offsets[Math.max(0, indexAt(startMs))]?.offsetSeconds ?? 0;
    const seconds = Math.floor(startMs / 1000) + offset;
    const day = Math.floor(seconds / DAY_SECONDS);
    const index =
      part === "hour" ? Math.floor((seconds - day * DAY_SECONDS) / 3600) : modulo(day + DAYS_SINCE_MONDAY, 7);
    return codes[index] ?? none;
  });
}

const modulo = (dividend: number, divisor: number) => ((dividend % divisor) + divisor) % divisor;

function mapToCodes(startsMs: Float64Array, toCode: (startMs: number) => number): Codes {
  const codes = new Int32Array(startsMs.length);
  for (let row = 0; row < codes.length; row++) codes[row] = toCode(startsMs[row] ?? Number.NaN);
  return codes;
}

/** Returns a function to the index of the last stretch that has begun; -1 before the first, and for NaN. */
function stretchAt(stretches: readonly { startsAt: string }[]): (ms: number) => number {
  const begins = stretches.map(({ startsAt }) => Date.parse(startsAt));
  // Calls mostly come in the order of time.
  let last = -1;
  return (ms) => {
    if (ms >= (begins[last] ?? Number.NaN) && ms < (begins[last + 1] ?? Number.POSITIVE_INFINITY))
      return last;
    let [low, high] = [0, begins.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((begins[middle] ?? 0) <= ms) low = middle + 1;
      else high = middle;
    }
    last = low - 1;
    return last;
  };
}
