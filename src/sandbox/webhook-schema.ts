import { z } from "@hono/zod-openapi";

const HTTP_TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

const staticParameter = z
  .strictObject({ field_name: z.string(), field_value: z.string() })
  .openapi("StaticParameter", {
    additionalProperties: true,
    description: "Not documented: other members. The sandbox refuses them with 400.",
  });

const settings = {
  webhook_name: z.string(),
  webhook_endpoint: z.string().refine(isHttpsUrl, "must be a valid HTTPS URL").openapi({
    format: "uri",
    pattern: "^[Hh][Tt][Tt][Pp][Ss]://",
    description: "Must be a valid HTTPS URL.",
  }),
  description: z.string(),
  format: z.string().openapi({
    description: "A JSON value exists. Not documented: the other values. The sandbox takes any string.",
  }),
  method: z.string().regex(HTTP_TOKEN, "must be an HTTP method name").openapi({
    type: "string",
    description:
      "An HTTP method name; a GET value exists. Not documented: the other values. The sandbox takes any HTTP token.",
  }),
  include_data_append: z.boolean().openapi({ description: "Adds appended data to the delivered payload." }),
  include_dni_logs: z.boolean().openapi({ description: "Adds DNI logs to the payload." }),
  include_indicator_scores: z.boolean().openapi({ description: "Adds indicator scores to the payload." }),
  include_ivr_keypresses: z.boolean().openapi({ description: "Adds IVR keypresses to the payload." }),
  webhook_status: z
    .enum(["active", "inactive"])
    .openapi({ description: "Stays as stored when it is left out." }),
  static_parameters: z.array(staticParameter).openapi({
    description: "Replaces the stored array entirely and is not merged.",
  }),
};

const OTHER_MEMBERS =
  "webhook_id cannot be changed, webhook_created is preserved, and webhook_updated is set to the current time. Not documented: whether one of them in the body, or a member not named here, is ignored or refused. The sandbox refuses it with 400.";

const fields = z.strictObject(settings);

/** The body of a PUT (§ 4.3): the required fields of § 2.2, and any of the others. */
export const webhookReplacement = fields
  .partial({
    description: true,
    include_data_append: true,
    include_dni_logs: true,
    include_indicator_scores: true,
    include_ivr_keypresses: true,
    webhook_status: true,
    static_parameters: true,
  })
  .openapi("WebhookReplacement", {
    additionalProperties: true,
    description: `Supplied fields overwrite the stored values. Not documented: what becomes of an optional field that is left out, but for webhook_status. In the sandbox it keeps its value. ${OTHER_MEMBERS}`,
  });

/** The body of a PATCH (§ 4.4): at least one field of § 2.2. */
export const webhookChanges = fields
  .partial()
  .refine((body) => Object.keys(body).length > 0, "at least one field must be given")
  .openapi("WebhookChanges", {
    additionalProperties: true,
    minProperties: 1,
    description: `Only the given fields change; the others keep their values. ${OTHER_MEMBERS}`,
  });

export type WebhookChanges = z.output<typeof webhookChanges>;

export const webhookData = z.object({ webhookId: z.int() });

/** A webhook as the sandbox holds it: the fields of § 2.2, and the deleted state of § 3. */
export const storedWebhook = z.object({
  ...settings,
  webhook_id: z.int(),
  webhook_status: z.enum(["active", "inactive", "deleted"]),
  webhook_created: z.string(),
  webhook_updated: z.string(),
});

export type Webhook = Readonly<z.output<typeof storedWebhook>>;

function isHttpsUrl(text: string): boolean {
  return /^https:\/\/\S+$/i.test(text) && URL.canParse(text);
}
