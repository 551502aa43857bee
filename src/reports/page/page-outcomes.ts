import type { Content } from "../../export/sections/element.ts";
import { TOTAL } from "../../figures/reserved-keys.ts";
import { keyRow, metricsNamed, paragraph, rowOf, tableOf } from "./figure-rows.ts";
import { heading } from "./page-parts.ts";
import type { Report } from "./report-figures.ts";

/** Shows what calls earned by source; nothing if no jobs were imported. */
export function outcomeSection({ figures, manifest, measures }: Report): Content {
  const { outcomes } = figures;
  if (outcomes === undefined || manifest.outcomes === undefined) return null;
  const { currency, revenue_by } = manifest.outcomes;
  const amounts =
    currency === null ? [] : ["revenue", ...(revenue_by === "call" ? ["revenue_per_call"] : [])];
  const when = revenue_by === "call" ? "in the period of their call" : "by the date of the job";
  const refunds = currency === null ? "" : "Revenue is less refunds. ";
  return [
    heading("What calls earned"),
    paragraph(`${refunds}Booked and sold calls and revenue are counted ${when}.`),
    tableOf("source", "What calls earned by source", {
      metrics: metricsNamed(measures, ["calls", "booked_calls", "sold_calls", ...amounts]),
      rows: outcomes.sources.map((row) => keyRow("source", row)),
      totals: [rowOf(TOTAL, outcomes.total)],
    }),
  ];
}
