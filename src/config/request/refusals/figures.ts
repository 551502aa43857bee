import { closedRange } from "../../../base/calendar/dates.ts";
import { PERIOD_ON_PERIOD, SPAN_COMPARISONS } from "../../../base/calendar/grain.ts";
import { findUnjudged } from "../../../figures/change-chance.ts";
import { COMPARED_RATES, ratesAmong } from "../../../figures/compared-rates.ts";
import { areOfSpend, SPEND_DIMENSIONS } from "../../../figures/dimensions.ts";
import { needsSpend, SPEND_FIGURES } from "../../../figures/metrics.ts";
import { isUnshared } from "../contents.ts";
import type { ExportRequest } from "../export-request.ts";
import { isPageFormat, PAGE_FORMATS, PAGES, type PageFormat } from "../option-values.ts";
import {
  figureAmong,
  isOfCharts,
  isOfFormat,
  type RequestParts,
  type RequestRefusal,
  type RequestRefusals,
} from "./request-parts.ts";

/** What a page leaves no choice of. */
const fixedOptions = (page: (typeof PAGES)[PageFormat]) =>
  "hasDimensions" in page ? (["contents"] as const) : (["contents", "by"] as const);
const PAGES_OF_THEIR_OWN = PAGE_FORMATS.flatMap((format) =>
  fixedOptions(PAGES[format]).map(
    (option): RequestRefusal => ({
      when: ({ request }) => request.format === format && request[option] !== undefined,
      text: `{format} ${format} is a page of its own: leave out {${option}}`,
    }),
  ),
);

export const comparisonsOf = ({ compare = [] }: ExportRequest) => [compare].flat();

/** Returns the days to give for a comparison, unless they are given. */
function missingDays({ request: { range }, spell }: RequestParts): string | undefined {
  if (range?.last !== undefined || closedRange(range) !== undefined) return undefined;
  const last = spell("range.last");
  return `${spell("range.from")} and ${spell("range.to")}${last === "" ? "" : `, or ${last}`}`;
}

/**
 * Returns the first dimension that has no costs, if no rollup has any, or a file would have no figure at all. Else the
 * files without costs say so.
 */
function findWithoutSpend({ rollups, request: { columns } }: RequestParts): string | undefined {
  const without = rollups.filter((dimensions) => !areOfSpend(dimensions));
  if (without.length < rollups.length && !columns?.every(needsSpend)) return undefined;
  return without.flat().find((name) => !areOfSpend([name]));
}

export const FIGURE_REFUSALS: RequestRefusals = [
  { options: ["chance"], without: ["compare"], text: "{chance} needs {compare}: it judges changes" },
  {
    options: ["chance"],
    when: ({ request, spell }) => {
      const unjudged = findUnjudged(request.columns ?? []);
      return unjudged && `${unjudged.rate} needs ${unjudged.whole} among ${spell("columns")}`;
    },
    text: "{chance} of {found}",
  },
  {
    options: ["versus"],
    when: ({ dimensions }) => dimensions.length !== 1,
    text: "{versus} needs one dimension: it names a row by its key",
  },
  {
    options: ["versus", "columns"],
    when: ({ request }) => ratesAmong(request.columns).length === 0,
    text: `{versus} compares rates: {columns} needs one of ${COMPARED_RATES.flatMap(({ part }) => part).join(", ")}`,
  },
  { options: ["fill"], without: ["grain"], text: "{fill} needs {grain}: it fills periods" },
  ...PAGES_OF_THEIR_OWN,
  {
    options: ["range"],
    when: (parts) => isOfCharts(parts) && missingDays(parts),
    text: "A report needs {found}: it compares with a period of the same length",
  },
  {
    options: ["with"],
    without: ["rows"],
    when: isOfFormat("explore"),
    text: "{with} needs {rows}: it adds columns to the calls",
  },
  {
    options: ["filter.tracking_number"],
    when: isOfFormat("explore"),
    text: "The page to explore would contain the number of {filter.tracking_number}",
  },
  {
    when: ({ request: { format, by = [] } }) => format === "explore" && by.find(isUnshared),
    text: "The page to explore has no {found}, which identifies clicks or numbers",
  },
  {
    when: (parts) => isOfFormat("explore")(parts) && !parts.source.lists,
    text: "The page to explore cannot be made with {engine}: the cluster computes figures, but not lists",
  },
  {
    options: ["compare"],
    without: ["grain"],
    when: ({ request }) => comparisonsOf(request).find((name) => name === PERIOD_ON_PERIOD),
    text: "{compare} {found} needs {grain}: it compares each period with the one before it",
  },
  {
    options: ["compare"],
    when: ({ request }) =>
      isPageFormat(request.format) &&
      comparisonsOf(request).some((name, index) => index > 0 || name === PERIOD_ON_PERIOD),
    text: `A page has one comparison, of all its days: {compare} takes one of ${SPAN_COMPARISONS.join(", ")}`,
  },
  {
    options: ["compare"],
    when: (parts) =>
      !isPageFormat(parts.request.format) &&
      comparisonsOf(parts.request).some((name) => name !== PERIOD_ON_PERIOD) &&
      missingDays(parts),
    text: "{compare} needs {found}: it compares with a period of the same length",
  },
  {
    when: ({ request: { by = [] } }) => by.find((name, index) => by.indexOf(name) !== index),
    text: "{by} has {found} twice",
  },
  {
    options: ["top"],
    when: ({ dimensions, kinds }) => dimensions.length === 0 && kinds.includes("rollup"),
    text: "{top} needs {by}: it keeps keys of dimensions",
  },
  {
    options: ["spend"],
    when: findWithoutSpend,
    text: `{spend} applies only to ${SPEND_DIMENSIONS.join(", ")}, not to {found}`,
  },
  {
    without: ["spend"],
    when: ({ request }) => figureAmong(request, SPEND_FIGURES),
    text: "{columns} {found} needs {spend}",
  },
  ...(["profile", "delimiter"] as const).map(
    (option): RequestRefusal => ({ options: [option, "format"], text: `{${option}} is for csv` }),
  ),
];
