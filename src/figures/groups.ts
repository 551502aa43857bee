import { type Calls, MARKS, NO_DURATION } from "./calls.ts";
import type { Codes } from "./key-table.ts";
import type { Part, Parts } from "./parts.ts";

/** Long work in steps: between two steps, other work runs, such as the handling of Ctrl-C. */
export type Steps<Result> = Generator<void, Result>;

/** Which group each call is in, from 0 to `size` - 1. */
export interface Grouping {
  of: Codes;
  size: number;
}

/** Computes the parts of each group, in a loop or two over the calls for each. */
export function* groups(calls: Calls, grouping: Grouping, parts: readonly Part[]): Steps<Parts> {
  const found: Parts = {};
  let sorted: Codes | undefined;
  const sort = () => {
    sorted ??= sortByGroup(calls, grouping);
    return sorted;
  };
  for (const part of parts) {
    found[part] = FOLDS[part](calls, grouping, sort);
    yield;
  }
  return found;
}

type Fold = (calls: Calls, grouping: Grouping, sort: () => Codes) => Float64Array;

const whereMarked =
  (mark: number): Fold =>
  ({ rows, marks }, grouping) =>
    countWhere(rows, grouping, (row) => ((marks[row] ?? 0) & mark) !== 0);

const FOLDS: Record<Part, Fold> = {
  calls: ({ rows }, grouping) => countWhere(rows, grouping, () => true),
  answered_calls: whereMarked(MARKS.answered),
  missed_calls: whereMarked(MARKS.missed),
  other_calls: whereMarked(MARKS.other),
  qualified_calls: whereMarked(MARKS.qualified),
  first_calls: whereMarked(MARKS.first),
  callers: distinctCallers,
  duration_count: ({ rows, durations }, grouping) =>
    countWhere(rows, grouping, (row) => durations[row] !== NO_DURATION),
  duration_sum: sums,
  duration_median: medians,
  earliest_start: (calls, grouping) => extremes(calls, grouping, -1),
  latest_start: (calls, grouping) => extremes(calls, grouping, 1),
};

function countWhere(rows: number, { of, size }: Grouping, isCounted: (row: number) => boolean): Float64Array {
  const counts = new Float64Array(size);
  for (let row = 0; row < rows; row++) {
    const group = of[row] ?? 0;
    if (isCounted(row)) counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

function sums({ rows, durations }: Calls, { of, size }: Grouping): Float64Array {
  const found = new Float64Array(size).fill(Number.NaN);
  for (let row = 0; row < rows; row++) {
    const duration = durations[row] ?? NO_DURATION;
    const group = of[row] ?? 0;
    if (duration !== NO_DURATION) found[group] = (found[group] || 0) + duration;
  }
  return found;
}

/** @param sign 1 for the latest start, -1 for the earliest */
function extremes({ rows, startsMs }: Calls, { of, size }: Grouping, sign: 1 | -1): Float64Array {
  const found = new Float64Array(size).fill(Number.NaN);
  for (let row = 0; row < rows; row++) {
    const group = of[row] ?? 0;
    const startMs = startsMs[row] ?? Number.NaN;
    const known = found[group] ?? Number.NaN;
    if (Number.isNaN(known) || (startMs - known) * sign > 0) found[group] = startMs;
  }
  return found;
}

/** Returns the rows, those of the first group first. */
function sortByGroup({ rows }: Calls, { of, size }: Grouping): Codes {
  const next = starts({ of, size }, rows);
  const sorted = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    const group = of[row] ?? 0;
    const at = next[group] ?? 0;
    sorted[at] = row;
    next[group] = at + 1;
  }
  return sorted;
}

/** Returns where each group begins among sorted rows, and the last one ends. */
function starts({ of, size }: Grouping, rows: number): Codes {
  const begins = new Int32Array(size + 1);
  for (let row = 0; row < rows; row++) {
    const next = (of[row] ?? 0) + 1;
    begins[next] = (begins[next] ?? 0) + 1;
  }
  for (let group = 0; group < size; group++)
    begins[group + 1] = (begins[group + 1] ?? 0) + (begins[group] ?? 0);
  return begins;
}

function distinctCallers(
  { rows, callers, maxCaller }: Calls,
  grouping: Grouping,
  sort: () => Codes,
): Float64Array {
  const sorted = sort();
  const counts = new Float64Array(grouping.size);
  const lastGroup = new Int32Array(maxCaller + 1); // plus 1, so that memory of callers without calls stays untouched
  for (let at = 0; at < rows; at++) {
    const row = sorted[at] ?? 0;
    const group = grouping.of[row] ?? 0;
    const caller = callers[row] ?? 0;
    if (caller === 0 || lastGroup[caller] === group + 1) continue;
    lastGroup[caller] = group + 1;
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

function medians({ rows, durations }: Calls, grouping: Grouping, sort: () => Codes): Float64Array {
  const sorted = sort();
  const begins = starts(grouping, rows);
  const known = new Int32Array(rows);
  for (let at = 0; at < rows; at++) known[at] = durations[sorted[at] ?? 0] ?? NO_DURATION;
  const found = new Float64Array(grouping.size).fill(Number.NaN);
  for (let group = 0; group < grouping.size; group++) {
    const [begin = 0, end = 0] = [begins[group], begins[group + 1]];
    if (end - begin > 1) known.subarray(begin, end).sort();
    // Calls without a duration come first.
    let first = begin;
    while (first < end && known[first] === NO_DURATION) first++;
    if (first === end) continue;
    const middle = (first + end - 1) / 2;
    found[group] = ((known[Math.floor(middle)] ?? 0) + (known[Math.ceil(middle)] ?? 0)) / 2;
  }
  return found;
}
