import type { AttributionPage } from "../api/attribution-client.ts";

/** What a service's clocks may differ by among each other. */
const TOLERANCE_MS = 60_000;

/**
 * Tells responses that were old when they came, as from a cache or a replica that lags, by the service's own timestamps:
 * how far its clock is ahead of ours at the least, each response shows, and one from further back is old.
 */
export class ServiceClock {
  #knownAheadMs: number;
  #aheadMs = Number.NEGATIVE_INFINITY;

  /** @param aheadMs how far it was ahead in the last run, so that a whole pass from a cache is seen, too */
  constructor(aheadMs: number | null) {
    this.#knownAheadMs = aheadMs ?? Number.NEGATIVE_INFINITY;
  }

  /** How far the service's clock is ahead of ours at the least, in milliseconds; null where it does not tell the time. */
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
