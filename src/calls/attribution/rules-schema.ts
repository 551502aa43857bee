import * as z from "zod";
import { ALIAS_FIELDS, type AttributionRules } from "./attribution-rules.ts";

/** z.record would lose an alias named __proto__. */
const aliases = z.custom<Record<string, string>>(
  (value) => value instanceof Object && Object.values(value).every((text) => typeof text === "string"),
);

/** Stored rules, without how callers are known. */
export const rulesSchema = z.object({
  answered: z.array(z.string()).readonly(),
  missed: z.array(z.string()).readonly(),
  qualified_seconds: z.number(),
  duration_unit: z.enum(["seconds", "milliseconds"]),
  aliases,
  aliases_of: z.partialRecord(z.enum(ALIAS_FIELDS), aliases).optional(),
  topics: z
    .array(
      z.object({
        topic: z.string(),
        phrase: z.string(),
        speaker: z.string().nullable(),
        qualifies: z.boolean().nullable(),
        value: z.string().nullable(),
        line: z.number().optional(),
      }),
    )
    .readonly(),
  channels: z
    .array(
      z.object({
        channel: z.string(),
        source: z.string(),
        medium: z.string(),
        campaign: z.string(),
        referrer: z.string(),
        line: z.number().optional(),
      }),
    )
    .readonly(),
  hours: z
    .object({ week: z.string(), closed: z.array(z.string()).readonly(), timezone: z.string() })
    .optional(),
}) satisfies z.ZodType<AttributionRules>;
