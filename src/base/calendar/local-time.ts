import { Temporal } from "temporal-polyfill";
import { LAST_INSTANT_MS } from "./dates.ts";
import { longLabelOf } from "./period-text.ts";

interface Span {
  fromMs: number;
  untilMs: number;
  offset: string;
  offsetMs: number;
}

/**
 * Returns a function from a moment to the offset of an IANA zone from UTC. It caches clock changes, because asking the
 * zone for each call would take most of an export.
 * @throws RangeError for an unknown zone
 */
export function zoneOffsets(zone: string): (ms: number) => Pick<Span, "offset" | "offsetMs"> {
  let last = findSpan(0, zone);
  const spans = [last];
  return (ms) => {
    if (!isIn(last, ms)) {
      const known = spans.find((span) => isIn(span, ms));
      last = known ?? findSpan(ms, zone);
      if (known === undefined) spans.push(last);
    }
    return last;
  };
}

/**
 * Returns a function from ISO 8601 UTC text to local time in an IANA zone, `YYYY-MM-DD HH:MM:SS`, and its offset from
 * UTC, `+01:00`. The last hours of 9999 UTC may be in the year `+010000`, the first of 0000 in `-000001`.
 * @throws RangeError for an unknown zone; the function throws it for text that is not a time
 */
export function localTime(zone: string): (utc: string) => { local: string; offset: string } {
  const offsetAt = zoneOffsets(zone);
  return (utc) => {
    const ms = Date.parse(utc);
    if (Number.isNaN(ms)) throw new RangeError(`"${utc}" is not a time`);
    const { offset, offsetMs } = offsetAt(ms);
    const shown = new Date(ms + offsetMs).toISOString();
    return { local: shown.slice(0, -".000Z".length).replace("T", " "), offset };
  };
}

/** Returns a local time to the minute, such as `20 Nov 2026 13:37 (UTC+01:00)`. */
export function localMinute(utc: string, zone: string): string {
  const { local, offset } = localTime(zone)(utc);
  const [day = "", time = ""] = local.split(" ");
  return `${longLabelOf(day)} ${time.slice(0, "HH:MM".length)} (UTC${offset === "+00:00" ? "" : offset})`;
}

/** Such as 2 Nov 2026 08:47, local. */
export function timeInWords(utc: string, zone: string): string {
  const { local } = localTime(zone)(utc);
  return `${longLabelOf(local.slice(0, 10))} ${local.slice(11, 16)}`;
}

/** Returns a function from ISO 8601 UTC text to local time, `2026-11-20 13:37`, as tables show it below the zone's name. */
export function minutesOf(zone: string): (utc: string) => string {
  const toLocal = localTime(zone);
  return (utc) => toLocal(utc).local.slice(0, -":SS".length);
}

/** Returns the offset from UTC, and the next clock change, ISO 8601 UTC; undefined if there is none up to the year 9999. */
export function offsetSpanAt(
  utc: string,
  zone: string,
): { offsetSeconds: number; endsAt: string | undefined } {
  const { offsetMs, untilMs } = findSpan(Date.parse(utc), zone);
  const endsAt = untilMs <= LAST_INSTANT_MS ? new Date(untilMs).toISOString() : undefined;
  return { offsetSeconds: offsetMs / 1000, endsAt };
}

/** Returns the local date `YYYY-MM-DD` of ISO 8601 UTC text. For many of one zone, {@link localTime} is faster. */
export function localDate(utc: string, zone: string): string {
  return Temporal.Instant.from(utc).toZonedDateTimeISO(zone).toPlainDate().toString();
}

const isIn = ({ fromMs, untilMs }: Span, ms: number) => fromMs <= ms && ms < untilMs;

function findSpan(ms: number, zone: string): Span {
  const moment = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  // "previous" would not find a change at this very moment.
  const from = moment.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  return {
    fromMs: from?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    untilMs: moment.getTimeZoneTransition("next")?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: moment.offset,
    offsetMs: moment.offsetNanoseconds / 1e6,
  };
}
