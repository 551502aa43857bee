import type { AttributionPage } from "../api/attribution-client.ts";

/** How far the clocks of one service may differ from each other. */
const TOLERANCE_MS = 60_000;

/**
 * Finds responses that were out of date, as from a cache or a lagging replica, by the service's timestamps. Each response
 * shows how far the service's clock is at least ahead of ours; a response with an earlier timestamp than that allows is old.
 */
export class ServiceClock {
  #knownAheadMs: number;
  #aheadMs = Number.NEGATIVE_INFINITY;

  /** @param aheadMs `aheadMs` of the last run, so that a pass that comes from a cache as a whole is found as well */
  constructor(aheadMs: number | null) {
    this.#knownAheadMs = aheadMs ?? Number.NEGATIVE_INFINITY;
  }

  /** How far the service's clock is at least ahead of ours; null if the service sends no timestamps. */
  get aheadMs(): number | null {
    return Number.isFinite(this.#aheadMs) ? this.#aheadMs : null;
  }

  isOld({ timestamp, exchange }: Pick<AttributionPage, "timestamp" | "exchange">): boolean {
    if (exchange === undefined) return false;
    if (exchange.ageSeconds > 0) return true;
    const servedMs = Date.parse(timestamp ?? "");
    if (Number.isNaN(servedMs)) return false;
    const isOld = servedMs - exchange.sentMs < Math.max(this.#aheadMs, this.#knownAheadMs) - TOLERANCE_MS;
    this.#aheadMs = Math.max(this.#aheadMs, servedMs - exchange.receivedMs);
    return isOld;
  }
}
