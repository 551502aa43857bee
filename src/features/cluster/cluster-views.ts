import { type Dimension, keyColumns } from "../../figures/dimensions.ts";
import { metrics } from "../../figures/metrics.ts";
import { figureText, type SqlDialect, shownText } from "../../sources/figure-sql.ts";
import { ROLLUP_VIEWS } from "../../warehouse/calls/views.ts";
import { CALLS_TABLE, DURATION_MS, SHOWN_AS } from "./account-tables.ts";
import type { Cluster } from "./cluster.ts";

/** Columns of the table that views leave out. */
const OWN_COLUMNS: readonly string[] = ["is_live", "call_started_ms"];

const DIALECT: SqlDialect = {
  fact: (name) => (name === "duration" ? DURATION_MS : (SHOWN_AS[name] ?? name)),
  unitsPerSecond: 1000,
  // Its round() takes a half to an even integer in some versions.
  round: (number) => `floor(${number} + 0.5)`,
  unquote: (text) => `replaceRegexpAll(${text}, '^"+|"+$', '')`,
};

/** Blank for accounts without opening hours, whose calls all have none. */
const NEED_HOURS: ReadonlySet<string> = new Set(
  metrics({ duration_unit: "seconds" }).flatMap(({ name, aggregate }) =>
    aggregate.kind === "unknown" ? [name] : [],
  ),
);

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
  const named = keys.some(({ isNameOf }) => isNameOf);
  const figures = metrics({ duration_unit: "seconds", hours: {} }).flatMap(({ name, aggregate }) => {
    if (aggregate.kind === "median seconds") return [];
    const text = figureText(aggregate, DIALECT);
    return [{ name, text: NEED_HOURS.has(name) ? `if(count(in_hours) = 0, NULL, ${text})` : text }];
  });
  // Aliases are taken for columns, so keys get others first.
  const values = keys.map(({ name, of, isNameOf }, index) => {
    if (!("fact" in of)) throw new Error(`A view cannot be by ${name}`);
    return `${isNameOf ? `ifNull(common_name, ${of.fact})` : of.fact} AS key_${index + 1}`;
  });
  const shown = keys.map(({ isNamed }, index) => {
    const value = `key_${index + 1}`;
    return isNamed ? shownText(value, DIALECT) : value;
  });
  const columns = [...keys, ...figures].map(({ name }) => name);
  const texts = [...shown, ...figures.map(({ text }) => text)];
  return {
    name: `rollup_${dimension}`,
    columns: ["account", ...columns],
    from,
    sql: `SELECT account, ${texts.map((text, index) => `${text} AS ${columns[index]}`).join(",\n  ")}
FROM (
  SELECT account, ${values.join(", ")}, call_started, duration_seconds, outcome, qualified, in_hours, first_time_caller, caller
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
