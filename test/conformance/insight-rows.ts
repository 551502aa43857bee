import { z } from "zod";
import { ENVELOPE } from "./attribution-rows.ts";
import { answers, dataIs, envelopeHas, failed, insightHas, isJson, notSeen, passed } from "./expectations.ts";
import { type Request, type Row, row, type Verdict } from "./row.ts";
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
  dataIs((insight) =>
    names.some((name) => name in insight) ? passed() : failed(`none of ${names.join(", ")}`),
  );

/** The flat copies that differ from the original keyword settings. */
function copiesOfKeywords(insight: Record<string, unknown>): Verdict {
  const { success, data: keywords } = anyObject.safeParse(insight.keyword_config);
  const copied = KEYWORD_MEMBERS.filter((name) => success && name in keywords && name in insight);
  if (!success || copied.length === 0) return notSeen("no copies");
  const unlike = copied.filter((name) => keywords[name] !== insight[name]);
  return unlike.length === 0 ? passed() : failed(unlike.join(", "));
}

/** §§ 1, 2.1 and 4.1. */
export const INSIGHT_ROWS: readonly Row[] = [
  ...Object.entries(FIELDS).map(([name, schema]) => row(`2.1 ${name}`, INSIGHT, insightHas(name, schema))),
  ...Object.entries(ENVELOPE).map(([name, schema]) =>
    row(`1 ${name}: insight details`, INSIGHT, envelopeHas(z.object({ [name]: schema }))),
  ),
  row("1 application/json: insight details", INSIGHT, isJson),
  row("2.1 flat copies of the keyword settings", INSIGHT, dataIs(copiesOfKeywords)),
  row(
    "4.1 method and path",
    INSIGHT,
    dataIs(() => passed()),
  ),
  row(
    "4.1 path parameter id",
    { method: "GET", path: "/v3/insights/not-a-number" },
    // Its format is not documented, so it may also be the name of an insight that does not exist.
    answers(400, 404),
  ),
  row("4.1 data: organization units", INSIGHT, hasOneOf("group_list")),
  row("4.1 data: creation timestamp", INSIGHT, hasOneOf("creation_date", "created_at")),
  row("4.1 data: modification timestamp", INSIGHT, hasOneOf("last_updated", "updated_at")),
];
