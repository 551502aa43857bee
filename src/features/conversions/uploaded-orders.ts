import type { KnownLine } from "./upload-table.ts";

/** A conversion reported to an ad platform, with the value and currency reported last. */
export interface Order extends KnownLine {
  /** Time of the last report, ISO 8601 UTC. */
  adjusted_at: string;
  isRetracted: boolean;
}

export type NotAdjustable = "no order id" | "too old";

const SECOND_MS = 1000;
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

/** The conversions that earlier files have reported under one name. */
export class OrderBook {
  readonly isEmpty: boolean;
  readonly #isAdjustable: (order: Order) => boolean;
  readonly #isEvery: boolean;
  /** The last order of each call that was not retracted. */
  readonly #live = new Map<number, Order>();
  readonly #ids: ReadonlySet<string>;
  readonly #moments: Set<string>;
  /** Of orders that cannot be retracted: they count for their click or caller, whichever call turns out to be the first. */
  readonly #lasting: ReadonlySet<string>;

  /** @param isEvery whether each call of a click is a conversion */
  constructor(orders: readonly Order[], isAdjustable: (order: Order) => boolean, isEvery: boolean) {
    this.isEmpty = orders.length === 0;
    this.#isAdjustable = isAdjustable;
    this.#isEvery = isEvery;
    const live = orders.filter(({ isRetracted }) => !isRetracted);
    for (const order of live) this.#live.set(order.call_id, order);
    this.#ids = new Set(orders.flatMap(({ order_id }) => order_id ?? []));
    const momentOf = ({ key_digest, occurred_at }: Order) => toMoment(key_digest ?? "", occurred_at);
    this.#moments = new Set(orders.map(momentOf));
    const lasting = live.filter((order) => !isAdjustable(order));
    this.#lasting = new Set(
      lasting.flatMap((order) => (isEvery ? momentOf(order) : (order.key_digest ?? []))),
    );
  }

  /** Returns the earlier order for a call; that of another click only if no adjustment can retract it. */
  earlierOf(callId: number, digest: string): Order | undefined {
    const order = this.#live.get(callId);
    return order !== undefined && (order.key_digest === digest || !this.#isAdjustable(order))
      ? order
      : undefined;
  }

  isTaken(digest: string, callStarted: string): boolean {
    return this.#lasting.has(this.#isEvery ? toMoment(digest, toSecond(callStarted)) : digest);
  }

  /**
   * Returns an order id for a conversion: `call-` and the call's id or, if that is used, `call-<call_id>-2` and so on.
   * Google's Data Manager is reported to refuse a whole batch for one id of digits alone.
   */
  freeId(callId: number): string {
    const first = `call-${callId}`;
    let id = first;
    for (let round = 2; this.#ids.has(id); round++) id = `${first}-${round}`;
    return id;
  }

  /** A platform ignores a conversion with the same click, name and second, even if the first was retracted. */
  takeSecond(digest: string, callStarted: string): string {
    let second = toSecond(callStarted);
    while (this.#moments.has(toMoment(digest, second))) second = toSecond(second, 1);
    this.#moments.add(toMoment(digest, second));
    return second;
  }
}

const toMoment = (digest: string, occurredAt: string) => `${occurredAt} ${digest}`;

/** Returns the second of a time, ISO 8601 UTC, or one that many seconds later. */
export function toSecond(time: string, later = 0): string {
  return new Date((Math.floor(Date.parse(time) / SECOND_MS) + later) * SECOND_MS).toISOString();
}
