import * as z from "zod";
import { COMPARISONS } from "../../base/calendar/grain.ts";
import { rulesSchema } from "../../calls/attribution/rules-schema.ts";
import { REVENUE_BY } from "../../figures/metrics.ts";
import { MATCHES } from "../../sources/spend-campaigns.ts";

const spanSchema = z.object({
  /** First and last local day; missing if open. */
  from: z.string().exactOptional(),
  to: z.string().exactOptional(),
  /** Local time on the last day, `05:24`, if the range is compared with only as much as has been synced of it. */
  until: z.string().exactOptional(),
  /** ISO 8601 UTC; missing if open. */
  starts_at: z.string().exactOptional(),
  /** Exclusive. */
  ends_at: z.string().exactOptional(),
  /** Present if late transcripts and corrections may still change figures. */
  provisional: z.literal(true).exactOptional(),
  /** Present if fewer than 90 days of calls precede it: callers of earlier days count as first-time callers. */
  short_history: z.literal(true).exactOptional(),
});
export type DescribedSpan = z.infer<typeof spanSchema>;

const costSchema = z.object({ rows: z.number(), cost: z.number() });

/** Spend for the days and the filter. */
export const spendSchema = costSchema.extend({
  /** ISO 4217; null if nothing was ever imported. */
  currency: z.string().nullable(),
  /** Digits after the point that show every amount in full. */
  decimals: z.number(),
  /** Days of the ad platforms, taken for days of the zone; null without spend. */
  days: z.object({ count: z.number(), first: z.string(), last: z.string() }).nullable(),
  /** Present if costs have no previous figures and changes, although calls have. */
  days_differ: z.literal(true).exactOptional(),
  /** Rows by how they were matched to campaigns of calls. */
  campaigns: z.record(z.enum(MATCHES), costSchema),
  /** Filters that apply only to calls. */
  filters_of_calls_alone: z.array(z.string()).exactOptional(),
});

const importedSpendSchema = spendSchema.extend({
  imports: z.array(costSchema.extend({ file: z.string(), imported_at: z.string() })),
});
/** Spend in a manifest. */
export type DescribedSpend = z.infer<typeof importedSpendSchema>;

/** Outcomes; the jobs are those of the latest import of each list. */
export const outcomesSchema = z.object({
  /** ISO 4217; null if no job has an amount. */
  currency: z.string().nullable(),
  revenue_by: z.enum(REVENUE_BY),
  jobs: z.number(),
  /** How many of them have a call. */
  matched: z.number(),
});
export type DescribedOutcomes = z.infer<typeof outcomesSchema>;

/** The rules that a page computes figures by. */
export const pageRulesSchema = rulesSchema.pick({
  duration_unit: true,
  qualified_seconds: true,
  hours: true,
});

/** The days, the filter and the amounts of figures: manifests and views of pages to explore have them. */
const rangeSchema = z.object({
  /** Zone of days and periods; times with a Z are UTC. */
  timezone: z.string(),
  filter: z.object({
    excluded_callers: z.number().exactOptional(),
    /** How many of them never called, e.g. because they are mistyped. */
    excluded_callers_without_calls: z.number().exactOptional(),
  }),
  range: spanSchema,
  compared_with: z
    .array(
      spanSchema.extend({
        /** Which comparison it is. */
        as: z.enum(COMPARISONS),
        /** Present if the range begins before the warehouse's first call, so that there are no changes. */
        begins_before_first_call: z.literal(true).exactOptional(),
        /** The last of the first periods whose counterparts begin before the warehouse's first call. */
        lacking_up_to: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
  periods: z.array(spanSchema.extend({ period: z.string() })).exactOptional(),
  rules: pageRulesSchema,
  spend: spendSchema.exactOptional(),
  outcomes: outcomesSchema.exactOptional(),
});
export type RangeFacts = z.infer<typeof rangeSchema>;
