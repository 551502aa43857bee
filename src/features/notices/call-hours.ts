import type { WatchedDimension } from "./notice-table.ts";

/** What is watched of a call. */
export interface CallKeys {
  tracking_number: string | null;
  source: string | null;
  /** JSON object of name and id; null for neither. */
  campaign: string | null;
}

export interface WatchedKey {
  dimension: WatchedDimension;
  /** Empty for all calls. */
  key: string;
}

/** Returns a key, which is empty for all calls; null for none. */
export const keyOf = (keys: CallKeys, dimension: WatchedDimension) =>
  dimension === "all" ? "" : keys[dimension];

/** The calls of a UTC day by their keys and hour. */
export interface DayOfCalls {
  /** Since 1970. */
  day: number;
  keys: readonly CallKeys[];
  /** Pairs: the index of the keys times 24 plus the hour, and the number of calls. */
  cells: Uint32Array;
}

const HOURS = 24;

/** Days in a row; equal keys are the same object, in each day once. */
interface CountedDays {
  /** By tracking number alone. */
  numbers: readonly DayOfCalls[];
  /** By source and campaign alone. */
  visits: readonly DayOfCalls[];
  /** By all of them: as many as there are calls, if they have much in common. */
  readCalls: () => readonly DayOfCalls[];
}

/** Calls of some days by hour. Hours are counted since 1970. */
export class CallHours {
  readonly #days: CountedDays;
  readonly #firstHour: number;
  readonly #length: number;
  readonly #groups = new Map<string, Map<string, HourCounts>>();
  #calls: readonly DayOfCalls[] | undefined;

  constructor(days: CountedDays) {
    const [first = 0, last = 0] = [days.numbers[0]?.day, days.numbers.at(-1)?.day];
    this.#days = days;
    this.#firstHour = first * HOURS;
    this.#length = (last + 1 - first) * HOURS;
  }

  /** Counts the calls with some keys. */
  count(isIn: (keys: CallKeys) => boolean): HourCounts {
    this.#calls ??= this.#days.readCalls();
    return this.#only(this.#calls, isIn);
  }

  /** Counts the calls of a key. */
  countKey({ dimension, key }: WatchedKey): HourCounts {
    return this.#only(this.#daysOf(dimension), (keys) => keyOf(keys, dimension) === key);
  }

  /** Counts the calls of each key; those with fewer calls than `atLeast` are left out. */
  group(dimension: WatchedDimension, atLeast: number): Map<string, HourCounts> {
    const name = `${dimension} ${atLeast}`;
    const groups =
      this.#groups.get(name) ?? this.#sum(this.#daysOf(dimension), (keys) => keyOf(keys, dimension), atLeast);
    this.#groups.set(name, groups);
    return groups;
  }

  /** Returns the day, since 1970, of the first call of each key. */
  firstDays(dimension: WatchedDimension): Map<string, number> {
    const first = new Map<string, number>();
    for (const { day, keys } of this.#daysOf(dimension))
      for (const each of keys) {
        const key = keyOf(each, dimension);
        if (key !== null && !first.has(key)) first.set(key, day);
      }
    return first;
  }

  #daysOf(dimension: WatchedDimension): readonly DayOfCalls[] {
    const { numbers, visits } = this.#days;
    return dimension === "source" || dimension === "campaign" ? visits : numbers;
  }

  #only(days: readonly DayOfCalls[], isIn: (keys: CallKeys) => boolean): HourCounts {
    return this.#sum(days, (keys) => (isIn(keys) ? "" : null), 1).get("") ?? new HourCounts(0, 0);
  }

  #sum(
    days: readonly DayOfCalls[],
    keyOf: (keys: CallKeys) => string | null,
    atLeast: number,
  ): Map<string, HourCounts> {
    const keys = new Map<string, number>();
    const totals: number[] = [];
    const codes = new Map<CallKeys, number>();
    const codeOf = (ofCall: CallKeys) => {
      const key = keyOf(ofCall);
      const code = key === null ? NONE : (keys.get(key) ?? keys.size);
      if (key !== null) keys.set(key, code);
      codes.set(ofCall, code);
      return code;
    };
    const coded = days.map((day) => ({
      ...day,
      codes: Int32Array.from(day.keys, (each) => codes.get(each) ?? codeOf(each)),
    }));
    for (const { cells, codes } of coded)
      for (let at = 0; at < cells.length; at += 2) {
        const code = codes[Math.floor((cells[at] ?? 0) / HOURS)] ?? NONE;
        if (code !== NONE) totals[code] = (totals[code] ?? 0) + (cells[at + 1] ?? 0);
      }
    const counts = totals.map((total) =>
      total < atLeast ? undefined : new HourCounts(this.#firstHour, this.#length),
    );
    for (const { day, cells, codes } of coded)
      for (let at = 0; at < cells.length; at += 2) {
        const cell = cells[at] ?? 0;
        const code = codes[Math.floor(cell / HOURS)] ?? NONE;
        if (code !== NONE) counts[code]?.add(day * HOURS + (cell % HOURS), cells[at + 1] ?? 0);
      }
    const sums = [...keys].flatMap(([key, code]) => {
      const ofKey = counts[code]?.sum();
      return ofKey === undefined ? [] : [[key, ofKey] as const];
    });
    return new Map(sums);
  }
}

const NONE = -1;

/** Calls by hour. */
export class HourCounts {
  readonly #firstHour: number;
  /** How many calls came before each hour. */
  readonly #before: Uint32Array;

  constructor(firstHour: number, length: number) {
    this.#firstHour = firstHour;
    this.#before = new Uint32Array(length + 1);
  }

  add(hour: number, calls: number): void {
    const index = hour - this.#firstHour + 1;
    this.#before[index] = (this.#before[index] ?? 0) + calls;
  }

  /** Makes sums of what was added. */
  sum(): this {
    const before = this.#before;
    for (let hour = 1; hour < before.length; hour++)
      before[hour] = (before[hour] ?? 0) + (before[hour - 1] ?? 0);
    return this;
  }

  /** Counts the calls from an hour up to, and without, another. */
  countIn(from: number, until: number): number {
    return from < until ? this.#countBefore(until) - this.#countBefore(from) : 0;
  }

  /** Returns the first hour with a call from an hour on; undefined if there is none. */
  firstFrom(from: number): number | undefined {
    const hour = this.#hourOfCall(this.#countBefore(from) + 1);
    return hour < this.#before.length - 1 ? hour + this.#firstHour : undefined;
  }

  /** Returns the last hour with a call before an hour; undefined if there is none. */
  lastBefore(until: number): number | undefined {
    const calls = this.#countBefore(until);
    return calls === 0 ? undefined : this.#hourOfCall(calls) + this.#firstHour;
  }

  #countBefore(hour: number): number {
    const index = Math.min(Math.max(hour - this.#firstHour, 0), this.#before.length - 1);
    return this.#before[index] ?? 0;
  }

  /** Returns the hour, from the first one on, in which the call with this number came. */
  #hourOfCall(number: number): number {
    let [low, high] = [0, this.#before.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#before[middle + 1] ?? number) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
