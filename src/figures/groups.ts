import { namesOf, recordOf } from "../base/records.ts";
import { type Calls, MARKS_OF, NO_DURATION } from "./calls.ts";
import type { Codes } from "./key-table.ts";
import type { Part, Parts } from "./parts.ts";

/** Long work in steps: between two steps, other work runs, such as the handling of Ctrl-C. */
export type Steps<Result> = Generator<void, Result>;

/** Takes all steps without a pause. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Which group each call is in, from 0 to `size` - 1. */
export interface Grouping {
  of: Codes;
  size: number;
}

/** Computes the parts of each group, in a loop or two over the calls for each. */
export function* groups(calls: Calls, grouping: Grouping, parts: readonly Part[]): Steps<Parts> {
  const ofParts: Parts = {};
  let sorted: SortedRows | undefined;
  const sort = () => {
    sorted ??= sortByGroup(calls, grouping);
    return sorted;
  };
  for (const part of parts) {
    ofParts[part] = FOLDS[part](calls, grouping, sort);
    yield;
  }
  return ofParts;
}

/** Rows, those of the first group first, and where each group begins among them; one more, where the last ends. */
interface SortedRows {
  order: Codes;
  begins: Codes;
}

type Fold = (calls: Calls, grouping: Grouping, sort: () => SortedRows) => Float64Array;

/** @param mark 0 to count all calls */
const whereMarked =
  (mark: number): Fold =>
  ({ rows, marks }, { of, size }) => {
    const counts = new Float64Array(size);
    for (let row = 0; row < rows; row++) {
      const group = of[row] ?? 0;
      if (((marks[row] ?? 0) & mark) === mark) counts[group] = (counts[group] ?? 0) + 1;
    }
    return counts;
  };

const FOLDS: Record<Part, Fold> = {
  ...recordOf(namesOf(MARKS_OF), (part) => whereMarked(MARKS_OF[part])),
  callers: distinctCallers,
  duration_count: countDurations,
  duration_sum: sums,
  duration_median: medians,
  earliest_start: (calls, grouping) => extremes(calls, grouping, -1),
  latest_start: (calls, grouping) => extremes(calls, grouping, 1),
};

function countDurations({ rows, durations }: Calls, { of, size }: Grouping): Float64Array {
  const counts = new Float64Array(size);
  for (let row = 0; row < rows; row++) {
    const group = of[row] ?? 0;
    if (durations[row] !== NO_DURATION) counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

function sums({ rows, durations }: Calls, { of, size }: Grouping): Float64Array {
  const totals = new Float64Array(size).fill(Number.NaN);
  for (let row = 0; row < rows; row++) {
    const duration = durations[row] ?? NO_DURATION;
    const group = of[row] ?? 0;
    if (duration !== NO_DURATION) totals[group] = (totals[group] || 0) + duration;
  }
  return totals;
}

/** @param sign 1 for the latest start, -1 for the earliest */
function extremes({ rows, startsMs }: Calls, { of, size }: Grouping, sign: 1 | -1): Float64Array {
  const extremes = new Float64Array(size).fill(Number.NaN);
  for (let row = 0; row < rows; row++) {
    const group = of[row] ?? 0;
    const startMs = startsMs[row] ?? Number.NaN;
    const known = extremes[group] ?? Number.NaN;
    if (Number.isNaN(known) || (startMs - known) * sign > 0) extremes[group] = startMs;
  }
  return extremes;
}

function sortByGroup({ rows }: Calls, { of, size }: Grouping): SortedRows {
  const begins = new Int32Array(size + 1);
  for (let row = 0; row < rows; row++) {
    const next = (of[row] ?? 0) + 1;
    begins[next] = (begins[next] ?? 0) + 1;
  }
  for (let group = 0; group < size; group++)
    begins[group + 1] = (begins[group + 1] ?? 0) + (begins[group] ?? 0);
  const next = begins.slice();
  const order = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    const group = of[row] ?? 0;
    const at = next[group] ?? 0;
    order[at] = row;
    next[group] = at + 1;
  }
  return { order, begins };
}

function distinctCallers(
  { rows, callers, maxCaller }: Calls,
  grouping: Grouping,
  sort: () => SortedRows,
): Float64Array {
  const { order } = sort();
  const counts = new Float64Array(grouping.size);
  const lastGroup = new Int32Array(maxCaller + 1); // plus 1, so that memory of callers without calls stays untouched
  for (let at = 0; at < rows; at++) {
    const row = order[at] ?? 0;
    const group = grouping.of[row] ?? 0;
    const caller = callers[row] ?? 0;
    if (caller === 0 || lastGroup[caller] === group + 1) continue;
    lastGroup[caller] = group + 1;
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

function medians({ rows, durations }: Calls, grouping: Grouping, sort: () => SortedRows): Float64Array {
  const { order, begins } = sort();
  const known = new Int32Array(rows);
  for (let at = 0; at < rows; at++) known[at] = durations[order[at] ?? 0] ?? NO_DURATION;
  const medians = new Float64Array(grouping.size).fill(Number.NaN);
  for (let group = 0; group < grouping.size; group++) {
    const [begin = 0, end = 0] = [begins[group], begins[group + 1]];
    sortBetween(known, begin, end);
    // Calls without a duration come first.
    let first = begin;
    while (first < end && known[first] === NO_DURATION) first++;
    if (first === end) continue;
    const middle = (first + end - 1) / 2;
    medians[group] = ((known[Math.floor(middle)] ?? 0) + (known[Math.ceil(middle)] ?? 0)) / 2;
  }
  return medians;
}

/** Sorts numbers from `begin` to before `end`: a few in place, since most groups are small and an array for each is slow. */
function sortBetween(values: Int32Array, begin: number, end: number): void {
  if (end - begin > 16) {
    values.subarray(begin, end).sort();
    return;
  }
  for (let next = begin + 1; next < end; next++) {
    const value = values[next] ?? 0;
    let at = next;
    for (; at > begin && (values[at - 1] ?? 0) > value; at--) values[at] = values[at - 1] ?? 0;
    values[at] = value;
  }
}
