import { type Dimension, keyColumns } from "../../figures/dimensions.ts";
import { metrics } from "../../figures/metrics.ts";
import type { Aggregate } from "../../figures/parts.ts";
import { NOT_SET, RESERVED_KEYS } from "../../figures/reserved-keys.ts";
import { ROLLUP_VIEWS } from "../../warehouse/calls/views.ts";
import { CALLS_TABLE, DURATION_MS } from "./account-tables.ts";
import { literal } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";

/** Columns of the table that views leave out. */
const OWN_COLUMNS: readonly string[] = ["is_live", "call_started_ms"];

/** What analysts may rely on: the warehouse's views of the same names, of all accounts. */
export function viewsOf(cluster: Cluster) {
  const calls = cluster.all(CALLS_TABLE.name);
  const columns = ["account", ...Object.keys(CALLS_TABLE.columns)].filter(
    (name) => !OWN_COLUMNS.includes(name),
  );
  const view = cluster.table("attributed_calls");
  return [
    {
      name: "attributed_calls",
      columns,
      from: calls,
      sql: `SELECT ${columns.join(", ")} FROM ${calls} FINAL WHERE is_deleted = 0 AND is_live = 1`,
    },
    ...ROLLUP_VIEWS.map((dimension) => rollupView(dimension, view)),
  ];
}

function rollupView(dimension: Dimension, from: string) {
  const keys = keyColumns([dimension]);
  const named = keys.find(({ isNameOf }) => isNameOf);
  const facts = keys.map(({ of, isNameOf }) => {
    if (!("fact" in of)) throw new Error(`A view cannot be by ${dimension}`);
    return isNameOf ? `ifNull(common_name, ${of.fact})` : of.fact;
  });
  const values = facts.map((fact, index) => `${fact} AS key_${index + 1}`);
  const shown = keys.map(({ name, isNamed }, index) => {
    const value = `key_${index + 1}`;
    return `${isNamed ? shownText(value) : value} AS ${name}`;
  });
  const figures = metrics({ duration_unit: "seconds" }).flatMap(({ name, aggregate }) =>
    aggregate.kind === "median seconds" ? [] : [{ name, text: `${figureText(aggregate)} AS ${name}` }],
  );
  // Aliases are taken for columns, so keys get others first.
  return {
    name: `rollup_${dimension}`,
    columns: ["account", ...keys.map(({ name }) => name), ...figures.map(({ name }) => name)],
    from,
    sql: `SELECT account, ${[...shown, ...figures.map(({ text }) => text)].join(",\n  ")}
FROM (
  SELECT account, ${values.join(", ")}, call_started, duration_seconds, outcome, qualified, first_time_caller, caller
  FROM ${from}${named ? ` ${namesText(from)}` : ""}
)
GROUP BY account, ${keys.map((_, index) => `key_${index + 1}`).join(", ")}`,
  };
}

/** The name that most calls of a campaign have, of several the first in order. */
const namesText = (from: string) => `ANY LEFT JOIN (
    SELECT account, campaign_id, campaign AS common_name FROM (
      SELECT account, campaign_id, campaign, count() AS calls FROM ${from}
      WHERE isNotNull(campaign_id) AND isNotNull(campaign) GROUP BY account, campaign_id, campaign
    ) ORDER BY calls DESC, campaign LIMIT 1 BY account, campaign_id
  ) AS names USING (account, campaign_id)`;

/** Quotes text that reads like a reserved key. */
function shownText(value: string): string {
  const reads = `lower(replaceRegexpAll(${value}, '^"+|"+$', '')) IN (${RESERVED_KEYS.map(literal).join(", ")})`;
  return `ifNull(if(${reads}, concat('"', ${value}, '"'), ${value}), ${literal(NOT_SET)})`;
}

const COUNTS = {
  calls: "count()",
  answered_calls: "countIf(outcome = 'answered')",
  missed_calls: "countIf(outcome = 'missed')",
  other_calls: "countIf(outcome = 'other')",
  qualified_calls: "countIf(qualified = 1)",
  first_calls: "countIf(first_time_caller = 1)",
};

function figureText(aggregate: Exclude<Aggregate, { kind: "median seconds" }>): string {
  switch (aggregate.kind) {
    case "count":
      return COUNTS[aggregate.of];
    case "callers":
      return "ifNull(uniqExact(caller), 0)";
    case "share":
      return quotientText(COUNTS[aggregate.of], "count()", aggregate.decimals);
    case "total seconds":
      return `ifNull(sum(${DURATION_MS}), 0) / 1000`;
    case "average seconds":
      return quotientText(`sum(${DURATION_MS})`, "(1000 * count(duration_seconds))", 1);
    case "start":
      return `${aggregate.of === "earliest_start" ? "min" : "max"}(call_started)`;
  }
}

/** Null for a quotient by 0. */
function quotientText(dividend: string, divisor: string, decimals: number): string {
  const unit = 10 ** decimals;
  return `floor(${unit} * ${dividend} / nullIf(${divisor}, 0) + 0.5) / ${unit}`;
}
