import type { AttributionRules } from "../../attribution/attribution-rules.ts";
import type { CallFilter } from "../../call/filter.ts";
import type { DescribedSpend } from "../../export/described-spend.ts";
import type { DescribedOutcomes } from "../../export/manifest.ts";
import type { Column } from "../../export/table.ts";
import type { Dimension } from "../../figures/dimensions.ts";
import type { OutcomeForm, SpendForm } from "../../figures/metrics.ts";
import type { Basis } from "../../warehouse/runs/basis.ts";

/** What the names of listed columns begin with, among the columns of calls. */
export const LISTED = "call.";

export type ListedColumn = Pick<Column, "name" | "type">;

/** What the page knows in addition to its calls. Days are local dates. */
export interface PageFacts {
  /** The account's name in calltally.yaml; null for the only one. */
  account: string | null;
  /** Whose calls they are; null if it was not said. */
  name: string | null;
  /** What an `img` shows; null for none. */
  logo: string | null;
  /** BCP 47; null for the browser's. */
  locale: string | null;
  timezone: string;
  /** The days in the file. */
  from: string;
  to: string;
  /** The filter of all calls in the file. */
  filter: Omit<CallFilter, "exclude_callers">;
  /** How many callers are left out, if a file of them was given. */
  excludedCallers: number | null;
  dimensions: readonly Dimension[];
  /** The fewest calls of a group, in a file of groups; null for one of single calls. */
  minCell: number | null;
  rules: Pick<AttributionRules, "duration_unit" | "qualified_seconds" | "hours">;
  /** Undefined without spend, or outcomes. */
  spend: { form: SpendForm; described: Omit<DescribedSpend, "imports"> } | undefined;
  outcomes: { form: OutcomeForm; described: DescribedOutcomes } | undefined;
  /** The columns of the list of calls; undefined without a list. */
  listed: readonly ListedColumn[] | undefined;
  warehouse: Basis;
  /** The first day from which on the copy has all calls; null without calls. */
  coveredFrom: string | null;
  /** The first day with enough days of calls before it to know first-time callers. */
  historyFrom: string | null;
  /** Later calls may still change, ISO 8601 UTC; null if all may. */
  settledUntil: string | null;
  fingerprint: string;
  /** SHA-256 of the calls as they are in the file, in hex. */
  sha256: string;
}
