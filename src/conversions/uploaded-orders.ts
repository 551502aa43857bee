import type { KnownLine } from "./upload-table.ts";

/** A conversion reported to an ad platform, with the value and currency reported last. */
export interface Order extends KnownLine {
  /** Time of the last report, ISO 8601 UTC. */
  adjusted_at: string;
  isRetracted: boolean;
}

export type NotAdjustable = "no order id" | "too old";

const DAY_MS = 24 * 3_600_000;
/**
 * "Adjustment can't be made to a conversion that occurred more than 54 days ago" (CONVERSION_EXPIRED of the Google
 * Ads API).
 */
const MAX_AGE_MS = 54 * DAY_MS;

export function whyNotAdjustable({ order_id, occurred_at }: Order, nowMs: number): NotAdjustable | undefined {
  if (order_id === null) return "no order id";
  return nowMs - Date.parse(occurred_at) > MAX_AGE_MS ? "too old" : undefined;
}

export function toOrders(lines: readonly KnownLine[]): Order[] {
  const orders: Order[] = [];
  const byId = new Map<string, Order>();
  for (const line of lines) {
    const { action, conversion_name, order_id, occurred_at, value, currency } = line;
    const id = JSON.stringify([conversion_name, order_id]);
    if (action === "convert") {
      const order = { ...line, adjusted_at: occurred_at, isRetracted: false };
      orders.push(order);
      if (order_id !== null) byId.set(id, order);
      continue;
    }
    const order = byId.get(id);
    if (order === undefined) continue; // the file that reported it was taken back
    order.adjusted_at = occurred_at;
    if (action === "retract") order.isRetracted = true;
    else Object.assign(order, { value, currency });
  }
  return orders;
}

/** Returns an order id for a conversion: the call's id or, if that is used, `<call_id>-2` and so on. */
export function nextOrderId(callId: number, used: ReadonlySet<string>): string {
  let id = String(callId);
  for (let round = 2; used.has(id); round++) id = `${callId}-${round}`;
  return id;
}
