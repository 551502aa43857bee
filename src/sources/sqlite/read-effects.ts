import type { Database } from "better-sqlite3";
import { MICROS } from "../../base/text/currency.ts";
import type { FactColumn } from "../../calls/facts.ts";
import type { CampaignNames } from "../../figures/campaign-names.ts";
import { Cells } from "../../figures/cells/cells.ts";
import { Dictionary } from "../../figures/dictionary.ts";
import { keyColumns } from "../../figures/dimensions.ts";
import { type Effect, effectOf, effectOn, type Step } from "../../figures/effects.ts";
import { keyOf } from "../../figures/fold-rollup.ts";
import { isOfOutcomes, type OutcomeAggregate } from "../../figures/metrics.ts";
import { callMeasures, measuresOf, type RollupQuery } from "../../figures/rollup-query.ts";
import { CHANGE_REASONS, type ChangeReason } from "../change-reasons.ts";
import { type FigureSessionOptions, type Row, selectionOf, type Value } from "../figure-session.ts";
import { campaignNamesText } from "./campaign-names-sql.ts";
import { OUTCOME_SUMS, OUTCOMES_BY_CALL } from "./outcome-sums.ts";
import { readOffsets, type SqliteEngine } from "./sqlite-engine.ts";

export interface RowEffect {
  /** Values of the key columns, after the period if there is one. */
  key: Row;
  reason: ChangeReason;
  /** By metric. */
  figures: ReadonlyMap<string, FigureEffect>;
}

export interface FigureEffect {
  /** The calls that changed the figure. */
  callIds: readonly number[];
  /** By how much in total; null if the figure does not add up. */
  effect: number | null;
}

/**
 * Reads the effects of changed calls on the rows of a rollup, without raw values and gone calls. The effects on a row
 * add up to the difference between its present sums and those before the changes.
 * @param changes.since the last row of `fact_changes` to skip
 * @param changes.zone IANA zone of weekdays and hours
 */
export function* readEffects(
  database: Database,
  engine: SqliteEngine,
  options: FigureSessionOptions,
  { query, since, zone }: { query: RollupQuery; since: number; zone: string },
): Generator<RowEffect> {
  const facts = database
    .prepare<[], string>(
      "SELECT name FROM pragma_table_info('call_facts') WHERE name IN (SELECT name FROM pragma_table_info('fact_changes'))",
    )
    .pluck()
    .all();
  const table = engine.makeTable(["sign", "reason", ...facts, ...OUTCOME_SUMS].join(", "));
  database.exec(stepsText(table, facts, since));
  let names: CampaignNames | undefined;
  const campaignNames = () => {
    names ??= readCampaignNames(database, table);
    return names;
  };
  // The facts before a change may have values that no call has any more.
  const readValues = (fact: FactColumn) => [
    ...database.prepare<[], Value>(`SELECT DISTINCT ${fact} FROM ${table}`).pluck().all(),
    ...(fact === "campaign" ? campaignNames().values() : []),
  ];
  const ofSteps = { facts: table, campaignNames };
  const selection = {
    ...selectionOf(options, { readValues, campaignNames }),
    isGoneCounted: false,
    ...ofSteps,
  };
  const { span = {}, periods } = query;
  const cells = new Cells(keyColumns(query.dimensions), {
    dictionaryOf: (key) => engine.dictionaryOf(key),
    offsets: query.offsets && readOffsets(database, zone, table),
    periods: periods && new Dictionary(),
  });
  const { calls, of, valueAt } = engine.readSteps({ cells, span, periods }, selection);
  // Calls may have been in opening hours before, even if none are set now.
  const measures = measuresOf(query, { ...options.rules, hours: {} });
  const earnedAt = (aggregate: OutcomeAggregate, row: number) =>
    Number(valueAt(`f.${sumOf(aggregate)}`, row)) / (sumOf(aggregate) === "revenue_micros" ? MICROS : 1);
  const rows = Map.groupBy(of.keys(), (row) => `${of[row]} ${valueAt("f.reason", row)}`);
  for (const ofReason of rows.values()) {
    const [first = 0] = ofReason;
    const steps = ofReason.map((row): Step => ({ row, sign: Number(valueAt("f.sign", row)) }));
    const byCall = Map.groupBy(steps, ({ row }) => Number(valueAt("f.call_id", row)));
    const [ids, changed] = [[...byCall.keys()], [...byCall.values()]];
    const figures = new Map<string, FigureEffect>();
    const set = (name: string, { calls: places, effect }: Effect) =>
      figures.set(name, { callIds: places.flatMap((place) => ids[place] ?? []), effect });
    for (const metric of callMeasures(measures))
      set(metric.name, effectOn(metric, changed, calls, options.rules));
    for (const { name, aggregate, isAdditive = false } of measures)
      if (isOfOutcomes(aggregate))
        set(
          name,
          effectOf(changed, isAdditive, (row) => earnedAt(aggregate, row)),
        );
    yield { key: keyOf(of[first] ?? 0, cells), reason: toReason(valueAt("f.reason", first)), figures };
  }
}

/** Returns one name for each campaign of some facts: that of all calls, else one that they have. */
function readCampaignNames(database: Database, facts: string): CampaignNames {
  const ofFacts = `SELECT campaign_id, min(campaign) FROM ${facts} WHERE campaign_id IS NOT NULL AND campaign IS NOT NULL GROUP BY 1`;
  const common = campaignNamesText({ ids: `SELECT campaign_id FROM ${facts}` });
  return new Map(
    [ofFacts, common].flatMap((sql) => database.prepare<[], [id: string, name: string]>(sql).raw().all()),
  );
}

function toReason(stored: Value): ChangeReason {
  const reason = CHANGE_REASONS.find((known) => known === stored);
  if (reason === undefined) throw new Error(`fact_changes has an unknown reason: ${stored}`);
  return reason;
}

/** What a figure of outcomes takes of each call. */
function sumOf(aggregate: OutcomeAggregate): (typeof OUTCOME_SUMS)[number] {
  if (aggregate.kind === "cost per booked") return "booked";
  return aggregate.kind !== "outcome" || aggregate.of === "revenue" ? "revenue_micros" : aggregate.of;
}

/**
 * Fills a table: for each change after `since` the facts before it, with the sign -1, and after it, with 1. What calls
 * earned then is what the next change of it says, else the present.
 */
function stepsText(table: string, facts: readonly string[], since: number): string {
  const of = (alias: string) => facts.map((fact) => `${alias}.${fact}`).join(", ");
  const earned = (next: string) => `(SELECT change_id, ${OUTCOME_SUMS.join(", ")} FROM fact_changes) AS o
  ON o.change_id = ${next} LEFT JOIN present AS p ON p.call_id = c.call_id`;
  const sums = OUTCOME_SUMS.map((sum) => `coalesce(o.${sum}, p.${sum}, 0)`).join(", ");
  const nextChange = (from: string) => `min(change_id) FILTER (WHERE reason = 'outcomes_changed') OVER (
    PARTITION BY call_id ORDER BY change_id ROWS BETWEEN ${from} AND UNBOUNDED FOLLOWING)`;
  return `INSERT INTO ${table} (sign, reason, ${[...facts, ...OUTCOME_SUMS].join(", ")})
WITH changes AS MATERIALIZED (
  SELECT *, lead(change_id) OVER (PARTITION BY call_id ORDER BY change_id) AS next_id,
    ${nextChange("CURRENT ROW")} AS earned_before, ${nextChange("1 FOLLOWING")} AS earned_after
  FROM fact_changes WHERE change_id > ${since}
), present AS MATERIALIZED (
  SELECT * FROM (${OUTCOMES_BY_CALL}) WHERE call_id IN (SELECT call_id FROM changes)
)
SELECT -1, c.reason, ${of("c")}, ${sums} FROM changes AS c LEFT JOIN ${earned("c.earned_before")}
WHERE c.is_live IS NOT NULL
UNION ALL
SELECT 1, c.reason, ${of("n")}, ${sums} FROM changes AS c JOIN fact_changes AS n ON n.change_id = c.next_id
LEFT JOIN ${earned("c.earned_after")} WHERE n.is_live IS NOT NULL
UNION ALL
SELECT 1, c.reason, ${of("f")}, ${sums} FROM changes AS c JOIN call_facts AS f ON f.call_id = c.call_id
LEFT JOIN ${earned("c.earned_after")} WHERE c.next_id IS NULL`;
}
