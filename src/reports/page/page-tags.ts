import { html } from "hono/html";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import type { TagProblem, TagProblemKind } from "../../export/tag-problem.ts";
import { capitalized, type Html } from "./figure-text.ts";
import { headRow, isolated, scrolled } from "./page-parts.ts";
import type { Report } from "./report-figures.ts";

const ROWS_SHOWN = 5;

/** Kinds that are no mistakes are not shown. */
const WORDS: Partial<Record<TagProblemKind, string>> = {
  near_miss: "may be the same as",
  placeholder: "stands for no value",
  contradiction: "contradicts the click, of",
  self_referral: "is your own site",
  payment_or_login: "is where visitors pay or log in",
  two_names: "has the campaign id of",
  spend_without_calls: "costs, and has no calls, on",
  calls_without_spend: "has calls, and no costs",
};

/** The mistaken tags with most calls; nothing if there are none. */
export function tagSection({ tagProblems }: Report): Html | "" {
  const wrong = tagProblems
    .filter(({ kind }) => WORDS[kind] !== undefined)
    .toSorted((a, b) => b.calls - a.calls);
  if (wrong.length === 0) return "";
  const row = ({ kind, field, value, other, calls }: TagProblem) =>
    html`<tr><th scope="row">${capitalized(field)} ${isolated(value)}</th><td>${WORDS[kind]} ${isolated(other ?? "")}</td><td>${formatCount(calls)}</td></tr>`;
  const title = `${formatQuantity(wrong.length, "tag")} may be wrong`;
  return html`<h2>${title}</h2>
<p>In the 28 days up to the last one. <code>calltally hygiene</code> lists all, and mends them.</p>
${scrolled(title, html`${headRow(["Tag", "Why", "Calls"])}<tbody>${wrong.slice(0, ROWS_SHOWN).map(row)}</tbody>`)}`;
}
