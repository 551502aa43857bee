import type { WholeInsight } from "./insight-schema.ts";

/** What the seeded insights have in common. */
const COMMON = {
  insight_help: "",
  indicator_score_type: "pass_fail",
  insight_status: "active",
  indicator_active: true,
  draft_details: {},
  insight_output: "boolean",
  insight_example: "",
  start_date: "2025-03-01 00:00:00",
  indicator_start_date: "2025-03-01 00:00:00",
  indicator_end_date: "2030-12-31 23:59:59",
  indicator_group_active: true,
  creation_date: "2025-02-24T16:05:09.000Z",
  last_updated: "2025-09-12T08:41:30.000Z",
  created_at: "2025-02-24T16:05:09.000Z",
  updated_at: "2025-09-12T08:41:30.000Z",
  created_by: 9001,
  updated_by: 9002,
  deleted_at: null,
  deleted_by: null,
} as const;

const NO_KEYWORDS = {
  hit_outcome_by: "",
  hit_keywords: "",
  hit_mention: "",
  miss_outcome_by: "",
  miss_keywords: "",
  miss_mention: "",
} as const;

const APPOINTMENT_KEYWORDS = {
  hit_outcome_by: "any",
  hit_keywords: "appointment,book a time,schedule a visit",
  hit_mention: "agent",
  miss_outcome_by: "any",
  miss_keywords: "call back later,not interested",
  miss_mention: "",
} as const;

const EMERGENCY_KEYWORDS = {
  hit_outcome_by: "any",
  hit_keywords: "burst pipe,flood,no hot water",
  hit_mention: "caller",
  miss_outcome_by: "",
  miss_keywords: "",
  miss_mention: "",
} as const;

const appointment: WholeInsight = {
  ...COMMON,
  ...APPOINTMENT_KEYWORDS,
  insight_id: 101,
  insight_name: "Appointment offered",
  insight_type: "keyword",
  is_custom_ai: false,
  llm_config: { criteria: [] },
  keyword_config: APPOINTMENT_KEYWORDS,
  insight_guideline: "The agent offers a time before the call ends.",
  insight_description: "Hits when an appointment is offered.",
  group_list: [{ id: 2101 }, { id: 2102 }],
  scorecards: 2,
};

const objection: WholeInsight = {
  ...COMMON,
  ...NO_KEYWORDS,
  insight_id: 102,
  insight_name: "Price objection handled",
  insight_type: "llm",
  is_custom_ai: true,
  llm_config: {
    criteria: [
      {
        name: "objection_handled",
        output: "boolean",
        example: "“It is too much.” – “We can do it in two steps.”",
        question: "Does the agent answer an objection to the price?",
        restrictions: "Only the agent's words count.",
      },
      {
        name: "discount_offered",
        output: "boolean",
        example: "",
        question: "Does the agent offer a discount?",
        restrictions: "",
      },
    ],
  },
  keyword_config: NO_KEYWORDS,
  insight_guideline: "",
  insight_description: "A model reads the transcription.",
  group_list: [{ id: 2107 }],
  scorecards: 1,
};

const deleted: WholeInsight = {
  ...appointment,
  insight_id: 103,
  insight_name: "Appointment offered (2024)",
  insight_status: "inactive",
  indicator_active: false,
  indicator_group_active: false,
  group_list: [],
  scorecards: 0,
  deleted_at: "2025-09-12T08:41:30.000Z",
  deleted_by: 9002,
};

const draft: WholeInsight = {
  ...COMMON,
  ...EMERGENCY_KEYWORDS,
  insight_id: 104,
  insight_name: "Emergency",
  insight_type: "keyword",
  is_custom_ai: false,
  llm_config: { criteria: [] },
  keyword_config: EMERGENCY_KEYWORDS,
  draft_details: { hit_keywords: "burst pipe,flood,no hot water,gas smell" },
  insight_guideline: "",
  insight_description: "Hits when the caller cannot wait. A change of its keywords is drafted.",
  group_list: [{ id: 2101 }, { id: 2102 }, { id: 2107 }, { id: 2115 }],
  scorecards: 0,
};

/** A keyword insight, an LLM one, one that was deleted and is still shown, and one with a draft. */
export const INSIGHT_SEEDS: readonly WholeInsight[] = [appointment, objection, deleted, draft];
