import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
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
  return `${describeValues(restatement)}: ${describeReasons(restatement)}`;
}

/** `40 → 38 (-2)` */
export function describeValues({ was, now, change }: Restatement): string {
  return `${toText(was)} → ${toText(now)}${change === null ? "" : ` (${signed(change)})`}`;
}

const CALLS_NAMED = 3;

/**
 * Describes what happened to the calls behind some figures: `1 call came late: 731000146`. Of many calls not all are
 * listed, so that other figures may be of other ones.
 */
export function describeCause(figures: readonly Restatement[]): string {
  const all = figures.flatMap(({ reasons, rules_changed }) =>
    reasons.map((each) => ({ ...each, words: wordsOf(each.reason, rules_changed) })),
  );
  return [...Map.groupBy(all, ({ words }) => words)]
    .map(([words, sameCauses]) => {
      const ids = [...new Set(sameCauses.flatMap(({ listed = [] }) => listed.map(({ call_id }) => call_id)))];
      const count = Math.max(ids.length, ...sameCauses.map(({ calls }) => calls ?? 0));
      if (count === 0) return words;
      const isAll = sameCauses.every(({ calls, listed = [] }) => calls === listed.length);
      const more = count > CALLS_NAMED ? ", …" : "";
      const named = ids.length === 0 ? "" : `: ${ids.slice(0, CALLS_NAMED).join(", ")}${more}`;
      return `${isAll || sameCauses.length === 1 ? "" : "at least "}${formatQuantity(count, "call")} ${words}${named}`;
    })
    .join("; ");
}

/** Describes the listed calls, one a line: `731000146 corrected: disposition, outcome`. */
export function describeCalls({ reasons, rules_changed }: Restatement): string[] {
  return reasons.flatMap(({ reason, calls, listed = [] }) => {
    const lines = listed.map(({ call_id, changed }) => {
      const facts = changed.length === 0 ? "" : `: ${changed.join(", ")}`;
      return `${call_id} ${wordsOf(reason, rules_changed)}${facts}`;
    });
    const more = (calls ?? 0) - listed.length;
    return listed.length > 0 && more > 0 ? [...lines, `and ${formatCount(more)} more`] : lines;
  });
}

function wordsOf(reason: RestatementReason, rulesChanged: string | null): string {
  return `${WORDS[reason]}${reason === "rules" && rulesChanged !== null ? ` by changed ${rulesChanged}` : ""}`;
}

/** Describes the reasons in calls and their effects: `1 corrected (-1), 1 gone from the service (-1)`. */
export function describeReasons({ reasons, rules_changed }: Restatement): string {
  const why = reasons.map(({ reason, calls, effect }) => {
    return `${calls === null ? "" : `${calls} `}${wordsOf(reason, rules_changed)}${effect === null ? "" : ` (${signed(effect)})`}`;
  });
  return why.join(", ");
}

const toText = (value: FigureValue) => (value === null ? "none" : String(value));
const signed = (value: number) => (value > 0 ? `+${value}` : String(value));
