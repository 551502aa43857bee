import { BlockList } from "node:net";
import type { WireCall } from "../calls/call-store.ts";
import { makeUpAdditions } from "./payload-additions.ts";
import type { Webhook } from "./webhook-schema.ts";

/** What goes to a webhook's endpoint. */
export interface DeliveryRequest {
  readonly method: string;
  readonly url: URL;
  /** JSON; undefined for GET, whose payload is in the query of `url`. */
  readonly body: string | undefined;
}

/**
 * Returns the request that tells a webhook of a call that came in.
 *
 * The API does not show what webhooks deliver (§ 6). This payload is the sandbox's own: `event` is "call_added",
 * `event_time` is ISO 8601 UTC, `webhook_id` and `call_id` are integers, `static_parameters` is the list of pairs
 * as it is stored; `data_append`, `dni_logs`, `indicator_scores` and `ivr_keypresses` are there when the webhook
 * includes them. With GET each member is a query parameter beside those of the endpoint, as JSON when it is not a
 * string.
 */
export function toDeliveryRequest(webhook: Webhook, call: WireCall, atMs: number): DeliveryRequest {
  const payload = payloadOf(webhook, call, atMs);
  const method = webhook.method.toUpperCase();
  const url = new URL(webhook.webhook_endpoint);
  if (method !== "GET") return { method, url, body: JSON.stringify(payload) };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(payload))
    query.append(name, typeof value === "string" ? value : JSON.stringify(value));
  // Appended as text: `url.searchParams` would write the endpoint's own query anew, and a signature in it may not fit any more.
  url.search = url.search === "" ? `${query}` : `${url.search}&${query}`;
  return { method, url, body: undefined };
}

function payloadOf(webhook: Webhook, call: WireCall, atMs: number): Record<string, unknown> {
  const { data_append, indicator_scores, ivr_keypresses } = makeUpAdditions(call.call_id);
  return {
    event: "call_added",
    event_time: new Date(atMs).toISOString(),
    webhook_id: webhook.webhook_id,
    call_id: call.call_id,
    static_parameters: webhook.static_parameters,
    ...(webhook.include_data_append && { data_append }),
    ...(webhook.include_dni_logs && { dni_logs: call.dni_data ?? {} }),
    ...(webhook.include_indicator_scores && { indicator_scores }),
    ...(webhook.include_ivr_keypresses && { ivr_keypresses }),
  };
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Tells whether an address cannot leave this machine: localhost, 127.0.0.0/8 or [::1]. */
export function isLoopback(url: URL): boolean {
  const { hostname } = url;
  if (hostname === "localhost") return true;
  return hostname.startsWith("[")
    ? LOOPBACK.check(hostname.slice(1, -1), "ipv6")
    : LOOPBACK.check(hostname, "ipv4");
}
