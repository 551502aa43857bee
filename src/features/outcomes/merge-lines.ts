import type { Stage } from "../../calls/filter.ts";
import type { LineRule } from "../../intake/line-rule.ts";

/** A line of a job that has several. */
export interface JobLine {
  /** Its place among all lines of the command. */
  job: number;
  file: number;
  line: number;
  /** The call that was found; null for none. */
  call_id: number | null;
  caller_id: number | null;
  day: string | null;
  stage: Stage;
  is_refund: 0 | 1;
  amount_micros: number | null;
}

/** What becomes of the lines of one job. */
export interface MergedLines {
  /** The line whose call and day the job has; undefined if the lines contradict each other. */
  first: JobLine | undefined;
  stage: Stage;
  amount_micros: bigint | null;
  /** Lines whose amount another line has, too, and that do not count again. */
  repeated: JobLine[];
}

/**
 * Merges the lines of one job: amounts of lines with the same caller and stage add up, and refunds are of any stage. Equal
 * amounts may be the job's total, written on each line.
 * @returns the two lines with an equal amount, if there is no rule for them
 */
export function mergeLines(
  lines: readonly JobLine[],
  rule: LineRule | undefined,
): MergedLines | { equal: [JobLine, JobLine] } {
  const byAmount = new Map<number, JobLine>();
  const repeated: JobLine[] = [];
  let sum: bigint | null = null;
  for (const line of lines) {
    const amount = line.amount_micros;
    const same = amount === null ? undefined : byAmount.get(amount);
    if (same !== undefined && amount !== 0) {
      if (rule === undefined && doAgree(lines)) return { equal: [same, line] };
      if (rule === "once") {
        repeated.push(line);
        continue;
      }
    }
    if (amount === null) continue;
    byAmount.set(amount, line);
    sum = (sum ?? 0n) + BigInt(amount);
  }
  const earned = lines.filter(({ is_refund }) => is_refund === 0);
  const ofStage = earned.length > 0 ? earned : lines;
  const withCall = ofStage.filter(({ call_id }) => call_id !== null);
  const first = (withCall.length > 0 ? withCall : ofStage).reduce(earlierOf);
  return {
    first: doAgree(lines) ? first : undefined,
    stage: ofStage[0]?.stage ?? "lost",
    amount_micros: sum,
    repeated,
  };
}

/** Whether lines can be of one job: one caller, and one stage but for refunds. */
function doAgree(lines: readonly JobLine[]): boolean {
  const stages = lines.filter(({ is_refund }) => is_refund === 0).map(({ stage }) => stage);
  const callers = lines.map(({ caller_id, call_id }) => caller_id ?? `of call ${call_id}`);
  return new Set(callers).size === 1 && new Set(stages).size <= 1;
}

function earlierOf(one: JobLine, other: JobLine): JobLine {
  return (other.day ?? "") < (one.day ?? "") ? other : one;
}
