import { CHANGE_REFUSALS, CONVERSION_REFUSALS, MERGE_REFUSALS, PLACE_REFUSALS } from "./contents.ts";
import { FIGURE_REFUSALS } from "./figures.ts";
import { OUTCOME_REFUSALS } from "./outcomes.ts";
import { OUTLET_REFUSALS } from "./outlets.ts";
import { REPORT_REFUSALS } from "./reports.ts";
import { SHARING_REFUSALS } from "./sharing.ts";

/**
 * All refusals of what is well formed, in the order in which they are reported. Which contents take an option, and
 * which need it, stands in the options' table.
 */
export const REFUSALS = {
  request: [
    ...MERGE_REFUSALS,
    ...SHARING_REFUSALS,
    ...FIGURE_REFUSALS,
    ...OUTCOME_REFUSALS,
    ...CHANGE_REFUSALS,
    ...CONVERSION_REFUSALS,
    ...PLACE_REFUSALS,
  ],
  report: REPORT_REFUSALS,
  outlet: OUTLET_REFUSALS,
};
