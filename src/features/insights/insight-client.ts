import { z } from "zod";
import { contractError } from "../../service/api/api-errors.ts";
import type { ApiClient, RequestOptions } from "../../service/api/client.ts";
import { type Envelope, envelopeSchema, parseContract } from "../../service/api/response-envelope.ts";

/** Missing members and null are both null; an empty string stays. */
const orNull = <T>(schema: z.ZodType<T>) => schema.nullish().transform((value) => value ?? null);
const text = orNull(z.string());
const integer = orNull(z.int());
const flag = orNull(z.boolean());
const json = orNull(z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]));

const localTime = z.iso.datetime({ local: true, precision: 0 }).regex(/\d$/);

/** Returns `YYYY-MM-DD HH:MM:SS` as ISO 8601; null for other text, such as `0000-00-00 00:00:00`. */
function parseLocal(served: string | null): string | null {
  return localTime.safeParse(served?.replace(" ", "T")).data ?? null;
}

/** An insight (API v3 § 2.1) but for its id. Which members are always present is undocumented: none is required. */
const members = z.object({
  insight_name: text,
  insight_type: text,
  insight_help: text,
  indicator_score_type: text,
  insight_status: text,
  indicator_active: flag,
  is_custom_ai: flag,
  llm_config: json,
  keyword_config: json,
  draft_details: json,
  hit_outcome_by: text,
  hit_keywords: text,
  hit_mention: text,
  miss_outcome_by: text,
  miss_keywords: text,
  miss_mention: text,
  insight_output: text,
  insight_guideline: text,
  insight_description: text,
  insight_example: text,
  group_list: z
    .array(z.looseObject({ id: z.int() }))
    .nullish()
    .transform((groups) => groups ?? []),
  start_date: text,
  indicator_start_date: text,
  indicator_end_date: text,
  indicator_group_active: flag,
  scorecards: integer,
  creation_date: text,
  last_updated: text,
  created_at: text,
  updated_at: text,
  created_by: integer,
  updated_by: integer,
  deleted_at: text,
  deleted_by: integer,
});

const insightSchema = z.object({ insight_id: z.int(), ...members.shape });

/** What {@link getInsight} returns, with the ids of the groups. */
export const insightWithGroupIds = insightSchema.extend({
  group_list: z.array(z.int()),
  start_date_parsed: text,
  indicator_start_date_parsed: text,
  indicator_end_date_parsed: text,
  extra: z.unknown(),
});

/** An insight in the API's names. Dates are as served, and parsed in separate members. */
export type Insight = Awaited<ReturnType<typeof getInsight>>;

/** Reads one insight (API v3 § 4.1). @throws ApiError; with status 404 if it does not exist */
export async function getInsight(client: ApiClient, id: number, options: RequestOptions = {}) {
  const parse = (envelope: Envelope) => {
    const data = withPlainIntegers(envelope.data);
    const what = `The API response for insight ${id} is not as documented`;
    // A member of another type than documented is kept like an undocumented one.
    const wrong = new Set(members.safeParse(data).error?.issues.map(({ path }) => path[0]));
    const isKnown = (member: string) => Object.hasOwn(insightSchema.shape, member) && !wrong.has(member);
    const documented = Object.entries(data).filter(([member]) => isKnown(member));
    const insight = parseContract(insightSchema, Object.fromEntries(documented), what);
    if (insight.insight_id !== id)
      throw contractError(`The API responded for insight ${insight.insight_id}, not ${id}`);
    const others = Object.entries(data).filter(([member]) => !isKnown(member));
    return {
      ...insight,
      start_date_parsed: parseLocal(insight.start_date),
      indicator_start_date_parsed: parseLocal(insight.indicator_start_date),
      indicator_end_date_parsed: parseLocal(insight.indicator_end_date),
      /** Members that are undocumented, or not of the documented type. */
      extra: Object.fromEntries(others),
    };
  };
  const refusedHints = {
    400: "Correct what the service names; its portal shows the ids of insights.",
    404: "The service has no insight with this id: leave it out, or look up the id in the service's portal.",
  };
  return await client.get(`/v3/insights/${id}`, {}, { parse, refusedHints }, options);
}

/** Returns a copy with integers beyond 2^53 as text: the warehouse cannot store others in JSON. */
function withPlainIntegers(data: Envelope["data"]): Envelope["data"] {
  const replace = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
  return envelopeSchema.shape.data.parse(JSON.parse(JSON.stringify(data, replace)));
}
