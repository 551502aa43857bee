import { capitalized } from "../../base/text/capitalized.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import type { SectionJob, WriteSection } from "../../export/job.ts";
import { code } from "../../export/sections/basis.ts";
import { type Content, element } from "../../export/sections/element.ts";
import { shortName } from "../../export/sections/short-name.ts";
import { headCell, headRow, keyHead, scrolled } from "../../export/sections/tables.ts";
import type { TagProblem, TagProblemKind } from "./tag-problem.ts";
import { readJobProblems } from "./write-hygiene.ts";

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

/** Reads the mistaken tags with most calls, of a page of all calls. */
export async function readTagSection(job: SectionJob): Promise<WriteSection> {
  if (job.lists === undefined || Object.keys(job.ask.filter).length > 0) return () => null;
  const { problems } = await readJobProblems(job);
  const wrong = problems
    .filter(({ kind }) => WORDS[kind] !== undefined)
    .toSorted((a, b) => b.calls - a.calls);
  return () => (wrong.length === 0 ? null : tagSection(wrong));
}

function tagSection(wrong: readonly TagProblem[]): Content {
  const row = ({ kind, field, value, other, calls }: TagProblem) =>
    element(
      "tr",
      {},
      keyHead([`${capitalized(field)} `, shortName(value)]),
      element("td", {}, `${WORDS[kind]} `, shortName(other ?? "")),
      element("td", {}, formatCount(calls)),
    );
  const title = `${formatQuantity(wrong.length, "tag")} may be wrong`;
  return [
    element("h2", {}, title),
    element(
      "p",
      {},
      "In the 28 days up to the last one. ",
      code("calltally hygiene"),
      " lists all, and mends them.",
    ),
    scrolled(
      title,
      headRow(...["Tag", "Why", "Calls"].map(headCell)),
      element("tbody", {}, ...wrong.slice(0, ROWS_SHOWN).map(row)),
    ),
  ];
}
