import * as z from "zod";
import { type CallFilter, NO_OUTCOME, STAGES } from "../../calls/filter.ts";
import { outcomesSchema, pageRulesSchema, spendSchema } from "../../export/statements/range-schema.ts";
import { COLUMN_TYPES } from "../../export/table.ts";
import { DIMENSIONS } from "../../figures/dimensions.ts";
import { REVENUE_BY } from "../../figures/metrics.ts";
import { basisSchema, coverageSchema } from "../../warehouse/runs/basis-schema.ts";

/** What the names of listed columns begin with, among the columns of calls. */
export const LISTED = "call.";

const texts = z.array(z.string()).readonly().exactOptional();
const yes = z.literal(true).exactOptional();
const filter = {
  org_unit: texts,
  channel: texts,
  source: texts,
  campaign: texts,
  disposition: texts,
  topic: texts,
  outcome: z
    .array(z.enum([...STAGES, NO_OUTCOME]))
    .readonly()
    .exactOptional(),
  min_duration_seconds: z.number().exactOptional(),
  first_time: yes,
  has_gclid: yes,
  tracking_number: texts,
  include_gone: yes,
} satisfies Record<keyof Omit<CallFilter, "exclude_callers">, z.ZodType>;

const listedColumn = z.object({ name: z.string(), type: z.enum(COLUMN_TYPES) });
export type ListedColumn = z.infer<typeof listedColumn>;

const spendForm = z.object({ currency: z.string().optional(), decimals: z.number() });

/** What the page knows in addition to its calls. Days are local dates. */
export const pageFactsSchema = z.object({
  /** The account's name in calltally.yaml; null for the only one. */
  account: z.string().nullable(),
  /** Whose calls they are; null if it was not said. */
  name: z.string().nullable(),
  /** What an `img` shows; null for none. */
  logo: z.string().nullable(),
  /** BCP 47; null for `1,234.5` and `26 Oct 2026`. */
  locale: z.string().nullable(),
  timezone: z.string(),
  /** The days in the file. */
  from: z.string(),
  to: z.string(),
  /** The filter of all calls in the file. */
  filter: z.object(filter),
  /** How many callers are left out, if a file of them was given. */
  excludedCallers: z.number().nullable(),
  dimensions: z.array(z.enum(DIMENSIONS)).readonly(),
  /** The fewest calls of a group, in a file of groups; null for one of single calls. */
  minCell: z.number().nullable(),
  rules: pageRulesSchema,
  /** Whether topics decide which calls are qualified, too. */
  hasTopics: z.boolean(),
  /** The last run that proved that it read every call; null if there is none. */
  verified: coverageSchema.shape.verified,
  /** Missing without spend, or outcomes. */
  spend: z.object({ form: spendForm, described: spendSchema }).optional(),
  outcomes: z
    .object({ form: spendForm.extend({ by: z.enum(REVENUE_BY) }), described: outcomesSchema })
    .optional(),
  /** The columns of the list of calls; missing without a list. */
  listed: z.array(listedColumn).readonly().optional(),
  warehouse: basisSchema,
  /** The first day from which on the copy has all calls; null without calls. */
  coveredFrom: z.string().nullable(),
  /** The first day with enough days of calls before it to know first-time callers. */
  historyFrom: z.string().nullable(),
  /** Later calls may still change, ISO 8601 UTC; null if all may. */
  settledUntil: z.string().nullable(),
  fingerprint: z.string(),
  /** SHA-256 of the calls as they are in the file, in hex. */
  sha256: z.string(),
});
export type PageFacts = z.infer<typeof pageFactsSchema>;
