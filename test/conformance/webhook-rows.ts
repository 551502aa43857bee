import { z } from "zod";
import { answers, dataHas } from "./expectations.ts";
import type { Request, Row, WebhookEffect } from "./row.ts";

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

/** The fields of § 2.2 that a body may hold, with a value that is not the stored one. */
const FIELDS: Readonly<Record<string, Field>> = {
  webhook_name: text("Renamed", true),
  webhook_endpoint: text("https://hooks.example.org/renamed", true),
  description: text("Described anew", false),
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
export const PATCH_OK = patch(ACTIVE, { description: "Described anew" });
export const PATCH_REFUSED = patch(ACTIVE, {});
export const PATCH_UNKNOWN = patch(999, ALL);

const UNCHANGED: WebhookEffect = { id: ACTIVE, leaves: "unchanged" };

const updated = (section: string, request: Request, webhook: WebhookEffect): Row => ({
  section,
  request,
  expect: dataHas(z.object({ webhookId: z.literal(webhook.id) })),
  webhook,
});

const refused = (section: string, request: Request, status = 400, webhook = UNCHANGED): Row => ({
  section,
  request,
  expect: answers(status),
  webhook,
});

/** § 2.2. */
const FIELD_ROWS: readonly Row[] = [
  ...Object.entries(FIELDS).flatMap(([name, { required, value, wrong }]) => {
    const without = put(
      ACTIVE,
      pick((other) => other !== name),
    );
    return [
      updated(`2.2 ${name}`, patch(ACTIVE, { [name]: value }), { id: ACTIVE, leaves: { [name]: value } }),
      refused(`2.2 ${name} type`, patch(ACTIVE, { [name]: wrong })),
      required
        ? refused(`2.2 ${name} required in PUT`, without)
        : { section: `2.2 ${name} not required in PUT`, request: without, expect: answers(200) },
    ];
  }),
  refused("2.2 webhook_endpoint HTTPS", patch(ACTIVE, { webhook_endpoint: "http://hooks.example.org/" })),
  refused("2.2 webhook_endpoint valid", patch(ACTIVE, { webhook_endpoint: "https://" })),
  updated("2.2 format JSON", patch(ACTIVE, { format: "JSON" }), { id: ACTIVE, leaves: { format: "JSON" } }),
  updated("2.2 method GET", patch(ACTIVE, { method: "GET" }), { id: ACTIVE, leaves: { method: "GET" } }),
  {
    section: "2.2 webhook_id never changeable",
    request: patch(ACTIVE, { ...ALL, webhook_id: 4711 }),
    // Ignored or refused: the document leaves it open, and the sandbox refuses.
    expect: answers(200, 400),
    webhook: UNCHANGED,
  },
  updated("2.2 webhook_created preserved", PUT_OK, { id: ACTIVE, leaves: ALL }),
  updated("2.2 webhook_updated set to now", PATCH_OK, {
    id: ACTIVE,
    leaves: { description: "Described anew" },
  }),
];

/** § 3. */
const STATE_ROWS: readonly Row[] = [
  updated("3 active, PUT without webhook_status", put(ACTIVE, REQUIRED), {
    id: ACTIVE,
    leaves: REQUIRED,
    delivers: true,
  }),
  updated("3 inactive, PUT without webhook_status", put(INACTIVE, REQUIRED), {
    id: INACTIVE,
    leaves: REQUIRED,
    delivers: false,
  }),
  ...[ACTIVE, INACTIVE].flatMap((id) =>
    ["active", "inactive"].map((webhook_status) =>
      updated(
        `3 ${id === ACTIVE ? "active" : "inactive"}, PUT with webhook_status ${webhook_status}`,
        put(id, { ...REQUIRED, webhook_status }),
        { id, leaves: { ...REQUIRED, webhook_status }, delivers: webhook_status === "active" },
      ),
    ),
  ),
  updated("3 active, PATCH to inactive", patch(ACTIVE, { webhook_status: "inactive" }), {
    id: ACTIVE,
    leaves: { webhook_status: "inactive" },
    delivers: false,
  }),
  updated("3 inactive, PATCH to active", patch(INACTIVE, { webhook_status: "active" }), {
    id: INACTIVE,
    leaves: { webhook_status: "active" },
    delivers: true,
  }),
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
  updated("4.3 method, path and data", PUT_OK, { id: ACTIVE, leaves: ALL }),
  refused("4.3 rule 1: all required fields", put(ACTIVE, { description: "Described anew" })),
  updated("4.3 rule 1: supplied fields overwrite", PUT_OK, { id: ACTIVE, leaves: ALL }),
  refused("4.3 rule 2: HTTPS", put(ACTIVE, { ...ALL, webhook_endpoint: "http://hooks.example.org/" })),
  refused("4.3 rule 3: exists", PUT_UNKNOWN, 404),
  refused("4.3 rule 3: not deleted", put(DELETED, ALL), 404, { id: DELETED, leaves: "unchanged" }),
  updated("4.3 rule 4: webhook_created, webhook_updated", PUT_OK, { id: ACTIVE, leaves: ALL }),
  updated("4.3 rule 5: stays active", put(ACTIVE, REQUIRED), {
    id: ACTIVE,
    leaves: { ...REQUIRED, webhook_status: "active" },
    delivers: true,
  }),
  updated("4.3 rule 6: static_parameters replaced", put(ACTIVE, { ...REQUIRED, static_parameters: [] }), {
    id: ACTIVE,
    leaves: { ...REQUIRED, static_parameters: [] },
  }),
];

/** § 4.4. */
const PATCH_ROWS: readonly Row[] = [
  updated("4.4 method, path and data", PATCH_OK, { id: ACTIVE, leaves: { description: "Described anew" } }),
  refused("4.4 rule 1: at least one field", PATCH_REFUSED),
  updated("4.4 rule 2: only given fields change", patch(ACTIVE, { method: "PUT", format: "json" }), {
    id: ACTIVE,
    leaves: { method: "PUT", format: "json" },
  }),
  refused("4.4 rule 3: HTTPS", patch(ACTIVE, { webhook_endpoint: "http://hooks.example.org/" })),
  refused("4.4 rule 4: exists", PATCH_UNKNOWN, 404),
  refused("4.4 rule 4: not deleted", patch(DELETED, ALL), 404, { id: DELETED, leaves: "unchanged" }),
  updated("4.4 rule 5: webhook_updated", PATCH_OK, {
    id: ACTIVE,
    leaves: { description: "Described anew" },
  }),
  updated("4.4 rule 6: static_parameters replaced", patch(ACTIVE, { static_parameters: [] }), {
    id: ACTIVE,
    leaves: { static_parameters: [] },
  }),
];

/** §§ 2.2, 3, 4.3 and 4.4. */
export const WEBHOOK_ROWS: readonly Row[] = [...FIELD_ROWS, ...STATE_ROWS, ...PUT_ROWS, ...PATCH_ROWS];

function pick(isPicked: (name: string) => boolean): Members {
  return Object.fromEntries(Object.entries(ALL).filter(([name]) => isPicked(name)));
}
