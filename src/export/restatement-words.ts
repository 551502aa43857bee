import type { FigureValue, Restatement, RestatementReason } from "./restatement.ts";

export function keyInWords({ key }: Pick<Restatement, "key">): string {
  return Object.values(key)
    .filter((value) => value !== null)
    .join(" / ");
}

const WORDS: Record<RestatementReason, string> = {
  late: "came late",
  corrected: "corrected",
  gone: "gone from the service",
  returned: "listed again",
  rules: "attributed again",
  first_call: "reassigned as first or repeat calls",
  spend_changed: "ad costs",
  outcomes_changed: "with changed jobs",
};

/** Describes a change and its reasons: `40 → 38 (-2): 1 corrected (-1), 1 gone from the service (-1)`. */
export function describeRestatement(restatement: Restatement): string {
  const { was, now, change } = restatement;
  return `${toText(was)} → ${toText(now)}${change === null ? "" : ` (${signed(change)})`}: ${describeReasons(restatement)}`;
}

/** Describes the reasons in calls and their effects: `1 corrected (-1), 1 gone from the service (-1)`. */
export function describeReasons({ reasons, rules_changed }: Restatement): string {
  const why = reasons.map(({ reason, calls, effect }) => {
    const rules = reason === "rules" && rules_changed !== null ? ` by changed ${rules_changed}` : "";
    return `${calls === null ? "" : `${calls} `}${WORDS[reason]}${rules}${effect === null ? "" : ` (${signed(effect)})`}`;
  });
  return why.join(", ");
}

const toText = (value: FigureValue) => (value === null ? "none" : String(value));
const signed = (value: number) => (value > 0 ? `+${value}` : String(value));
