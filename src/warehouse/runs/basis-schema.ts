import * as z from "zod";

const markSchema = z.strictObject({ run_id: z.int(), made_at: z.string(), sha256: z.string() });

/** What figures are based on: manifests, pages to explore, clusters, `verify` and the library have it, or a part of it. */
export const basisSchema = z.object({
  /** The last finished run. */
  run: z
    .object({
      run_id: z.int(),
      finished_at: z.string().nullable(),
      verdict: z.string().nullable(),
      verdict_reason: z.string().nullable(),
    })
    .nullable(),
  origin: z.object({
    base_url: z.string().nullable(),
    org_unit_id: z.string().nullable(),
    account: z.string().nullable(),
    warehouse_id: z.string(),
    /** Present if `calltally demo` made the warehouse. */
    made_by_demo: z.literal(true).optional(),
  }),
  /** What the operator can do about the last run's verdict; null for nothing. */
  advice: z.string().nullable(),
  /** Rows that could not be parsed and are in no figure, and all rows that the service lists; null if all could be. */
  rejected: z.object({ rows: z.number(), listed: z.number() }).nullable(),
  /** Calls that went missing in one pass, over the missing-call threshold, and still count. */
  withheld_calls: z.number(),
  /** Calls of another organization unit than the one asked for. */
  other_unit_calls: z.number(),
  /** Calls that the service no longer lists and that still count, and from when on a full pass can mark the last as gone; null if none. */
  missing: z.object({ calls: z.number(), until: z.string() }).nullable(),
  /** Calls older than any that the service lists, which still count, and since when; null if none. */
  unlisted: z.object({ calls: z.number(), since: z.string() }).nullable(),
  /** A first load is running or was interrupted, so first calls are not settled yet. */
  first_load: z.boolean(),
  /** What proves the last proven full pass; null if there is none. */
  certificate: markSchema.nullable(),
  /** The facts follow other rules than those given to `readBasis`. */
  rules_changed: z.boolean(),
  /** Another account has the same calls; null if none is known. */
  shared_calls: z.object({ account: z.string() }).nullable(),
});
export type Basis = z.infer<typeof basisSchema>;

const { run, origin } = basisSchema.shape;
/** What `verify` reads of a file's basis, also of files of other versions. */
export const fileBasisSchema = z.looseObject({
  run: run.unwrap().pick({ run_id: true, verdict: true, finished_at: true }).loose().nullable(),
  origin: origin.pick({ warehouse_id: true }).loose(),
  certificate: markSchema.nullable(),
});
export type FileBasis = z.infer<typeof fileBasisSchema>;

const differenceSchema = z.object({
  /** Calls that count here, and that the service no longer lists. */
  missing: z.number(),
  unlisted: z.number(),
  withheld: z.number(),
  /** Listed rows that could not be parsed and are in no call. */
  rejected: z.number(),
  /** How many more calls than that are here, or fewer if negative: they came or went during the sync. */
  others: z.number(),
});
export type Difference = z.infer<typeof differenceSchema>;

export const coverageSchema = z.object({
  /** Calls that count here, and the service's count at the last finished sync. */
  calls: z.number(),
  total: z.number().nullable(),
  /** Why the two differ; null if they do not, or are not known. */
  difference: differenceSchema.nullable(),
  /** The order of the list, in words; null before the first sync. */
  order: z.string().nullable(),
  verified: z.object({ run_id: z.number(), finished_at: z.string().nullable() }).nullable(),
  newest_call: z.string().nullable(),
  /** Rows that could not be parsed, and are in no figure. */
  rejected: z.number(),
  drift: z.array(z.string()),
});
export type Coverage = z.infer<typeof coverageSchema>;
