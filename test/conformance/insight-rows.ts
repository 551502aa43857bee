import { z } from "zod";
import { answers, failed, insightHas, insightIs, passed } from "./expectations.ts";
import type { Request, Row } from "./row.ts";
import { anyObject, flag, integer, isoUtc, localDateTime, text, texts } from "./types.ts";

export const INSIGHT: Request = { method: "GET", path: "/v3/insights/{insight}" };

const KEYWORD_MEMBERS = [
  "hit_outcome_by",
  "hit_keywords",
  "hit_mention",
  "miss_outcome_by",
  "miss_keywords",
  "miss_mention",
];

const FIELDS: Readonly<Record<string, z.ZodType>> = {
  insight_id: integer,
  insight_name: text,
  insight_type: text,
  insight_help: text,
  indicator_score_type: text,
  insight_status: text,
  indicator_active: flag,
  is_custom_ai: flag,
  llm_config: z
    .object({ criteria: z.array(texts("name", "output", "example", "question", "restrictions")) })
    .partial(),
  keyword_config: texts(...KEYWORD_MEMBERS),
  draft_details: anyObject,
  ...Object.fromEntries(KEYWORD_MEMBERS.map((name) => [name, text])),
  insight_output: text,
  insight_guideline: text,
  insight_description: text,
  insight_example: text,
  group_list: z.array(z.object({ id: integer })),
  start_date: localDateTime,
  indicator_start_date: localDateTime,
  indicator_end_date: localDateTime,
  indicator_group_active: flag,
  scorecards: integer,
  creation_date: isoUtc,
  last_updated: isoUtc,
  created_at: isoUtc,
  updated_at: isoUtc,
  created_by: integer,
  updated_by: integer,
  deleted_at: text.nullable(),
  deleted_by: integer.nullable(),
};

const hasOneOf = (...names: string[]) =>
  insightIs((insight) =>
    names.some((name) => name in insight) ? passed() : failed(`none of ${names.join(", ")}`),
  );

/** §§ 2.1 and 4.1. */
export const INSIGHT_ROWS: readonly Row[] = [
  ...Object.entries(FIELDS).map(([name, schema]) => ({
    section: `2.1 ${name}`,
    request: INSIGHT,
    expect: insightHas(name, schema),
  })),
  { section: "4.1 method and path", request: INSIGHT, expect: insightIs(() => passed()) },
  {
    section: "4.1 path parameter id",
    request: { method: "GET", path: "/v3/insights/not-a-number" },
    // Its format is not documented, so it may also be the name of an insight that does not exist.
    expect: answers(400, 404),
  },
  { section: "4.1 data: organization units", request: INSIGHT, expect: hasOneOf("group_list") },
  {
    section: "4.1 data: creation timestamp",
    request: INSIGHT,
    expect: hasOneOf("creation_date", "created_at"),
  },
  {
    section: "4.1 data: modification timestamp",
    request: INSIGHT,
    expect: hasOneOf("last_updated", "updated_at"),
  },
];
