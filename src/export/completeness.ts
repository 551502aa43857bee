import { localMinute } from "../base/calendar/local-time.ts";
import { namesOf } from "../base/records.ts";
import { formatCount } from "../base/text/quantity-text.ts";
import type { Coverage, Difference } from "../warehouse/runs/basis-schema.ts";
import type { Manifest } from "./manifest.ts";
import { doubtsOf, has } from "./statements/statements.ts";

type Based = Pick<Manifest, "run" | "range" | "statements" | "timezone">;

export interface Verdict {
  isProven: boolean;
  /** Such as `Complete as of 27 Nov 2026 10:30 (UTC).` */
  claim: string;
  /** Sentences. */
  reasons: readonly string[];
}

/** Judges whether figures are complete, and says why; doubts are said elsewhere. */
export function judgeCompleteness(
  { run, range, statements, timezone }: Based,
  { verified }: Pick<Coverage, "verified">,
): Verdict {
  const provenAt = verified?.finished_at ?? "";
  const isDoubtful = doubtsOf(statements).length > 0;
  const coversDays = provenAt > (range.starts_at ?? "");
  const isProven = !isDoubtful && coversDays;
  const claim = isDoubtful
    ? "In doubt."
    : verified === null
      ? "Not proven complete."
      : coversDays
        ? `Complete as of ${minuteOf(provenAt, timezone)}.`
        : "Not proven complete for these days.";
  const reasons = [
    ...(verified === null
      ? []
      : [
          `Run ${verified.run_id} proved${isProven ? "" : ` at ${minuteOf(provenAt, timezone)}`} that it read every ${has(statements, "rejected_rows") ? "row" : "call"}.`,
        ]),
    ...(run === null ? [] : [`The last sync, ${minuteOf(run.finished_at, timezone)}, is ${run.verdict}.`]),
  ];
  return { isProven, claim, reasons };
}

/** Such as `Complete as of 27 Nov 2026 10:30 (UTC). Run 1 proved that it read every call.` */
export function verdictInWords({ claim, reasons }: Pick<Verdict, "claim" | "reasons">): string {
  return [claim, ...reasons].join(" ");
}

export function minuteOf(time: string | null, timezone: string): string {
  return time === null ? "never" : localMinute(time, timezone);
}

const DIFFERENCES: Record<keyof Difference, (count: number) => string> = {
  missing: (count) =>
    `${formatCount(count)} that it no longer lists still ${count === 1 ? "counts" : "count"} here`,
  unlisted: (count) =>
    `${formatCount(count)} older than its list still ${count === 1 ? "counts" : "count"} here`,
  withheld: (count) =>
    `${formatCount(count)} that went missing at once still ${count === 1 ? "counts" : "count"} here`,
  rejected: (count) => `${formatCount(count)} of its rows could not be read`,
  others: (count) =>
    `${formatCount(Math.abs(count))} ${count > 0 ? "more" : "fewer"} here, as calls came or went during the sync`,
};

/** Such as `15,009; the service counted 14,997: 12 that it no longer lists still count here` */
export function countInWords({ calls, total, difference }: Pick<Coverage, "calls" | "total" | "difference">) {
  const counted = total === null ? "" : `; the service counted ${formatCount(total)}`;
  const reasons = namesOf(DIFFERENCES).flatMap((name) => {
    const count = difference?.[name] ?? 0;
    return count === 0 ? [] : [DIFFERENCES[name](count)];
  });
  return `${formatCount(calls)}${counted}${reasons.length > 0 ? `: ${reasons.join(", ")}` : ""}`;
}
