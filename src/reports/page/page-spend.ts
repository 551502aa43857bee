import { html } from "hono/html";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { countOf, type Html, headRow, isolated, scrolled } from "../../export/letterhead/page-parts.ts";
import { TOTAL, WITH_SPEND } from "../../figures/reserved-keys.ts";
import type { Figures } from "../../figures/sums.ts";
import { amountOf } from "./figure-text.ts";
import { nameAmong, nameOf, rowHead } from "./page-parts.ts";
import type { Report, SpendFigures } from "./report-figures.ts";

const HEADS = ["Cost", "Calls", "Qualified", "Per call", "Per qualified", "Per first-time"];

export function spendSection({ figures, manifest }: Report): Html {
  const { spend } = figures;
  if (spend === undefined) return html``;
  const currency = manifest.spend?.currency ?? "";
  if (spend.total.cost === null) return html`<h2>No spend was imported for these days</h2>`;
  return html`<h2>Cost per qualified call: ${describeLead(spend, currency)}</h2>
<p>Amounts are in ${currency}. The line (with spend) adds up the campaigns whose cost is over 0, the line (total) all spend and calls. Costs are per call, per qualified call and per first-time caller.</p>
${spendTable(spend)}`;
}

/** Names the campaign with the cheapest qualified calls; if not all are shown, the cost where most was spent. */
function describeLead({ campaigns, rest }: SpendFigures, currency: string): Html | string {
  const costOf = (figures: Figures) => Number(figures.cost_per_qualified_call);
  const known = campaigns.filter((figures) => figures.cost_per_qualified_call !== null);
  const [first, second] = rest === undefined ? known.toSorted((a, b) => costOf(a) - costOf(b)) : known;
  if (first === undefined) return "no campaign with spend has a qualified call";
  const name = nameAmong(campaigns, first, "campaign");
  const cost = html`${amountOf(first.cost_per_qualified_call)} ${currency}`;
  if (rest !== undefined) return html`${cost} for ${name}, where most was spent`;
  return second === undefined ? html`${cost} for ${name}` : html`lowest for ${name}, ${cost}`;
}

function spendTable({ campaigns, rest, withoutCalls, withSpend, total }: SpendFigures): Html {
  const cells = (figures: Figures) => html`<td>${amountOf(figures.cost)}</td>
<td>${countOf(figures.calls)}</td>
<td>${countOf(figures.qualified_calls)}</td>
<td>${amountOf(figures.cost_per_call)}</td>
<td>${amountOf(figures.cost_per_qualified_call)}</td>
<td>${amountOf(figures.cost_per_first_time_caller)}</td>`;
  const line = (name: Html | string, figures: Figures) => {
    return html`<tr>${rowHead(name, figures)}
${cells(figures)}</tr>
`;
  };
  return scrolled(
    "Cost by campaign",
    html`${headRow(["Campaign", ...HEADS])}
<tbody>
${campaigns.map((figures) => line(isolated(nameOf(figures, "campaign")), figures))}
${rest === undefined ? "" : line(`(other): ${formatCount(rest.rows)} more`, rest.figures)}
${withoutCalls === undefined ? "" : line(`Spend without calls: ${formatQuantity(withoutCalls.rows, "campaign")}`, withoutCalls.figures)}
</tbody>
<tfoot>${line(WITH_SPEND, withSpend)}
${line(TOTAL, total)}</tfoot>`,
  );
}
