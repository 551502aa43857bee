import type { FactColumn } from "../../attribution/attribute-call.ts";
import type { Span } from "../../calendar/dates.ts";
import { NO_OUTCOME, STAGES } from "../../call/filter.ts";
import type { CampaignNames } from "../../figures/campaign-names.ts";
import type { Condition } from "../call-filter.ts";
import type { CallSelection } from "../engine.ts";
import { listText, literal } from "../sql-text.ts";

// `f` are the facts of calls, `c` the calls if values are needed as stored.

export interface SqliteSelection extends CallSelection {
  /** @default call_facts */
  facts?: string;
  /** @default those of all calls */
  campaignNames?: () => CampaignNames;
}

const FACTS = "call_facts";
export const FACTS_AND_CALLS = `${FACTS} AS f JOIN calls AS c ON c.call_id = f.call_id`;

/** Each caller's first call among all calls, including gone ones. */
const FIRST_OF_ALL = `SELECT call_id FROM (
    SELECT call_id, row_number() OVER (PARTITION BY caller_id ORDER BY call_started NULLS LAST, call_id) AS rank
    FROM call_facts WHERE caller_id IS NOT NULL
  ) WHERE rank = 1`;

/** @param options.also more conditions, as SQL */
export function selectionText(
  { startsAt, endsAt }: Span,
  selection: Pick<SqliteSelection, "conditions" | "isGoneCounted" | "facts">,
  {
    from = `${selection.facts ?? FACTS} AS f`,
    join = "",
    also = [],
  }: { from?: string | undefined; join?: string; also?: readonly string[] } = {},
): string {
  const where = [
    ...selection.conditions.map((condition) => conditionText(condition, selection)),
    ...(startsAt === undefined ? [] : [`f.call_started >= ${literal(startsAt)}`]),
    ...(endsAt === undefined ? [] : [`f.call_started < ${literal(endsAt)}`]),
    ...also,
  ];
  return `FROM ${from}${join}${where.length > 0 ? `\nWHERE ${where.join("\n  AND ")}` : ""}`;
}

/** A stage's place among the stages, the furthest last. */
const STAGE_RANK = `CASE stage ${STAGES.map((stage, rank) => `WHEN ${literal(stage)} THEN ${rank}`).join(" ")} END`;

/** The caller's number or digest. */
export const CALLER = "(SELECT caller FROM callers WHERE caller_id = f.caller_id)";

export function factText(fact: FactColumn, { isGoneCounted }: Pick<CallSelection, "isGoneCounted">): string {
  if (fact === "caller") return CALLER;
  return fact === "is_first_call" && isGoneCounted ? `f.call_id IN (${FIRST_OF_ALL})` : `f.${fact}`;
}

function conditionText(condition: Condition, selection: Pick<CallSelection, "isGoneCounted">): string {
  if ("any" in condition) {
    return `(${condition.any.map((one) => conditionText(one, selection)).join(" OR ")})`;
  }
  if ("all" in condition) {
    return `(${condition.all.map((one) => conditionText(one, selection)).join(" AND ")})`;
  }
  if ("outcomes" in condition) {
    const ranks = condition.outcomes.map((stage) => (stage === NO_OUTCOME ? -1 : STAGES.indexOf(stage)));
    return `coalesce((SELECT max(${STAGE_RANK}) FROM outcomes AS o WHERE o.call_id = f.call_id), -1) IN (${ranks.join(", ")})`;
  }
  const fact = factText(condition.fact, selection);
  if ("isAtLeast" in condition) return `${fact} >= ${Number(condition.isAtLeast)}`;
  if ("isPresent" in condition) return `${fact} IS NOT NULL`;
  if ("holds" in condition) return fact;
  if ("isNoneOf" in condition) {
    if (condition.fact !== "caller")
      return `(${fact} IS NULL OR ${fact} NOT IN ${listText(condition.isNoneOf)})`;
    const ids = `SELECT caller_id FROM callers WHERE caller IN ${listText(condition.isNoneOf)}`;
    return `(f.caller_id IS NULL OR f.caller_id NOT IN (${ids}))`;
  }
  const values = condition.isOneOf.filter((value) => value !== null);
  const isIn = `${fact} IN ${listText(values)}`;
  return values.length < condition.isOneOf.length ? `(${isIn} OR ${fact} IS NULL)` : isIn;
}
