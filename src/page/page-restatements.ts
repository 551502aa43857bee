import { html } from "hono/html";
import { toPrintable } from "../base/printable.ts";
import { formatCount, formatQuantity } from "../base/quantity-text.ts";
import { localDate } from "../calendar/local-time.ts";
import { describeReasons } from "../restatements/restatement-words.ts";
import { countOf, type Html } from "./figure-text.ts";
import { capitalized } from "./period-text.ts";
import type { Report } from "./report-figures.ts";

const ROWS_SHOWN = 25;

export function restatementSection({ restatements, manifest }: Report): Html | "" {
  const [first] = restatements;
  if (first === undefined) return "";
  const title = `What changed since ${localDate(first.given_out_at, manifest.timezone)}`;
  const rest = restatements.length - ROWS_SHOWN;
  return html`<h2>${title}</h2>
<p>${formatQuantity(restatements.length, "figure")} of complete periods changed since this page was last written; restatements.csv next to it lists them.</p>
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr><th scope="col">Period</th><th scope="col">Figure</th><th scope="col">Was</th><th scope="col">Is</th><th scope="col">Change</th><th scope="col">Why, in calls</th></tr></thead><tbody>
${restatements.slice(0, ROWS_SHOWN).map(
  (
    each,
  ) => html`<tr><th scope="row">${each.period}</th><td>${capitalized(each.metric.replaceAll("_", " "))}</td>
<td>${countOf(each.was)}</td><td>${countOf(each.now)}</td><td><data value="${each.change ?? ""}">${(each.change ?? 0) > 0 ? "+" : ""}${formatCount(each.change ?? 0)}</data></td><td>${toPrintable(describeReasons(each))}</td></tr>`,
)}
</tbody></table></div>
${rest > 0 ? html`<p class="faint">${formatCount(rest)} more.</p>` : ""}`;
}
