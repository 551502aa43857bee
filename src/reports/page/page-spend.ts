import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import type { Content } from "../../export/sections/element.ts";
import { figure } from "../../export/sections/figure-cells.ts";
import { readerOf } from "../../figures/figure-text.ts";
import { TOTAL, WITH_SPEND } from "../../figures/reserved-keys.ts";
import type { Figures } from "../../figures/sums.ts";
import { keyRow, metricsNamed, paragraph, rowOf, tableOf } from "./figure-rows.ts";
import { heading, nameAmong } from "./page-parts.ts";
import type { Report } from "./report-figures.ts";

const COST = "cost_per_qualified_call";
const COLUMNS = ["cost", "calls", "qualified_calls", "cost_per_call", COST, "cost_per_first_time_caller"];

export function spendSection({ figures: { spend }, measures }: Report): Content {
  if (spend === undefined) return null;
  const { campaigns, rest, withoutCalls, withSpend, total } = spend;
  if (total.cost === null) return heading("No spend was imported for these days");
  const more = [
    ...(rest === undefined ? [] : [rowOf(`(other): ${formatCount(rest.rows)} more`, rest.figures)]),
    ...(withoutCalls === undefined
      ? []
      : [
          rowOf(
            `Spend without calls: ${formatQuantity(withoutCalls.rows, "campaign")}`,
            withoutCalls.figures,
          ),
        ]),
  ];
  return [
    heading("Cost per qualified call: ", ...describeLead(spend, measures)),
    paragraph(
      "The line (with spend) adds up the campaigns whose cost is over 0, the line (total) all spend and calls.",
    ),
    tableOf("campaign", "Cost by campaign", {
      metrics: metricsNamed(measures, COLUMNS),
      rows: [...campaigns.map((row) => keyRow("campaign", row)), ...more],
      totals: [rowOf(WITH_SPEND, withSpend), rowOf(TOTAL, total)],
    }),
  ];
}

/** Names the campaign with the cheapest qualified calls; if not all are shown, the cost where most was spent. */
function describeLead(
  { campaigns, rest }: NonNullable<Report["figures"]["spend"]>,
  measures: Report["measures"],
): readonly Content[] {
  const costOf = (figures: Figures) => Number(figures[COST]);
  const known = campaigns.filter((figures) => figures[COST] !== null);
  const [first, second] = rest === undefined ? known.toSorted((a, b) => costOf(a) - costOf(b)) : known;
  const [metric] = metricsNamed(measures, [COST]);
  if (first === undefined || metric === undefined) return ["no campaign with spend has a qualified call"];
  const name = nameAmong(campaigns, first, "campaign");
  const cost = figure({ metric, read: readerOf(first) });
  if (rest !== undefined) return [cost, " for ", name, ", where most was spent"];
  return second === undefined ? [cost, " for ", name] : ["lowest for ", name, ", ", cost];
}
