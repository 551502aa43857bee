import { type DateRange, toInstants } from "../../base/calendar/dates.ts";
import { zoneOffsets } from "../../base/calendar/local-time.ts";
import type { ListedStart } from "./listed-call.ts";

const DAY_MS = 86_400_000;

/** Clocks of a zone. Their digits are compared, because an hour that clocks show twice is the same in a list. */
export class Clocks {
  readonly zone: string;
  readonly #offsetAt;

  /** @param zone IANA */
  constructor(zone: string) {
    this.zone = zone;
    this.#offsetAt = zoneOffsets(zone);
  }

  /** Returns the digits of the clock at a moment, as milliseconds since 1970. @param ms since 1970 in UTC */
  at(ms: number): number {
    return ms + this.#offsetAt(ms).offsetMs;
  }

  ofStart({ ms, isUtc }: ListedStart): number {
    return isUtc ? this.at(ms) : ms;
  }
}

/** By what the compared time was decided. */
export type DecidedBy = "days" | "calls";

/** A time as clocks show it, in milliseconds since 1970, the end exclusive. */
export interface ClockSpan {
  startMs: number;
  endMs: number;
}

/** Decides which time a list covers: the days that are asked for, else from the first to the last call that both have. */
export class SpanFinder {
  readonly #asked: Partial<ClockSpan>;
  #shared: ClockSpan | undefined;

  constructor({ from, to }: DateRange) {
    this.#asked = {
      ...(from !== undefined && { startMs: toMs(from) }),
      ...(to !== undefined && { endMs: toMs(to) + DAY_MS }),
    };
  }

  /** Whether a clock is within the days that are asked for. */
  isAsked(clockMs: number): boolean {
    const { startMs = clockMs, endMs = clockMs + 1 } = this.#asked;
    return isIn({ startMs, endMs }, clockMs);
  }

  /** @param clockMs of a call that both have */
  add(clockMs: number): void {
    const { startMs = clockMs, endMs = 0 } = this.#shared ?? {};
    this.#shared = { startMs: Math.min(startMs, clockMs), endMs: Math.max(endMs, clockMs + 1) };
  }

  /** Undefined if nothing shows it. */
  decide(): (ClockSpan & { by: DecidedBy }) | undefined {
    const span = { ...this.#shared, ...this.#asked };
    const { startMs, endMs } = span;
    if (startMs === undefined || endMs === undefined) return undefined;
    return { startMs, endMs, by: Object.keys(this.#asked).length > 0 ? "days" : "calls" };
  }
}

export const isIn = ({ startMs, endMs }: ClockSpan, clockMs: number) => startMs <= clockMs && clockMs < endMs;

/** Returns moments around a span, ISO 8601 UTC: no zone is a day away. */
export function around({ startMs, endMs }: ClockSpan): [startsAt: string, endsAt: string] {
  return [new Date(startMs - DAY_MS).toISOString(), new Date(endMs + DAY_MS).toISOString()];
}

/** Returns what a clock shows, `2026-11-20 13:37:05`. */
export function clockText(clockMs: number): string {
  return new Date(clockMs).toISOString().slice(0, -".000Z".length).replace("T", " ");
}

const toMs = (day: string) => Date.parse(toInstants({ from: day }, "UTC").startsAt ?? "");
