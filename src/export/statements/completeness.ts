import { localMinute } from "../../base/calendar/local-time.ts";
import type { Basis, Coverage } from "../../warehouse/runs/basis-schema.ts";
import type { DescribedSpan } from "./range-schema.ts";
import { doubtsOf, has, type Statement } from "./statements.ts";

/** What figures are based on. */
export interface Based extends Pick<Basis, "run"> {
  statements: readonly Statement[];
  range: Pick<DescribedSpan, "starts_at">;
  timezone: string;
}

/** How far figures can be trusted: proven complete, as usual between two proofs, or with doubts. */
type Trust = "proven" | "usual" | "doubtful";

/** Judges whether figures are complete, and says why; doubts are said elsewhere. */
export function judgeCompleteness(
  { run, range, statements, timezone }: Based,
  { verified }: Pick<Coverage, "verified">,
): { trust: Trust; claim: string; reasons: string[] } {
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
  return { trust: isDoubtful ? "doubtful" : isProven ? "proven" : "usual", claim, reasons };
}

/** Such as `Complete as of 27 Nov 2026 10:30 (UTC). Run 1 proved that it read every call.` */
export function completenessInWords(manifest: Based, coverage: Pick<Coverage, "verified">): string {
  const { claim, reasons } = judgeCompleteness(manifest, coverage);
  return [claim, ...reasons].join(" ");
}

export function minuteOf(time: string | null, timezone: string): string {
  return time === null ? "never" : localMinute(time, timezone);
}
