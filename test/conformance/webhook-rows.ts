import { z } from "zod";
import { ENVELOPE } from "./attribution-rows.ts";
import { answers, dataHas, envelopeHas, isJson } from "./expectations.ts";
import { type Request, type Row, row, type WebhookEffect } from "./row.ts";

/** The sandbox's webhooks, one in each state. */
const ACTIVE = 44;
const INACTIVE = 45;
const DELETED = 46;

type Members = Readonly<Record<string, unknown>>;

interface Field {
  readonly required: boolean;
  readonly value: unknown;
  readonly wrong: unknown;
}

const text = (value: string, required: boolean): Field => ({ required, value, wrong: 7 });
const flag = (value: boolean): Field => ({ required: false, value, wrong: "yes" });

/** The fields of § 2.2 in a body, with a value that differs from the stored one. */
const FIELDS: Readonly<Record<string, Field>> = {
  webhook_name: text("Renamed", true),
  webhook_endpoint: text("https://hooks.example.org/renamed", true),
  description: text("Described again", false),
  format: text("json", true),
  method: text("GET", true),
  include_data_append: flag(false),
  include_dni_logs: flag(false),
  include_indicator_scores: flag(false),
  include_ivr_keypresses: flag(true),
  webhook_status: { required: false, value: "inactive", wrong: "paused" },
  static_parameters: {
    required: false,
    value: [{ field_name: "only", field_value: "this" }],
    wrong: [{ field_name: "only", field_value: 1 }],
  },
};

const ALL: Members = Object.fromEntries(Object.entries(FIELDS).map(([name, { value }]) => [name, value]));
const REQUIRED = pick((name) => FIELDS[name]?.required === true);

const put = (id: number, body: unknown): Request => ({ method: "PUT", path: `/v3/webhooks/${id}`, body });
const patch = (id: number, body: unknown): Request => ({ method: "PATCH", path: `/v3/webhooks/${id}`, body });

export const PUT_OK = put(ACTIVE, ALL);
export const PUT_REFUSED = put(ACTIVE, {});
export const PUT_UNKNOWN = put(999, ALL);
export const PATCH_OK = patch(ACTIVE, { description: "Described again" });
export const PATCH_REFUSED = patch(ACTIVE, {});
export const PATCH_UNKNOWN = patch(999, ALL);

const UNCHANGED: WebhookEffect = { id: ACTIVE, leaves: "unchanged" };

const updated = (section: string, request: Request, webhook: WebhookEffect): Row => ({
  ...row(section, request, dataHas(z.object({ webhookId: z.literal(webhook.id) }))),
  webhook,
});
/** A PATCH that changes these members, and no others. */
const patched = (section: string, leaves: Members, more: Partial<WebhookEffect> = {}): Row => {
  const effect = { id: ACTIVE, leaves, ...more };
  return updated(section, patch(effect.id, leaves), effect);
};
const refused = (section: string, request: Request, status = 400, webhook = UNCHANGED): Row => ({
  ...row(section, request, answers(status)),
  webhook,
});

/** The effect of a PUT on omitted optional fields: our reading of "full update". */
const EMPTIED: Members = {
  description: "",
  include_data_append: false,
  include_dni_logs: false,
  include_indicator_scores: false,
  include_ivr_keypresses: false,
  static_parameters: [],
};

/** § 2.2. */
const FIELD_ROWS: readonly Row[] = [
  ...Object.entries(FIELDS).flatMap(([name, { required, value, wrong }]) => {
    const without = put(
      ACTIVE,
      pick((other) => other !== name),
    );
    return [
      patched(`2.2 ${name}`, { [name]: value }),
      refused(`2.2 ${name} type`, patch(ACTIVE, { [name]: wrong })),
      required
        ? refused(`2.2 ${name} required in PUT`, without)
        : row(`2.2 ${name} not required in PUT`, without, answers(200)),
    ];
  }),
  refused("2.2 webhook_endpoint HTTPS", patch(ACTIVE, { webhook_endpoint: "http://hooks.example.org/" })),
  refused("2.2 webhook_endpoint valid", patch(ACTIVE, { webhook_endpoint: "https://" })),
  patched("2.2 format JSON", { format: "JSON" }),
  refused("2.2 method the name of an HTTP method", patch(ACTIVE, { method: "GET POST" })),
  {
    section: "2.2 webhook_id never changeable",
    request: patch(ACTIVE, { ...ALL, webhook_id: 4711 }),
    // Ignored or refused: the document does not specify it, and the sandbox refuses.
    expect: answers(200, 400),
    webhook: UNCHANGED,
  },
  updated("2.2 webhook_id accepted in PUT when it is the same", put(ACTIVE, { ...ALL, webhook_id: ACTIVE }), {
    id: ACTIVE,
    leaves: ALL,
  }),
  refused("2.2 webhook_id another in PUT", put(ACTIVE, { ...ALL, webhook_id: 4711 })),
  ...["webhook_created", "webhook_updated"].map((name) => ({
    section: `2.2 ${name} not applicable to a PUT`,
    request: put(ACTIVE, { ...ALL, [name]: "2020-01-01T00:00:00.000Z" }),
    // Ignored or refused: the document does not specify it, and the sandbox refuses.
    expect: answers(200, 400),
    webhook: UNCHANGED,
  })),
];

/** § 3. */
const STATE_ROWS: readonly Row[] = [
  ...Object.entries({ active: ACTIVE, inactive: INACTIVE }).flatMap(([state, id]) => [
    updated(`3 ${state}, PUT without webhook_status`, put(id, REQUIRED), {
      id,
      leaves: { ...EMPTIED, ...REQUIRED },
      delivers: id === ACTIVE,
    }),
    ...["active", "inactive"].flatMap((webhook_status) => {
      const leaves = { ...EMPTIED, ...REQUIRED, webhook_status };
      const delivers = webhook_status === "active";
      const replacement = put(id, { ...REQUIRED, webhook_status });
      return [
        updated(`3 ${state}, PUT with webhook_status ${webhook_status}`, replacement, {
          id,
          leaves,
          delivers,
        }),
        patched(`3 ${state}, PATCH to ${webhook_status}`, { webhook_status }, { id, delivers }),
      ];
    }),
  ]),
  ...[put(DELETED, ALL), patch(DELETED, { webhook_status: "active" })].map((request) =>
    refused(`3 deleted, ${request.method}`, request, 404, {
      id: DELETED,
      leaves: "unchanged",
      delivers: false,
    }),
  ),
];

/** § 4.3. */
const PUT_ROWS: readonly Row[] = [
  updated(
    "4.3 method, path and data; rules 1 and 4: supplied fields overwrite, webhook_created stays",
    PUT_OK,
    { id: ACTIVE, leaves: ALL },
  ),
  refused("4.3 rule 2: HTTPS", put(ACTIVE, { ...ALL, webhook_endpoint: "http://hooks.example.org/" })),
  refused("4.3 rule 3: exists", PUT_UNKNOWN, 404),
  updated("4.3 rule 6: static_parameters replaced", put(ACTIVE, { ...REQUIRED, static_parameters: [] }), {
    id: ACTIVE,
    leaves: { ...EMPTIED, ...REQUIRED },
  }),
];

/** § 4.4. */
const PATCH_ROWS: readonly Row[] = [
  patched("4.4 method, path and data; rule 5: webhook_updated", { description: "Described again" }),
  refused("4.4 rule 1: at least one field", PATCH_REFUSED),
  patched("4.4 rule 2: only given fields change", { method: "PUT", format: "json" }),
  refused("4.4 rule 4: exists", PATCH_UNKNOWN, 404),
  patched("4.4 rule 6: static_parameters replaced", { static_parameters: [] }),
];

/** The members of every response (§ 1). */
const ENVELOPE_ROWS: readonly Row[] = [
  ["update webhook", PUT_OK] as const,
  ["partial update webhook", PATCH_OK] as const,
].flatMap(([name, request]) => [
  ...Object.entries(ENVELOPE).map(([member, schema]) =>
    row(`1 ${member}: ${name}`, request, envelopeHas(z.object({ [member]: schema }))),
  ),
  row(`1 application/json: ${name}`, request, isJson),
]);

/** § 6. */
const EVENT_ROWS: readonly Row[] = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) =>
  patched(
    `6 by the configured method: ${method}`,
    { method, description: "Described again" },
    { delivers: true },
  ),
);

/** §§ 1, 2.2, 3, 4.3, 4.4 and 6. */
export const WEBHOOK_ROWS: readonly Row[] = [
  ...ENVELOPE_ROWS,
  ...FIELD_ROWS,
  ...STATE_ROWS,
  ...PUT_ROWS,
  ...PATCH_ROWS,
  ...EVENT_ROWS,
];

function pick(isPicked: (name: string) => boolean): Members {
  return Object.fromEntries(Object.entries(ALL).filter(([name]) => isPicked(name)));
}
