import { z } from "zod";

/** A method name (RFC 9110 § 5.6.2). */
const METHOD = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/** Requests with these methods have no body (RFC 9110 § 9.3.6 and 9.3.8): no call can be delivered with them. */
const WITHOUT_BODY = /^(CONNECT|TRACE)$/i;

const required = {
  webhook_name: z.string().min(1, "must not be empty"),
  webhook_endpoint: z.string().refine(isHttpsUrl, "must be a valid HTTPS URL"),
  format: z.string().regex(/^json$/i, "must be JSON"),
  method: z
    .string()
    .regex(METHOD, "must be the name of an HTTP method")
    .refine((method) => !WITHOUT_BODY.test(method), "must be a method that can carry a call, such as POST"),
};

const optional = {
  description: z.string(),
  include_data_append: z.boolean(),
  include_dni_logs: z.boolean(),
  include_indicator_scores: z.boolean(),
  include_ivr_keypresses: z.boolean(),
  webhook_status: z.enum(["active", "inactive"]),
  static_parameters: z.array(z.strictObject({ field_name: z.string(), field_value: z.string() })),
};

/** The body of a PUT (§ 4.3): the required fields of § 2.2, and any of the others. */
export const webhookReplacement = z.strictObject({
  webhook_id: z.int().optional(),
  ...required,
  ...z.object(optional).partial().shape,
});

/** The body of a PATCH (§ 4.4): at least one field of § 2.2. */
export const webhookChanges = z
  .strictObject({ ...required, ...optional })
  .partial()
  .refine((body) => Object.keys(body).length > 0, "at least one field must be given");

type WebhookChanges = z.output<typeof webhookChanges>;

/** The values of fields that a full update omits; webhook_status stays as stored. */
const OMITTED: WebhookChanges = {
  description: "",
  include_data_append: false,
  include_dni_logs: false,
  include_indicator_scores: false,
  include_ivr_keypresses: false,
  static_parameters: [],
};

/** The fields of § 2.2, and the deleted state of § 3. */
const storedWebhook = z.object({
  ...required,
  ...optional,
  webhook_id: z.int(),
  webhook_status: z.enum(["active", "inactive", "deleted"]),
  webhook_created: z.string(),
  webhook_updated: z.string(),
});

export type Webhook = Readonly<z.output<typeof storedWebhook>>;

// The top-level domain .example belongs to nobody: even with deliveries allowed these reach no one.
const active: Webhook = {
  webhook_id: 44,
  webhook_name: "CRM",
  webhook_endpoint: "https://crm.northwind.example/hooks/calls",
  description: "Every attributed call, into the CRM",
  format: "JSON",
  method: "POST",
  include_data_append: true,
  include_dni_logs: true,
  include_indicator_scores: true,
  include_ivr_keypresses: false,
  webhook_status: "active",
  static_parameters: [
    { field_name: "source", field_value: "calltally-sandbox" },
    { field_name: "api_key", field_value: "made-up-key" },
  ],
  webhook_created: "2025-02-24T16:05:09.000Z",
  webhook_updated: "2025-09-12T08:41:30.000Z",
};

const SEEDS: readonly Webhook[] = [
  active,
  {
    ...active,
    webhook_id: 45,
    webhook_name: "Bid tool",
    webhook_endpoint: "https://bids.northwind.example/v1/ping?account=7",
    description: "",
    method: "GET",
    include_data_append: false,
    include_indicator_scores: false,
    webhook_status: "inactive",
    static_parameters: [],
    webhook_created: "2025-04-02T10:00:00.000Z",
    webhook_updated: "2025-04-02T10:00:00.000Z",
  },
  {
    ...active,
    webhook_id: 46,
    webhook_name: "CRM (old)",
    webhook_status: "deleted",
    static_parameters: [],
  },
];

export class SandboxWebhooks {
  readonly #now: () => number;
  readonly #onChange: () => void;
  readonly #webhooks = new Map(SEEDS.map((seed) => [seed.webhook_id, seed]));

  /** @param now milliseconds since 1970-01-01 UTC */
  constructor(now: () => number, onChange: () => void) {
    this.#now = now;
    this.#onChange = onChange;
  }

  get ids(): number[] {
    return [...this.#webhooks.keys()];
  }

  get(id: number): Webhook | undefined {
    return this.#webhooks.get(id);
  }

  /** Applies a PATCH; returns false if there is no such webhook, or a deleted one (API v3 § 3). */
  update(id: number, changes: WebhookChanges): boolean {
    const webhook = this.get(id);
    if (webhook === undefined || webhook.webhook_status === "deleted") return false;
    this.#set(id, { ...webhook, ...changes, webhook_updated: new Date(this.#now()).toISOString() });
    return true;
  }

  /** Like {@link update}; omitted fields become empty or false, except webhook_status. */
  replace(id: number, replacement: WebhookChanges): boolean {
    return this.update(id, { ...OMITTED, ...replacement });
  }

  /** Replaces members directly, even the state. */
  edit(id: number, patch: Partial<Webhook>): void {
    const webhook = this.get(id);
    if (webhook === undefined) throw new Error(`Cannot edit webhook ${id}: the sandbox has no such webhook`);
    this.#set(id, { ...webhook, ...patch });
  }

  #set(id: number, webhook: unknown): void {
    this.#webhooks.set(id, storedWebhook.parse(webhook));
    this.#onChange();
  }
}

/**
 * Whether a text is an HTTPS URL with a host, unchanged. `URL` alone would repair it: it strips blanks and control
 * characters, turns "\" into "/", and takes the host of "https:///x" from its path.
 */
function isHttpsUrl(text: string): boolean {
  if (!/^https:\/\/[^/\\\s\p{Cc}][^\\\s\p{Cc}]*$/iu.test(text)) return false;
  const url = URL.parse(text);
  // A host with an empty label cannot be looked up.
  return url !== null && !/^\.|\.\./.test(url.hostname);
}
