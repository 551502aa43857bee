import { html } from "hono/html";
import { countOf, type Html, headRow, isolated, scrolled } from "../../export/letterhead/page-parts.ts";
import { TOTAL } from "../../figures/reserved-keys.ts";
import type { Figures } from "../../figures/sums.ts";
import { amountOf } from "./figure-text.ts";
import { nameOf, rowHead } from "./page-parts.ts";
import type { Report } from "./report-figures.ts";

/** Shows what calls earned by source; nothing if no jobs were imported. */
export function outcomeSection({ figures, manifest }: Report): Html | "" {
  const { outcomes } = figures;
  if (outcomes === undefined || manifest.outcomes === undefined) return "";
  const { currency, revenue_by } = manifest.outcomes;
  const columns = [
    { name: "Calls", of: "calls", show: countOf },
    { name: "Booked calls", of: "booked_calls", show: countOf },
    { name: "Sold calls", of: "sold_calls", show: countOf },
    ...(currency === null ? [] : [{ name: "Revenue", of: "revenue", show: amountOf }]),
    ...(currency === null || revenue_by === "job-date"
      ? []
      : [{ name: "Revenue per call", of: "revenue_per_call", show: amountOf }]),
  ];
  const line = (name: Html | string, row: Figures) =>
    html`<tr>${rowHead(name, row)}
${columns.map(({ of, show }) => html`<td>${show(row[of])}</td>`)}</tr>
`;
  const when = revenue_by === "call" ? "in the period of their call" : "by the date of the job";
  return html`<h2>What calls earned</h2>
<p>${currency === null ? "" : `Amounts are in ${currency}, less refunds. `}Booked and sold calls and revenue are counted ${when}.</p>
${scrolled(
  "What calls earned by source",
  html`${headRow(["Source", ...columns.map(({ name }) => name)])}
<tbody>
${outcomes.sources.map((row) => line(isolated(nameOf(row, "source")), row))}
</tbody>
<tfoot>${line(TOTAL, outcomes.total)}</tfoot>`,
)}`;
}
