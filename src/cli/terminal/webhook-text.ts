import type { Doorbell } from "../../config/doorbell.ts";
import type { Settings } from "../../config/load-settings.ts";
import { maskSecrets } from "../../webhooks/change-webhook.ts";
import { OPTIONAL_WEBHOOK_FIELDS, type WebhookChange } from "../../webhooks/webhook-client.ts";

/** Returns what replacing a webhook does to the fields that were not given. */
export function notesOnReplacing({ body }: WebhookChange): string[] {
  const leftOut = OPTIONAL_WEBHOOK_FIELDS.filter((field) => !(field in body));
  const emptied = leftOut.filter((field) => field !== "webhook_status");
  return [
    ...(emptied.length > 0
      ? [
          `Left out of the body: ${emptied.join(", ")}.`,
          "Our reading of a full update: they become empty or false; the API's documentation does not say.",
        ]
      : []),
    ...(leftOut.includes("webhook_status")
      ? ["webhook_status is left out of the body, and keeps its value."]
      : []),
    ...(body.static_parameters ? ["static_parameters replaces the stored list whole."] : []),
  ];
}

/** Returns a remark where an address is not that of an account's doorbell: a proxy may rewrite paths, so it is no error. */
export function notesOnDoor(url: string, name: string | undefined, { account: only }: Doorbell): string[] {
  const door = name === undefined ? "/doorbell" : `/doorbell/${name}`;
  const doors = name === only ? [door, "/doorbell"] : [door];
  if (doors.some((path) => new URL(url).pathname.endsWith(path))) return [];
  return [
    `${url} does not end with ${door}: unless a proxy rewrites it, deliveries do not sync ${name ?? "this account"}.`,
  ];
}

/** Returns a change as `--dry-run` prints it. */
export function describeRequest({ id, method, body }: WebhookChange, { baseUrl }: Settings): string {
  const address = (baseUrl?.href ?? "{base_url}").replace(/\/+$/, "");
  return `${method} ${address}/v3/webhooks/${id}\n${JSON.stringify(maskSecrets(body), null, 2)}`;
}
