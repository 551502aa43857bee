import { z } from "zod";
import { parseDate } from "../calendar/dates.ts";
import { COMPARISONS, GRAINS } from "../calendar/grain.ts";
import { SETTINGS } from "../config/settings.ts";
import { parseTimeZone } from "../config/time-zone.ts";
import { describeError, UsageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { DIMENSIONS, SPEND_DIMENSIONS } from "../rollup/dimensions.ts";
import type { Dimension, RollupQuestion, SyncOptions } from "./types.ts";

/** Settings that are options by names of their own. */
const OPTIONS: readonly string[] = [
  SETTINGS.database.env,
  SETTINGS.baseUrl.env,
  SETTINGS.token.env,
  SETTINGS.tokenFile.env,
  SETTINGS.orgUnitId.env,
];
const OTHERS: readonly string[] = Object.values(SETTINGS)
  .map(({ env }) => env)
  .filter((name) => !OPTIONS.includes(name));

const settingName = z.string().superRefine((name, context) => {
  if (OTHERS.includes(name)) return;
  const meant = nearest(name, OTHERS);
  const advice = meant === undefined ? "" : `; did you mean ${meant}?`;
  context.addIssue(
    OPTIONS.includes(name) ? `${name} is an option of its own` : `${name} is not a setting${advice}`,
  );
});

const syncOptions = z.strictObject({
  database: z.string().min(1),
  baseUrl: z.string().min(1),
  token: z.string().min(1),
  orgUnitId: z.int().optional(),
  mode: z.enum(["full", "incremental"]).optional(),
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z.custom<SyncOptions["onProgress"]>((value) => typeof value === "function").optional(),
  settings: z.record(settingName, z.string()).optional(),
}) satisfies z.ZodType<SyncOptions>;

const date = z.string().transform(toIssue(parseDate)).optional();
const values = z.array(z.string()).min(1).readonly().exactOptional();
const only = z.literal(true).exactOptional();

const filter = z.strictObject({
  org_unit: values,
  channel: values,
  source: values,
  campaign: values,
  disposition: values,
  min_duration_seconds: z.int().min(0).exactOptional(),
  first_time: only,
  has_gclid: only,
  tracking_number: values,
  exclude_callers: values,
  include_gone: only,
});

const rollupQuestion = z
  .strictObject({
    by: z.array(z.enum(DIMENSIONS as readonly [Dimension, ...Dimension[]])).readonly(),
    from: date,
    to: date,
    timezone: z.string().transform(toIssue(parseTimeZone)).optional(),
    grain: z.enum(GRAINS).optional(),
    compare: z.enum(COMPARISONS).optional(),
    filter: filter.optional(),
    top: z.int().min(1).optional(),
    fill: z.boolean().optional(),
    spend: z.boolean().optional(),
    total: z.boolean().optional(),
  })
  .superRefine(({ by, from, to, grain, compare, fill, spend }, context) => {
    const twice = by.find((name, index) => by.indexOf(name) !== index);
    const costless = by.find((name) => !SPEND_DIMENSIONS.includes(name));
    if (twice !== undefined) context.addIssue(`by has ${twice} twice`);
    if (from !== undefined && to !== undefined && from > to)
      context.addIssue(`from ${from} is after to ${to}`);
    if (fill && grain === undefined) context.addIssue("fill needs grain: it fills periods");
    if (compare !== undefined && (from === undefined || to === undefined)) {
      context.addIssue("compare needs from and to: it compares with a period of the same length");
    }
    if (spend && costless !== undefined) {
      context.addIssue(`spend applies to ${SPEND_DIMENSIONS.join(", ")}, and not to ${costless}`);
    }
  }) satisfies z.ZodType<RollupQuestion>;

/** @throws UsageError that names the option, and says what it may be */
export function parseSyncOptions(options: unknown) {
  return parse(syncOptions, options);
}

/** @throws UsageError that names the member, and says what it may be */
export function parseQuestion(question: unknown) {
  return parse(rollupQuestion, question);
}

function parse<T>(schema: z.ZodType<T>, given: unknown): T {
  const { data, error } = schema.safeParse(given);
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return data as T;
  // Why a key cannot be one stands below it.
  const message = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  const path = issue.code === "invalid_key" ? issue.path.slice(0, -1) : issue.path;
  throw new UsageError(path.length > 0 ? `${path.join(".")}: ${message}` : message);
}

/** Makes an issue of what a parser of texts throws. */
function toIssue(parseText: (text: string) => string) {
  return (text: string, context: z.RefinementCtx): string => {
    try {
      return parseText(text);
    } catch (error) {
      context.addIssue(describeError(error));
      return z.NEVER;
    }
  };
}
