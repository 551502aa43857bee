/** The JSON of one insight. Tests may put anything into it, so its members are unknown. */
type WireInsight = Readonly<Record<string, unknown>>;

const NO_KEYWORDS = {
  hit_outcome_by: "",
  hit_keywords: "",
  hit_mention: "",
  miss_outcome_by: "",
  miss_keywords: "",
  miss_mention: "",
};

/** Makes an insight with every member of § 2.1, in order. */
function makeInsight(
  insight_id: number,
  insight_name: string,
  keywords: typeof NO_KEYWORDS,
  members: object,
) {
  const required = {
    insight_id,
    insight_name,
    insight_type: "keyword",
    insight_help: "",
    indicator_score_type: "pass_fail",
    insight_status: "active",
    indicator_active: true,
    is_custom_ai: false,
    llm_config: { criteria: [] },
    keyword_config: keywords,
    draft_details: {},
    ...keywords,
    insight_output: "boolean",
    insight_guideline: "",
    insight_description: "",
    insight_example: "",
    group_list: [],
    start_date: "2025-03-01 00:00:00",
    indicator_start_date: "2025-03-01 00:00:00",
    indicator_end_date: "2030-12-31 23:59:59",
    indicator_group_active: true,
    scorecards: 0,
    creation_date: "2025-02-24T16:05:09.000Z",
    last_updated: "2025-09-12T08:41:30.000Z",
    created_at: "2025-02-24T16:05:09.000Z",
    updated_at: "2025-09-12T08:41:30.000Z",
    created_by: 9001,
    updated_by: 9002,
    deleted_at: null,
    deleted_by: null,
  };
  return { ...required, ...members };
}

const APPOINTMENT_KEYWORDS = {
  hit_outcome_by: "any",
  hit_keywords: "appointment,book a time,schedule a visit",
  hit_mention: "agent",
  miss_outcome_by: "any",
  miss_keywords: "call back later,not interested",
  miss_mention: "",
};

const APPOINTMENT = {
  insight_guideline: "The agent offers a time before the call ends.",
  insight_description: "Hits when an appointment is offered.",
};

/** A keyword insight, an LLM one, a deleted one that is still shown, and one with a draft. */
export const INSIGHT_SEEDS = [
  makeInsight(101, "Appointment offered", APPOINTMENT_KEYWORDS, {
    ...APPOINTMENT,
    group_list: [{ id: 2101 }, { id: 2102 }],
    scorecards: 2,
  }),
  makeInsight(102, "Price objection handled", NO_KEYWORDS, {
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
    insight_description: "A model reads the transcription.",
    group_list: [{ id: 2107 }],
    scorecards: 1,
  }),
  makeInsight(103, "Appointment offered (2024)", APPOINTMENT_KEYWORDS, {
    ...APPOINTMENT,
    insight_status: "inactive",
    indicator_active: false,
    indicator_group_active: false,
    deleted_at: "2025-09-12T08:41:30.000Z",
    deleted_by: 9002,
  }),
  makeInsight(
    104,
    "Emergency",
    {
      ...NO_KEYWORDS,
      hit_outcome_by: "any",
      hit_keywords: "burst pipe,flood,no hot water",
      hit_mention: "caller",
    },
    {
      draft_details: { hit_keywords: "burst pipe,flood,no hot water,gas smell" },
      insight_description: "Hits when the caller cannot wait. A change of its keywords is drafted.",
      group_list: [{ id: 2101 }, { id: 2102 }, { id: 2107 }, { id: 2115 }],
    },
  ),
];

export class SandboxInsights {
  readonly #insights = new Map<number, WireInsight>(INSIGHT_SEEDS.map((seed) => [seed.insight_id, seed]));

  get ids(): number[] {
    return [...this.#insights.keys()];
  }

  get(id: number): WireInsight | undefined {
    return this.#insights.get(id);
  }

  /** Replaces members with any JSON value (objects as a whole); undefined removes a member. */
  edit(id: number, patch: WireInsight): void {
    const insight = this.#insights.get(id);
    if (insight === undefined) throw new Error(`Cannot edit insight ${id}: the sandbox has no such insight`);
    this.#insights.set(id, { ...insight, ...patch });
  }
}
