import type { Span } from "../../base/calendar/dates.ts";
import type { FactColumn } from "../../calls/facts.ts";
import { NO_OUTCOME, STAGES } from "../../calls/filter.ts";
import type { CampaignNames } from "../../figures/campaign-names.ts";
import { type ConditionDialect, conditionText } from "../condition-sql.ts";
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
    ...selection.conditions.map((condition) => conditionText(condition, dialectOf(selection))),
    ...(startsAt === undefined ? [] : [`f.call_started >= ${literal(startsAt)}`]),
    ...(endsAt === undefined ? [] : [`f.call_started < ${literal(endsAt)}`]),
    ...also,
  ];
  return `FROM ${from}${join}${where.length > 0 ? `\nWHERE ${where.join("\n  AND ")}` : ""}`;
}

/** A stage's place among the stages, the furthest last. */
const STAGE_RANK = `CASE stage ${STAGES.map((stage, rank) => `WHEN ${literal(stage)} THEN ${rank}`).join(" ")} END`;

/** The caller's number or digest. */
const CALLER = "(SELECT caller FROM callers WHERE caller_id = f.caller_id)";

export function factText(fact: FactColumn, { isGoneCounted }: Pick<CallSelection, "isGoneCounted">): string {
  if (fact === "caller") return CALLER;
  return fact === "is_first_call" && isGoneCounted ? `f.call_id IN (${FIRST_OF_ALL})` : `f.${fact}`;
}

const dialectOf = (selection: Pick<CallSelection, "isGoneCounted">): ConditionDialect => ({
  fact: (name) => factText(name, selection),
  lookup: (fact, values) =>
    fact === "caller"
      ? ["f.caller_id", `(SELECT caller_id FROM callers WHERE caller IN ${listText(values)})`]
      : [factText(fact, selection), listText(values)],
  hasOutcome: (stages) => {
    const ranks = stages.map((stage) => (stage === NO_OUTCOME ? -1 : STAGES.indexOf(stage)));
    return `coalesce((SELECT max(${STAGE_RANK}) FROM outcomes AS o WHERE o.call_id = f.call_id), -1) IN (${ranks.join(", ")})`;
  },
});
