import { z } from "@hono/zod-openapi";
import { digits, WHOLE_NUMBER } from "../contract.ts";

const SORT_KEYS = ["source_name", "total_calls", "conversion_rate", "roi", "cost_per_conversion"] as const;

const MISSING =
  "Not documented: how a missing value looks. In the sandbox it is an empty string or left out, and may be null in one started with --nulls.";

/** The query parameters of § 4.2. */
export const attributionQuery = z.object({
  limit: digits.pipe(z.int().min(1).max(1000)).default(100).openapi({
    type: "integer",
    default: 100,
    minimum: 1,
    maximum: 1000,
    description:
      "Most calls to return. Not documented: a least value, and what becomes of a limit above the maximum. The sandbox returns 400 for 0 and for more than 1000.",
  }),
  offset: digits.default(0).openapi({
    ...WHOLE_NUMBER,
    default: 0,
    description:
      "Number of calls skipped. Not documented: what becomes of a negative one. The sandbox returns 400.",
  }),
  sort_by: z.enum(SORT_KEYS).optional().openapi({
    description:
      "Not documented: its default, what the keys mean, and how a key of aggregates orders single calls. In the sandbox the calls of one source (insight_name) stand together, in the order they have without a key, and the sources are ordered by their name or by figures of this moment: the number of their listed calls, the share of the answered ones among them, and made-up money. These move when calls come in.",
  }),
  sort_order: z.enum(["asc", "desc"]).default("desc").openapi({
    description:
      "Not documented: what it does without a sort_by. In the sandbox desc is the order that the calls have without it, and asc is that from its end.",
  }),
  org_unit_id: z.unknown().optional().openapi({
    description:
      "Accepted as a query parameter. Not documented: its type and meaning. In the sandbox a whole number selects the calls of that org_unit_id, and anything else selects nothing away.",
  }),
});

export type AttributionQuery = z.output<typeof attributionQuery>;

const dniValue = z.string();

const dniData = z
  .object({
    utm_source: dniValue,
    utm_medium: dniValue,
    utm_campaign: dniValue,
    utm_content: dniValue,
    utm_term: dniValue,
    gclid: dniValue.openapi({ description: "Google click id." }),
    gclsrc: dniValue,
    google_analytics_cid: dniValue.openapi({ description: "Google Analytics client id." }),
    referring_url: dniValue,
    campaign_name: dniValue,
    campaign_id: dniValue,
  })
  .partial()
  .openapi("DniData", { description: `All members are strings. ${MISSING}` });

const attributedCall = z
  .object({
    insight_name: z.string().openapi({ description: "Campaign or source name." }),
    call_id: z.int(),
    caller_id: z.string().openapi({ description: `Phone number in international format. ${MISSING}` }),
    tracking_number: z.string().openapi({ description: "Phone number in international format." }),
    call_started: z.iso
      .datetime({ precision: 3 })
      .openapi({ description: "ISO 8601 UTC with milliseconds." }),
    duration: z
      .int()
      .openapi({ description: "Not documented: its unit. In the sandbox it is a count of seconds." }),
    disposition: z
      .string()
      .openapi({ description: "An answered value exists. Not documented: the other values." }),
    org_unit_id: z.int(),
    org_unit_name: z.string(),
    recording_url: z.url().openapi({ description: "Present only if a recording is available." }),
    dni_data: dniData,
    summary: z.string().openapi({ description: `AI-generated summary. ${MISSING}` }),
    transcription: z.string().openapi({ description: "Full text." }),
    transcription_details: z.array(
      z.object({
        channel: z.string(),
        time: z.string().openapi({ description: "mm:ss" }),
        text: z.string(),
      }),
    ),
  })
  .partial()
  .openapi("AttributedCall", {
    description:
      "A call that has DNI session data. Not documented: which members are always present, but for recording_url.",
  });

export const attributionData = z.object({
  calls: z.array(attributedCall),
  total: z.int().openapi({ description: "Total count, for pagination." }),
  limit: z.int().openapi({ description: "The applied limit." }),
  offset: z.int().openapi({ description: "The applied offset." }),
});
