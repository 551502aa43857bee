import { BlockList } from "node:net";
import { Client } from "undici";
import type { WireCall } from "./calls/call-store.ts";
import { INSIGHT_SEEDS } from "./insights.ts";
import type { Webhook } from "./webhooks.ts";

/**
 * Returns the request that reports a new call to a webhook. The API does not show what webhooks deliver (§ 6). This
 * payload is the sandbox's own: `event` is "call_added", `event_time` is ISO 8601 UTC, `webhook_id` and `call_id` are
 * integers, `static_parameters` is the stored list of pairs; `data_append`, `dni_logs`, `indicator_scores` and
 * `ivr_keypresses` are present if the webhook includes them. With GET each member is a query parameter in addition to
 * those of the endpoint, as JSON if it is not a string.
 */
export function toDeliveryRequest(webhook: Webhook, call: WireCall, atMs: number) {
  const payload = payloadOf(webhook, call, atMs);
  const method = webhook.method.toUpperCase();
  const url = new URL(webhook.webhook_endpoint);
  if (method !== "GET") return { method, url, body: JSON.stringify(payload) };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(payload))
    query.append(name, typeof value === "string" ? value : JSON.stringify(value));
  // As text: `url.searchParams` would rewrite the endpoint's own query, and break a signature in it.
  url.search = url.search === "" ? `${query}` : `${url.search}&${query}`;
  return { method, url, body: undefined };
}

/** The additions have made-up shapes, because the API does not show theirs. */
function payloadOf(webhook: Webhook, call: WireCall, atMs: number): Record<string, unknown> {
  const indicator_scores = INSIGHT_SEEDS.map(({ insight_id }) => ({ insight_id, score: "pass" }));
  return {
    event: "call_added",
    event_time: new Date(atMs).toISOString(),
    webhook_id: webhook.webhook_id,
    call_id: call.call_id,
    static_parameters: webhook.static_parameters,
    ...(webhook.include_data_append && { data_append: { line_type: "mobile", is_repeat_caller: false } }),
    ...(webhook.include_dni_logs && { dni_logs: call.dni_data ?? {} }),
    ...(webhook.include_indicator_scores && { indicator_scores }),
    ...(webhook.include_ivr_keypresses && { ivr_keypresses: [{ key: "1", seconds: 3 }] }),
  };
}

/** Redirects are not followed. A receiver on this machine may use a self-signed certificate. */
export async function sendDelivery(
  { method, url, body }: ReturnType<typeof toDeliveryRequest>,
  timeoutMs: number,
  stop: AbortSignal,
): Promise<number> {
  const client = new Client(url.origin, {
    allowH2: false,
    connect: { rejectUnauthorized: !isLoopback(url) },
  });
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
  // Unlike a request's signal, this also ends one that waits for its connection.
  signal.addEventListener("abort", () => void client.destroy(signal.reason), { once: true });
  try {
    const response = await client.request({
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...((url.username || url.password) && { authorization: basicAuthorization(url) }),
      },
      ...(body !== undefined && { body }),
    });
    await response.body.dump();
    return response.statusCode;
  } finally {
    await client.destroy();
  }
}

function basicAuthorization({ username, password }: URL): string {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

export function isLoopback({ hostname }: URL): boolean {
  if (hostname === "localhost") return true;
  return hostname.startsWith("[")
    ? LOOPBACK.check(hostname.slice(1, -1), "ipv6")
    : LOOPBACK.check(hostname, "ipv4");
}
