import { z } from "@hono/zod-openapi";

const DATE_TIME = "ISO 8601 UTC.";
const LOCAL = "YYYY-MM-DD HH:MM:SS. Not documented: its time zone.";
const FLAT_COPY = "Flat copy of the keyword setting; may be an empty string.";

const text = z.string();
const localDateTime = z.string().openapi({ description: LOCAL, example: "2025-03-04 00:00:00" });
const isoDateTime = z.iso.datetime().openapi({ description: DATE_TIME });

/** A string of which the API names one value, and does not list the others. */
const openEnum = (known: string) =>
  text.openapi({ description: `${known} Not documented: the other values.` });

const keywordSettings = {
  hit_outcome_by: text.openapi({ description: "Not documented: its values." }),
  hit_keywords: text,
  hit_mention: text.openapi({ description: "Not documented: its values." }),
  miss_outcome_by: text,
  miss_keywords: text,
  miss_mention: text,
};

const flatCopy = text.openapi({ description: FLAT_COPY });

const llmCriterion = z
  .object({ name: text, output: text, example: text, question: text, restrictions: text })
  .partial()
  .openapi("LlmCriterion");

/** Every member of § 2.1, all of them there. */
export const wholeInsight = z.object({
  insight_id: z.int().openapi({ description: "Identifier." }),
  insight_name: text,
  insight_type: openEnum("A keyword-based type exists."),
  insight_help: text,
  indicator_score_type: openEnum("A pass/fail scoring type exists."),
  insight_status: openEnum("An active status exists."),
  indicator_active: z.boolean(),
  is_custom_ai: z.boolean(),
  llm_config: z.object({ criteria: z.array(llmCriterion) }).partial(),
  keyword_config: z.object(keywordSettings).partial(),
  draft_details: z.looseObject({}).openapi({ description: "May be empty. Not documented: its members." }),
  hit_outcome_by: flatCopy,
  hit_keywords: flatCopy,
  hit_mention: flatCopy,
  miss_outcome_by: flatCopy,
  miss_keywords: flatCopy,
  miss_mention: flatCopy,
  insight_output: openEnum("An output kind boolean exists."),
  insight_guideline: text,
  insight_description: text,
  insight_example: text,
  group_list: z.array(z.looseObject({ id: z.int() })).openapi({
    description: "The organization units (groups) the insight is associated with.",
  }),
  start_date: localDateTime,
  indicator_start_date: localDateTime,
  indicator_end_date: localDateTime,
  indicator_group_active: z.boolean(),
  scorecards: z.int(),
  creation_date: isoDateTime,
  last_updated: isoDateTime,
  created_at: isoDateTime,
  updated_at: isoDateTime,
  created_by: z.int(),
  updated_by: z.int(),
  deleted_at: text.nullable().openapi({ description: "Not documented: its format." }),
  deleted_by: z.int().nullable(),
});

export type WholeInsight = z.output<typeof wholeInsight>;

export const insightData = wholeInsight.partial().openapi("Insight", {
  description: "Not documented: which members are always present. In the sandbox all of them are.",
});
