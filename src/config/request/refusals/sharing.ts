import { PERIOD_ON_PERIOD, SPAN_COMPARISONS } from "../../../base/calendar/grain.ts";
import { TIME_FIGURES } from "../../../figures/metrics.ts";
import { isList, isUnshared } from "../contents.ts";
import { HYGIENE } from "../option-values.ts";
import { comparisonsOf } from "./figures.ts";
import { figureAmong, isOfFormat, type RequestRefusals } from "./request-parts.ts";

const SHARED = "{min_cell} writes files that may be shared";
/** Of share-safe files. */
const SHARING: RequestRefusals = [
  {
    when: ({ request }) => request.contents?.includes(HYGIENE),
    text: `{min_cell} is for figures: ${HYGIENE} also lists tags of few calls`,
  },
  {
    when: ({ lists }) => lists.join(" and "),
    text: "{min_cell} is for figures: each row of {found} is one call or caller",
  },
  {
    when: ({ request: { contents = [], by = [] } }) =>
      [...contents, ...by]
        .filter((name) => name !== HYGIENE && !isList(name) && isUnshared(name))
        .join(" and "),
    text: `${SHARED}, and {found} in them would identify clicks or numbers`,
  },
  {
    options: ["filter.tracking_number"],
    text: `${SHARED}, and the manifest would contain the number of {filter.tracking_number}`,
  },
  { options: ["rows"], text: "{min_cell} is for figures, and {rows} lists single calls" },
  {
    when: ({ request: { format, by } }) => format === "explore" && by?.includes("hour"),
    text: "{min_cell} groups calls by day: leave hour out of {by}",
  },
  {
    options: ["outcomes"],
    when: isOfFormat("explore"),
    text: "{min_cell} leaves outcomes out of the page to explore: leave out {outcomes}",
  },
  {
    options: ["compare"],
    when: ({ request }) =>
      comparisonsOf(request).some((name, index) => index > 0 || name === PERIOD_ON_PERIOD),
    text: `{min_cell} allows one comparison, with ${SPAN_COMPARISONS.join(" or ")}: the same calls in two rows or columns would reveal small numbers`,
  },
  { options: ["top"], text: "{min_cell} and {top} both fold rows into (other): use one or the other" },
  {
    options: ["fill"],
    text: "{fill} would write 0 for rows that {min_cell} folds into (other): leave one of them out",
  },
  {
    options: ["spend"],
    text: "{spend} adds rows of costs without calls, and costs per call would reveal small numbers of calls: not with {min_cell}",
  },
  {
    when: ({ request }) => figureAmong(request, TIME_FIGURES),
    text: "{columns} {found} is the time of a single call: not with {min_cell}",
  },
];
export const SHARING_REFUSALS: RequestRefusals = SHARING.map(({ options: names = [], ...refusal }) => ({
  ...refusal,
  options: ["min_cell", ...names],
}));
