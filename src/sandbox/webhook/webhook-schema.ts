import { z } from "@hono/zod-openapi";

/** The methods of RFC 9110 and 5789 that end with a response and may carry an event. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

// Patterns of a JSON Schema have no flags.
const METHOD = new RegExp(`^(${METHODS.map(inAnyCase).join("|")})$`);
const FORMAT = new RegExp(`^${inAnyCase("JSON")}$`);

/** HTTPS addresses of domain names in ASCII: no pattern has all that the URL standard allows. */
const ENDPOINT = `^${inAnyCase("HTTPS")}://([A-Za-z0-9]+(-[A-Za-z0-9]+)*\\.)*[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*(:[1-5]?[0-9]{1,4})?([/?#][!-\\[\\]-~]*)?$`;

const staticParameter = z
  .strictObject({ field_name: z.string(), field_value: z.string() })
  .openapi("StaticParameter", {
    description: "Not documented: other members. The sandbox refuses them with 400.",
  });

const required = {
  webhook_name: z.string().min(1, "must not be empty").openapi({
    description: "Not documented: whether it may be empty. The sandbox returns 400 for an empty one.",
  }),
  webhook_endpoint: z.string().refine(isHttpsUrl, "must be a valid HTTPS URL").openapi({
    format: "uri",
    pattern: ENDPOINT,
    description:
      "Must be a valid HTTPS URL. The pattern has only those with a domain name in ASCII; the sandbox takes any other that the URL standard does, and that has a host.",
  }),
  format: z.string().regex(FORMAT, "must be JSON").openapi({
    description:
      "A JSON value exists. Not documented: the other values. Addition of the sandbox: it delivers JSON alone, and returns 400 for any other format.",
  }),
  method: z
    .string()
    .regex(METHOD, `must be one of ${METHODS.join(", ")}`)
    .openapi({
      description: `An HTTP method name; a GET value exists. Not documented: the other values. Addition of the sandbox: it takes the methods that end with a response and may carry an event, in either case (${METHODS.join(", ")}), and returns 400 for any other, such as CONNECT, TRACE, HEAD or OPTIONS.`,
    }),
};

const optional = {
  description: z.string(),
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
  "webhook_created is preserved, and webhook_updated is set to the current time. Not documented: whether one of them in the body, or a member not named here, is ignored or refused. The sandbox refuses it with 400.";

/** The body of a PUT (§ 4.3): the required fields of § 2.2, and any of the others. */
export const webhookReplacement = z
  .strictObject({
    webhook_id: z
      .int()
      .optional()
      .openapi({ readOnly: true, description: "Never changeable: 400 unless it is the id of the path." }),
    ...required,
    ...z.object(optional).partial().shape,
  })
  .openapi("WebhookReplacement", {
    description: `Supplied fields overwrite the stored values. Not documented: what becomes of an optional field that is left out, but for webhook_status. Our reading of "full update": it becomes empty (description, static_parameters) or false (include_…). A sandbox started with --put-keeps-omitted lets it keep its value. A webhook that was read is put back without webhook_created and webhook_updated, which are not applicable to a PUT. ${OTHER_MEMBERS}`,
  });

/** The body of a PATCH (§ 4.4): at least one field of § 2.2. */
export const webhookChanges = z
  .strictObject({ ...required, ...optional })
  .partial()
  .refine((body) => Object.keys(body).length > 0, "at least one field must be given")
  .openapi("WebhookChanges", {
    minProperties: 1,
    description: `Only the given fields change; the others keep their values. Not documented: what a webhook_id does. The sandbox refuses it with 400. ${OTHER_MEMBERS}`,
  });

export type WebhookChanges = z.output<typeof webhookChanges>;

/** Fills in what a full update leaves out; webhook_status stays out, since it stays as stored. */
export function withDefaults(changes: WebhookChanges): WebhookChanges {
  return {
    description: "",
    include_data_append: false,
    include_dni_logs: false,
    include_indicator_scores: false,
    include_ivr_keypresses: false,
    static_parameters: [],
    ...changes,
  };
}

export const webhookData = z.object({ webhookId: z.int() });

/** A webhook as the sandbox holds it: the fields of § 2.2, and the deleted state of § 3. */
export const storedWebhook = z.object({
  ...required,
  ...optional,
  webhook_id: z.int(),
  webhook_status: z.enum(["active", "inactive", "deleted"]),
  webhook_created: z.string(),
  webhook_updated: z.string(),
});

export type Webhook = Readonly<z.output<typeof storedWebhook>>;

function inAnyCase(word: string): string {
  return [...word].map((letter) => `[${letter}${letter.toLowerCase()}]`).join("");
}

/**
 * Tells whether a text is an HTTPS URL with a host, as it stands. `URL` alone mends what is none: it strips blanks
 * and control characters, turns "\" into "/", and takes the host of "https:///x" out of its path.
 */
function isHttpsUrl(text: string): boolean {
  if (!/^https:\/\/[^/\\\s\p{Cc}][^\\\s\p{Cc}]*$/iu.test(text)) return false;
  const url = URL.parse(text);
  // A host without a name, or with an empty one between two dots, can be looked up nowhere.
  return url !== null && !/^\.|\.\./.test(url.hostname);
}
