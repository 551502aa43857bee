import type { Time, Usage } from "./process.ts";

/** One line of a benchmark's result. */
export interface Finding {
  /** What was measured, e.g. "sync, first load". */
  what: string;
  /** The number of calls processed. */
  calls: number;
  /** Wall time, median of the runs. */
  seconds: number;
  /** Time of all cores, median of the runs: more reliable than wall time on a machine with other work. */
  cpuSeconds?: number | undefined;
  /** Peak memory of the process, MB; undefined if it cannot be measured. */
  peakMb?: number | undefined;
  /** Compared with a measurement in the same run, which is valid on other machines, too. */
  ratio?: Ratio | undefined;
}

export interface Ratio {
  value: number;
  /** The meaning of the ratio, e.g. "of the insert's rate". */
  of: string;
  /** The expected minimum or maximum. */
  atLeast?: number;
  atMost?: number;
}

/** Returns a ratio of each run's two times: the median, since the machine has other work. */
export function ratioOf(over: readonly number[], under: readonly number[]): number {
  return median(over.map((value, run) => value / (under[run] ?? Number.NaN)));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = sorted.slice(sorted.length % 2 === 1 ? middle : middle - 1);
  return sorted.length % 2 === 1 ? low : (low + high) / 2;
}

export const cpuSeconds = (times: readonly Time[]) => times.map((time) => time.cpuSeconds);

export function medianTime(times: readonly Time[]): Time {
  return { seconds: median(times.map((time) => time.seconds)), cpuSeconds: median(cpuSeconds(times)) };
}

/** Returns the median times of several runs, and their highest peak. */
export function medianUsage(usages: readonly Usage[]): Usage {
  return { ...medianTime(usages), peakMb: Math.max(...usages.map(({ peakMb }) => peakMb)) };
}

/** Returns one line for the table below {@link HEADING}. */
export function describe({ what, calls, seconds, cpuSeconds, peakMb, ratio }: Finding): string {
  const cells = [
    what.padEnd(44),
    calls === 0 ? "".padStart(9) : calls.toLocaleString("en-US").padStart(9),
    (seconds < 1 ? seconds.toFixed(3) : seconds.toFixed(1)).padStart(8),
    calls === 0
      ? "".padStart(9)
      : Math.round(calls / seconds)
          .toLocaleString("en-US")
          .padStart(9),
    (cpuSeconds === undefined ? "" : cpuSeconds.toFixed(1)).padStart(6),
    (peakMb === undefined ? "" : peakMb.toFixed(0)).padStart(6),
    ratio === undefined ? "" : ` ${describeRatio(ratio)}`,
  ];
  return cells.join(" ").trimEnd();
}

export const HEADING = [
  "what".padEnd(44),
  "calls".padStart(9),
  "seconds".padStart(8),
  "calls/s".padStart(9),
  "CPU s".padStart(6),
  "MB".padStart(6),
  " ratio",
].join(" ");

/** Whether a ratio is within its limits; undefined without limits. */
function isMet({ value, atLeast, atMost }: Ratio): boolean | undefined {
  if (atLeast !== undefined) return value >= atLeast;
  return atMost === undefined ? undefined : value <= atMost;
}

function describeRatio(ratio: Ratio): string {
  const { value, of, atLeast, atMost } = ratio;
  const goal =
    atLeast !== undefined ? `, at least ${atLeast}` : atMost !== undefined ? `, at most ${atMost}` : "";
  return `${value.toFixed(2)} ${of}${goal}${isMet(ratio) === false ? ": MISSED" : ""}`;
}
