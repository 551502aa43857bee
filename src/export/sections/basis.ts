import { capitalized } from "../../base/text/capitalized.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import type { Basis, Coverage } from "../../warehouse/runs/basis-schema.ts";
import { type Based, judgeCompleteness, minuteOf } from "../statements/completeness.ts";
import { doubtsOf, type Statement, say } from "../statements/statements.ts";
import { type Content, type Element, element } from "./element.ts";

/** The place of {@link basisSection}. */
const HERE = "basis";

/** What a reader must know before the figures: a line, details behind it; doubts in full. */
export function verdict(based: Based, coverage: Pick<Coverage, "verified">): Element {
  const { trust, claim, reasons } = judgeCompleteness(based, coverage);
  const doubts = doubtsOf(based.statements).map((doubt) => ` ${toPrintable(say(doubt).text)}`);
  const others = based.statements.filter(({ level }) => level !== "doubt");
  const { run, timezone } = based;
  const date =
    trust === "proven" || run === null ? "" : ` Last sync: ${minuteOf(run.finished_at, timezone)}.`;
  const more = others.length === 0 ? "" : ` ${formatQuantity(others.length, "thing")} to know.`;
  return element(
    "div",
    { class: `verdict ${trust}` },
    doubts.length > 0 && element("p", {}, element("strong", {}, claim), ...doubts),
    element(
      "details",
      {},
      element("summary", {}, doubts.length === 0 && element("strong", {}, claim), date, more),
      element("p", {}, reasons.join(" ")),
      others.length > 0 && statementList(others),
      element("p", {}, element("a", { href: `#${HERE}` }, "What these figures are based on")),
    ),
  );
}

const statementList = (statements: readonly Statement[]): Element =>
  element(
    "ul",
    {},
    ...statements.map((statement) =>
      element(
        "li",
        { key: statement.id },
        `${capitalized(statement.level)}: ${toPrintable(say(statement).text)}`,
      ),
    ),
  );

/** A name, and what is said about it. */
export type BasisItem = readonly [name: string, ...content: Content[]];

export function basisSection(items: readonly (BasisItem | undefined)[]): Element {
  return element(
    "section",
    {},
    element("h2", { id: HERE }, "What these figures are based on"),
    element(
      "dl",
      { class: "basis" },
      ...items.map(
        (item) =>
          item &&
          element("div", { key: item[0] }, element("dt", {}, item[0]), element("dd", {}, ...item.slice(1))),
      ),
    ),
  );
}

export function completenessItem({ run }: Pick<Based, "run">, timezone: string): BasisItem {
  if (run === null) return ["Completeness", "No sync has finished yet."];
  const { run_id, finished_at, verdict: name, verdict_reason: reason } = run;
  const why = reason === null || reason === "" ? "" : ` ${toSentence(toPrintable(reason))}`;
  return ["Completeness", `Run ${run_id}, ${minuteOf(finished_at, timezone)}: ${name}.${why}`];
}

const toSentence = (text: string) => `${capitalized(text)}${text.endsWith(".") ? "" : "."}`;

export function certificateItem(
  certificate: Basis["certificate"] | undefined,
  timezone: string,
): BasisItem | undefined {
  if (certificate == null) return undefined;
  const { sha256, run_id, made_at } = certificate;
  const origin = `, of run ${run_id}, ${minuteOf(made_at, timezone)}: `;
  return ["Certificate", code(sha256), origin, code("calltally verify"), " checks it."];
}

/** All statements, in full. */
export const toKnowItem = (statements: readonly Statement[]): BasisItem | undefined =>
  statements.length === 0 ? undefined : ["To know", statementList(statements)];

export const fingerprintItem = (fingerprint: string): BasisItem => [
  "Fingerprint",
  code(fingerprint),
  ", as in the ",
  code("manifest.json"),
  " of a folder: reports with the same one are based on the same sync, days, filter, rules and sums.",
];

export const code = (text: string): Element => element("code", {}, text);

export const listOf = (texts: readonly string[]): Element =>
  element("ul", {}, ...texts.map((text) => element("li", { key: text }, text)));
