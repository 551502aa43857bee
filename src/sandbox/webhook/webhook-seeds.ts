import type { Webhook } from "./webhook-schema.ts";

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

const inactive: Webhook = {
  webhook_id: 45,
  webhook_name: "Bid tool",
  webhook_endpoint: "https://bids.northwind.example/v1/ping?account=7",
  description: "",
  format: "JSON",
  method: "GET",
  include_data_append: false,
  include_dni_logs: true,
  include_indicator_scores: false,
  include_ivr_keypresses: false,
  webhook_status: "inactive",
  static_parameters: [],
  webhook_created: "2025-04-02T10:00:00.000Z",
  webhook_updated: "2025-04-02T10:00:00.000Z",
};

const deleted: Webhook = {
  ...active,
  webhook_id: 46,
  webhook_name: "CRM (old)",
  webhook_status: "deleted",
  static_parameters: [],
};

/** One webhook in each state. */
export const WEBHOOK_SEEDS: readonly Webhook[] = [active, inactive, deleted];
