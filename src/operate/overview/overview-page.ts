import { relative, sep } from "node:path";
import { html } from "hono/html";
import { minutesOf } from "../../base/calendar/local-time.ts";
import { capitalized } from "../../base/text/capitalized.ts";
import { inLocale } from "../../base/text/locale.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatMoney, formatQuantity } from "../../base/text/quantity-text.ts";
import { describeDays } from "../../export/formats/xlsx/about-sheet.ts";
import { type Letterhead, titleOf } from "../../export/letterhead/letterhead.ts";
import { endPage, startPage, whose } from "../../export/letterhead/page-shell.ts";
import { listOf } from "../../export/sections/basis.ts";
import { type Content, element } from "../../export/sections/element.ts";
import { change, countOf, figure } from "../../export/sections/figure-cells.ts";
import { shortName } from "../../export/sections/short-name.ts";
import { headCell, headRow, keyHead, scrolled } from "../../export/sections/tables.ts";
import { changeLegend } from "../../export/sections/tiles.ts";
import { toHtml } from "../../export/sections/to-html.ts";
import { type Statement, saySome } from "../../export/statements/statements.ts";
import { NONE, readerOf } from "../../figures/figure-text.ts";
import { CALL_METRICS, MISSED_RATE } from "../../figures/metrics.ts";
import { TOTAL } from "../../figures/reserved-keys.ts";
import { PAGE_STYLE } from "../../reports/page/page-style.ts";
import type { Value } from "../../sources/figure-session.ts";
import { AMOUNTS, type Overview, type OverviewRow, zonesOf } from "./read-overview.ts";

const HEADS = ["Account", "Calls", "Missed", "Qualified"];
const STATES = ["Verdict", "Last good sync", "Notices"];

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

function pageOf(overview: Overview, { letterhead, statements, folder }: PageOptions) {
  const { rows, remarks } = overview;
  const title = `Calls by account, ${daysOf(rows, { isCompared: false })}`;
  const bad = rows.filter(({ problems }) => problems.length > 0).length;
  const problems = bad === 0 ? "none with a problem" : `${bad} with a problem`;
  const header = [
    element("h1", {}, title),
    element("p", { class: "faint" }, `${toPrintable(daysOf(rows))}, days of ${zonesOf(rows).join(", ")}`),
    element("p", {}, `${formatQuantity(rows.length, "account")}, ${problems}. ${remarks.join(" ")}`),
  ];
  const content = [
    accountTable(overview, folder),
    changeLegend(),
    element("p", { class: "faint" }, "“Missed” is the share of calls."),
    toKnow(saySome(statements, "see manifest.json", CAUTIONS_SHOWN)),
  ];
  return html`${startPage(titleOf(letterhead, title), { style: PAGE_STYLE })}<header>
${whose(letterhead)}${toHtml(header)}
</header>
<main>
${toHtml(content)}
</main>
${endPage()}`;
}

function accountTable(overview: Overview, folder: string): Content {
  const { rows, total, compared, currency } = overview;
  const amounts = AMOUNTS.filter((name) => rows.some(({ figures }) => typeof figures[name] === "number"));
  const heads = [...HEADS, ...amounts.map(capitalized), ...STATES];
  const line = (row: OverviewRow) => [
    element(
      "tr",
      {},
      headOf(row, folder),
      figureCells(row, amounts, row.accountFigures?.compared ?? compared),
      statesOf(row).map(toCell),
    ),
    row.problems.map((problem) => problemLine(problem, heads.length)),
  ];
  const totals = figureCells({ figures: total, currency }, amounts, compared);
  return scrolled(
    "Calls by account",
    headRow(...heads.map(headCell)),
    element("tbody", {}, rows.map(line)),
    element(
      "tfoot",
      {},
      element(
        "tr",
        {},
        keyHead(TOTAL),
        totals,
        STATES.map(() => toCell("")),
      ),
    ),
  );
}

const toCell = (content: Content) => element("td", {}, content);

const metricOf = (name: string) => CALL_METRICS.find((metric) => metric.name === name);
const COUNTED = [metricOf("calls"), MISSED_RATE, metricOf("qualified_calls")].filter(
  (metric) => metric !== undefined,
);

/** Only the change of calls is shown. */
function figureCells(
  { figures, currency }: Pick<OverviewRow, "figures" | "currency">,
  amounts: readonly string[],
  compared: Overview["compared"],
): Content {
  const read = readerOf(figures);
  return [
    COUNTED.map((metric) =>
      toCell([figure({ metric, read }), metric.name === "calls" && change({ metric, read, compared })]),
    ),
    amounts.map((name) => toCell(amount(figures[name], currency))),
  ];
}

function amount(value: Value | undefined, currency: string | null): Content {
  if (typeof value !== "number") return NONE;
  return element("data", { value: String(value) }, formatMoney(value, currency));
}

function problemLine(problem: string, columns: number): Content {
  const text = ["⚠ ", element("bdi", {}, toPrintable(problem))];
  return element("tr", {}, element("td", { class: "wrong", colspan: columns }, text));
}

function toKnow(statements: readonly string[]): Content {
  if (statements.length === 0) return null;
  return [element("h2", {}, "To know"), listOf(statements.map(toPrintable))];
}

/** The days of the first account: those of others are as many, in their zones. */
export function daysOf(rows: readonly OverviewRow[], { isCompared = true } = {}): string {
  const [first] = rows.flatMap(({ accountFigures }) => accountFigures ?? []);
  if (first === undefined) return "none can be read";
  const { range, compared_with } = first.manifest;
  return describeDays({ range, ...(isCompared && compared_with && { compared_with }) });
}

/** The name, which leads to its page. */
function headOf({ account, title, pages }: OverviewRow, folder: string): Content {
  const hrefOf = (path: string) => relative(folder, path).split(sep).map(encodeURIComponent).join("/");
  const [page, ...others] = pages.map(({ name, path }) => ({ name, href: hrefOf(path) }));
  const shown = shortName(title);
  const name = [
    page ? element("a", { href: page.href }, shown) : shown,
    others.map(({ name, href }) => [" ", element("a", { href }, name)]),
  ];
  return keyHead(name, { id: title === account ? null : account });
}

function statesOf({ status }: OverviewRow): Content[] {
  if (status === undefined) return [NONE, NONE, NONE];
  const { last_done_run, last_good_run, notices, timezone } = status;
  const good = last_good_run?.finished_at;
  const open = notices.filter(({ ended_at }) => ended_at === null).length;
  return [last_done_run?.verdict ?? NONE, good ? minutesOf(timezone)(good) : "never", countOf(open)];
}
