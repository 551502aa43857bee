import type { AttributionPage } from "../service/api/attribution-client.ts";

/** How far the clocks of one service may differ from each other. */
const TOLERANCE_MS = 60_000;

/**
 * Finds responses that were out of date, as from a cache or a lagging replica, by the service's timestamps. Each response
 * shows how far the service's clock is at least ahead of ours; a response with an earlier timestamp than that allows is old.
 * Our clock may be set between two runs, but not the service's: a response from before the end of the last run is old, too.
 */
export class ServiceClock {
  readonly #sinceMs: number;
  #aheadMs = Number.NEGATIVE_INFINITY;

  /** @param sinceMs the end of the last run by the service's clock; null if unknown */
  constructor(sinceMs: number | null) {
    this.#sinceMs = sinceMs ?? Number.NEGATIVE_INFINITY;
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
    const earliestMs = Math.max(exchange.sentMs + this.#aheadMs, this.#sinceMs) - TOLERANCE_MS;
    const isOld = servedMs < earliestMs;
    this.#aheadMs = Math.max(this.#aheadMs, servedMs - exchange.receivedMs);
    return isOld;
  }
}
