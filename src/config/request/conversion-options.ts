import * as z from "zod";
import { parseCurrency } from "../../base/text/currency.ts";
import { CONVERSIONS, kindsNeeding, kindsTaking, UPLOADS } from "./conversion-kinds.ts";
import { parsed } from "./issues.ts";
import type { OptionRows } from "./option-row.ts";
import { AMOUNT, CONSENTS, MEASUREMENT_ID, OUTCOME_VALUE, QUALIFY } from "./option-values.ts";

/** Below `conversion`. */
export const CONVERSION_OPTIONS = {
  name: {
    value: z.string().trim().regex(/\S/, "must be the name of a conversion action in the ad platform"),
    help: "Name of the conversion action, by default Qualified call, Booked call or Sold call.",
    examples: ["Qualified call"],
    takenBy: UPLOADS,
    flag: "--conversion-name",
    valueName: "name",
  },
  value: {
    value: z
      .union([z.number().nonnegative(), z.string()])
      .refine(
        (value) => value === OUTCOME_VALUE || AMOUNT.test(String(value)),
        "must be a number such as 149.50, or outcome",
      ),
    help: "Value of a conversion, or `outcome` for what its calls earned; blank by default.",
    examples: [40],
    takenBy: UPLOADS,
    flag: "--conversion-value",
    valueName: "amount",
  },
  currency: {
    value: parsed(parseCurrency).toUpperCase(),
    help: "ISO 4217 code of the currency of the value.",
    examples: ["USD"],
    takenBy: UPLOADS,
    valueName: "code",
  },
  ad_user_data: {
    value: z.enum(CONSENTS),
    help: "Consent to sending caller data to Google.",
    takenBy: kindsTaking("ad_user_data"),
    valueName: "consent",
  },
  ad_personalization: {
    value: z.enum(CONSENTS),
    help: "Consent to personalized ads.",
    takenBy: kindsTaking("ad_personalization"),
    valueName: "consent",
  },
  qualify: {
    value: z.enum(QUALIFY),
    help: "Which calls are conversions: qualified ones, by default, or those whose job was booked or sold.",
    default: "qualified",
    takenBy: UPLOADS,
  },
  every: {
    value: z.boolean(),
    help: "Include every qualified call, not only the first of each click or caller.",
    takenBy: CONVERSIONS,
  },
  new: {
    value: z.boolean(),
    help: "Leave out conversions of earlier files, and give each an order id.",
    takenBy: CONVERSIONS,
  },
  measurement_id: {
    value: z.string().regex(MEASUREMENT_ID, "must be the id of a web data stream, such as G-1A2B3C4D5E"),
    help: "Data stream of ga4-events.",
    examples: ["G-1A2B3C4D5E"],
    takenBy: kindsTaking("measurement_id"),
    neededBy: kindsNeeding("measurement_id"),
    valueName: "id",
  },
} as const satisfies OptionRows;
