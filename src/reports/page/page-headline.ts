import { HISTORY_DAYS } from "../../base/calendar/history.ts";
import type { Content } from "../../export/sections/element.ts";
import { countOf, figure } from "../../export/sections/figure-cells.ts";
import { changeLegend, tiles } from "../../export/sections/tiles.ts";
import { has } from "../../export/statements/statements.ts";
import { readerOf, titleOf } from "../../figures/figure-text.ts";
import type { Measure } from "../../figures/rollup-query.ts";
import type { Figures } from "../../figures/sums.ts";
import { metricsNamed } from "./figure-rows.ts";
import type { Report } from "./report-figures.ts";

const HEADLINE = [
  ...["calls", "cost", "qualified_calls", "cost_per_qualified_call", "answer_rate", "missed_calls"],
  ...[
    "missed_in_hours",
    "first_time_callers",
    "cost_per_call",
    "booked_calls",
    "revenue",
    "return_on_ad_spend",
  ],
];
/** Without a value, they have no tile. */
const OPTIONAL: readonly string[] = ["missed_in_hours", "revenue", "return_on_ad_spend"];

/** The figures of all calls, with costs of campaigns with spend. */
export function headline(report: Report): Content {
  const { compared, measures } = report;
  const figures = figuresOf(report);
  const notes = notesOf(report);
  const shown = metricsNamed(measures, HEADLINE).filter(
    ({ name }) => name in figures && (figures[name] !== null || !OPTIONAL.includes(name)),
  );
  const read = readerOf(figures);
  return [
    tiles(
      shown.map((metric) => {
        const { name } = metric;
        return { name: titleOf(name), metric, read, compared, note: notes[name] };
      }),
    ),
    typeof figures.calls_change === "number" && changeLegend(),
  ];
}

/** First-time callers are unknown during a first load, and not compared without history. */
function figuresOf({ figures, manifest: { statements, range } }: Report): Figures {
  const { headline: all, spend, outcomes } = figures;
  return {
    ...spend?.costs,
    ...outcomes?.total,
    ...all,
    ...(has(statements, "first_load") && { first_time_callers: null }),
    ...(range.short_history && { first_time_callers_change: null }),
    // The days before may have other days of spend.
    ...{
      return_on_ad_spend: outcomes?.withSpend.return_on_ad_spend ?? null,
      return_on_ad_spend_change: null,
    },
  };
}

function notesOf({ figures, manifest: { statements, range }, measures }: Report): Record<string, Content> {
  const { headline: all, spend } = figures;
  return {
    missed_in_hours: ["of ", countOf(all.calls_in_hours), " calls in them"],
    first_time_callers: has(statements, "first_load")
      ? "unknown until the first load has finished"
      : range.short_history && `may be too many: fewer than ${HISTORY_DAYS} days of calls before`,
    return_on_ad_spend: "revenue / cost, of campaigns with spend",
    ...(spend?.costs && notesOfCosts(spend.costs, measures)),
  };
}

/** Says which calls a cost is of: those of campaigns with spend. */
function notesOfCosts(costs: Figures, measures: readonly Measure[]): Record<string, Content> {
  const { cost, cost_with_spend = null } = costs;
  const spent = metricsNamed(measures, cost === cost_with_spend ? [] : ["cost"]).map((metric) => [
    figure({ metric, read: readerOf({ cost: cost_with_spend }) }),
    " for ",
  ]);
  const note = (calls: string) => [spent, countOf(costs[calls]), " calls of campaigns with spend"];
  return { cost_per_qualified_call: note("qualified_calls"), cost_per_call: note("calls") };
}
