import { relative, sep } from "node:path";
import { html } from "hono/html";
import { minutesOf } from "../../base/calendar/local-time.ts";
import { capitalized } from "../../base/text/capitalized.ts";
import { inLocale } from "../../base/text/locale.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { describeDays } from "../../export/formats/xlsx/about-sheet.ts";
import { type Letterhead, titleOf } from "../../export/letterhead/letterhead.ts";
import { countOf, type Html, headRow, isolated, scrolled } from "../../export/letterhead/page-parts.ts";
import { endPage, startPage, whose } from "../../export/letterhead/page-shell.ts";
import { type Statement, saySome } from "../../export/statements/statements.ts";
import { CHANCE_MEANING } from "../../figures/change-chance.ts";
import { TOTAL } from "../../figures/reserved-keys.ts";
import { amountOf, changeOf, missedRateOf } from "../../reports/page/figure-text.ts";
import { PAGE_STYLE } from "../../reports/page/page-style.ts";
import type { Value } from "../../sources/figure-session.ts";
import { AMOUNTS, type Overview, type OverviewRow, zonesOf } from "./read-overview.ts";

const HEADS = ["Account", "Calls", "Change", "Missed", "Qualified"];

const CAUTIONS_SHOWN = 12;

interface PageOptions {
  letterhead: Letterhead;
  /** Those of all accounts. */
  statements: readonly Statement[];
  /** Where the page is, for its links. */
  folder: string;
}

export async function toOverviewPage(overview: Overview, options: PageOptions): Promise<string> {
  return String(await inLocale(options.letterhead.locale, () => pageOf(overview, options)));
}

function pageOf(overview: Overview, { letterhead, statements, folder }: PageOptions): Html {
  const { rows, remarks } = overview;
  const title = `Calls by account, ${daysOf(rows, { isCompared: false })}`;
  const bad = rows.filter(({ problems }) => problems.length > 0).length;
  return html`${startPage(titleOf(letterhead, title), { style: PAGE_STYLE })}<header>
${whose(letterhead)}<h1>${title}</h1>
<p class="faint">${toPrintable(daysOf(rows))}, days of ${zonesOf(rows).join(", ")}</p>
<p>${formatQuantity(rows.length, "account")}, ${bad === 0 ? "none with a problem" : `${bad} with a problem`}. ${remarks.join(" ")}</p>
</header>
<main>
${scrolled("Calls by account", accountTable(overview, folder))}
<p class="faint">${CHANCE_MEANING} “Missed” is the share of calls.</p>
${toKnow(saySome(statements, "see manifest.json", CAUTIONS_SHOWN))}
</main>
${endPage()}`;
}

function accountTable(overview: Overview, folder: string): Html {
  const { rows, total, compared, currency } = overview;
  const amounts = amountsOf(overview);
  const heads = [...HEADS, ...amounts.heads, "Verdict", "Last good sync", "Notices"];
  const line = (row: OverviewRow) =>
    html`<tr>${headOf(row, folder)}${figureCells(row, row.accountFigures?.compared ?? compared)}${amounts.cells(row)}${stateOf(row)}</tr>
${row.problems.map((problem) => problemLine(problem, heads.length))}`;
  return html`${headRow(heads)}
<tbody>
${rows.map(line)}</tbody>
<tfoot><tr><th scope="row">${TOTAL}</th>${figureCells({ figures: total }, compared)}${amounts.cells({ figures: total, currency })}<td></td><td></td><td></td></tr></tfoot>`;
}

function figureCells({ figures }: Pick<OverviewRow, "figures">, days: Overview["compared"]): Html {
  return html`<td>${countOf(figures.calls)}</td><td>${days ? changeOf(figures, "calls", days) : "–"}</td><td>${missedRateOf(figures)}</td><td>${countOf(figures.qualified_calls)}</td>`;
}

/** One currency is in the heads, several next to the amounts. */
function amountsOf({ rows, currency }: Overview) {
  const names = AMOUNTS.filter((name) => rows.some(({ figures }) => typeof figures[name] === "number"));
  const isOne = new Set(rows.flatMap((row) => row.currency ?? [])).size === 1;
  const unit = isOne ? `, ${currency}` : "";
  return {
    heads: names.map((name) => `${capitalized(name)}${unit}`),
    cells: ({ figures, currency }: Pick<OverviewRow, "figures" | "currency">) =>
      names.map((name) => amountCell(figures[name], isOne ? null : currency)),
  };
}

function amountCell(amount: Value | undefined, currency: string | null): Html {
  const unit = typeof amount === "number" && currency ? ` ${currency}` : "";
  return html`<td>${amountOf(amount)}${unit}</td>`;
}

function problemLine(problem: string, columns: number): Html {
  return html`<tr><td class="wrong" colspan="${columns}">⚠ <bdi>${toPrintable(problem)}</bdi></td></tr>\n`;
}

function toKnow(statements: readonly string[]): Html | "" {
  if (statements.length === 0) return "";
  const items = statements.map((text) => html`<li>${toPrintable(text)}</li>`);
  return html`<h2>To know</h2><ul>${items}</ul>`;
}

/** The days of the first account: those of others are as many, in their zones. */
export function daysOf(rows: readonly OverviewRow[], { isCompared = true } = {}): string {
  const [first] = rows.flatMap(({ accountFigures }) => accountFigures ?? []);
  if (first === undefined) return "none can be read";
  const { range, compared_with } = first.manifest;
  return describeDays({ range, ...(isCompared && compared_with && { compared_with }) });
}

/** The name, which leads to its page. */
function headOf({ account, title, pages }: OverviewRow, folder: string): Html {
  const hrefOf = (path: string) => relative(folder, path).split(sep).map(encodeURIComponent).join("/");
  const [page, ...others] = pages.map(({ name, path }) => ({ name, href: hrefOf(path) }));
  const shown = isolated(title);
  return html`<th scope="row">${page ? html`<a href="${page.href}">${shown}</a>` : shown}${others.map(({ name, href }) => html` <a href="${href}">${name}</a>`)}${title === account ? "" : html`<span class="id">${account}</span>`}</th>`;
}

function stateOf({ status }: OverviewRow): Html {
  if (status === undefined) return html`<td>–</td><td>–</td><td>–</td>`;
  const { last_done_run, last_good_run, notices, timezone } = status;
  const good = last_good_run?.finished_at;
  const open = notices.filter(({ ended_at }) => ended_at === null).length;
  return html`<td>${last_done_run?.verdict ?? "–"}</td><td>${good ? minutesOf(timezone)(good) : "never"}</td><td>${countOf(open)}</td>`;
}
