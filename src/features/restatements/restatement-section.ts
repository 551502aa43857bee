import { html } from "hono/html";
import { localDate } from "../../base/calendar/local-time.ts";
import { longLabelOf } from "../../base/calendar/period-text.ts";
import { capitalized } from "../../base/text/capitalized.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { countOf, type Html, isolated } from "../../export/letterhead/page-parts.ts";
import type { Restatement } from "./restatement.ts";
import { describeReasons, keyInWords } from "./restatement-words.ts";

const ROWS_SHOWN = 25;

/** The figures that changed since the page was last written. */
export function restatementSection(restatements: readonly Restatement[], timezone: string): Html | "" {
  const [first] = restatements;
  if (first === undefined) return "";
  const title = `What changed since ${longLabelOf(localDate(first.exported_at, timezone))}`;
  const rest = restatements.length - ROWS_SHOWN;
  return html`<h2>${title}</h2>
<p>${formatQuantity(restatements.length, "figure")} of complete periods changed since this page was last written; restatements.csv next to it lists them.</p>
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr><th scope="col">Period</th><th scope="col">Of</th><th scope="col">Figure</th><th scope="col">Was</th><th scope="col">Is</th><th scope="col">Change</th><th scope="col">Why, in calls</th></tr></thead><tbody>
${restatements.slice(0, ROWS_SHOWN).map((each) => {
  return html`<tr><th scope="row">${longLabelOf(each.period)}</th><td>${isolated(keyInWords(each) || "all")}</td><td>${capitalized(each.metric.replaceAll("_", " "))}</td>
<td>${countOf(each.was)}</td><td>${countOf(each.now)}</td><td><data value="${each.change ?? ""}">${(each.change ?? 0) > 0 ? "+" : ""}${formatCount(each.change ?? 0)}</data></td><td>${toPrintable(describeReasons(each))}</td></tr>`;
})}
</tbody></table></div>
${rest > 0 ? html`<p class="faint">${formatCount(rest)} more.</p>` : ""}`;
}
