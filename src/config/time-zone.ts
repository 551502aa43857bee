import { Temporal } from "temporal-polyfill";
import { offsetSpanAt } from "../base/calendar/local-time.ts";
import { attempt } from "../base/errors.ts";
import { nearest } from "../base/text/nearest.ts";

/** Suggestions for an offset, or for an ambiguous abbreviation. */
const LIKELY_ZONES =
  "America/New_York America/Chicago America/Denver America/Los_Angeles America/Anchorage Pacific/Honolulu America/Halifax America/Sao_Paulo Europe/London Europe/Berlin Europe/Athens Europe/Istanbul Asia/Dubai Asia/Karachi Asia/Dhaka Asia/Bangkok Asia/Shanghai Asia/Tokyo Australia/Sydney Pacific/Auckland".split(
    " ",
  );
const AREAS = "Africa America Antarctica Asia Atlantic Australia Europe Indian Pacific".split(" ");
const [JANUARY, JULY] = ["2026-01-01T00:00:00Z", "2026-07-01T00:00:00Z"] as const;

/** Returns the IANA list's spelling, which Google Ads requires. @throws Error with a suggestion */
export function parseTimeZone(text: string): string {
  const name = ianaName(text);
  if (name !== undefined) return name;
  const meant =
    ofAbbreviation(text.trim()) ??
    ofZoneName(text.trim()) ??
    ofOffset(text.trim()) ??
    ofCity(text) ??
    nearest(text, Intl.supportedValuesOf("timeZone"));
  const advice = meant === undefined ? " such as Europe/Berlin" : `; did you mean ${meant}?`;
  throw new Error(`${text} is not an IANA time zone${advice}`);
}

/** Temporal spells names as the list does. It refuses `IST` and others that only ICU knows, and that fail elsewhere. */
function ianaName(text: string): string | undefined {
  if (!/^[a-z][\w/+-]+$/i.test(text)) return undefined;
  return attempt(() => Temporal.Instant.from(JANUARY).toZonedDateTimeISO(text).timeZoneId);
}

/** PST, PDT, PT */
function ofAbbreviation(text: string): string | undefined {
  if (!/^[a-z]{2,5}$/i.test(text)) return undefined;
  return (
    LIKELY_ZONES.find((zone) => shortNames(zone).has(text.toUpperCase())) ??
    attempt(() => new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone)
  );
}

/** Central, Central Time, Central Standard Time */
function ofZoneName(text: string): string | undefined {
  const typed = text.toLowerCase().replace(/\s+/g, " ");
  if (typed.length < 4) return undefined;
  return LIKELY_ZONES.find((zone) =>
    [...namesOf(zone, ["en-US"], ["longGeneric", "long"])].some((name) =>
      `${name?.toLowerCase()} `.startsWith(`${typed} `),
    ),
  );
}

function shortNames(zone: string): Set<string | undefined> {
  return namesOf(zone, ["en-US", "en-CA", "en-GB", "en-AU", "en-NZ"], ["short", "shortGeneric"]);
}

type NameKind = "short" | "shortGeneric" | "long" | "longGeneric";

function namesOf(
  timeZone: string,
  locales: readonly string[],
  kinds: readonly NameKind[],
): Set<string | undefined> {
  const names = locales.flatMap((locale) =>
    kinds.flatMap((timeZoneName) => {
      const format = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName });
      return [JANUARY, JULY].map(
        (at) => format.formatToParts(Date.parse(at)).find(({ type }) => type === "timeZoneName")?.value,
      );
    }),
  );
  return new Set(names);
}

/** UTC+2, GMT+02:00, +0200 */
function ofOffset(text: string): string | undefined {
  const [, hours] = /^(?:UTC|GMT)?([+-]\d{1,2})(?::?00)?$/i.exec(text) ?? [];
  return hours === undefined ? undefined : zoneAt(Number(hours));
}

const zoneAt = (hours: number) => LIKELY_ZONES.find((zone) => winterHours(zone) === hours);

function winterHours(zone: string): number {
  return Math.min(...[JANUARY, JULY].map((at) => offsetSpanAt(at, zone).offsetSeconds)) / 3600;
}

function ofCity(text: string): string | undefined {
  const city = text.trim().replaceAll(" ", "_");
  return AREAS.map((area) => ianaName(`${area}/${city}`)).find((name) => name !== undefined);
}

const FIXED = /^(?:EST|MST|HST|(?:Etc\/)?(?:GMT(?:[+-]?\d+)?|Greenwich))$/;
/** Unambiguous names for zones with one offset all year. */
const SAME_ALL_YEAR: Readonly<Record<string, string>> = { EST: "America/Panama", MST: "America/Phoenix" };

/** Explains a zone with one offset all year, and suggests the zone that is probably meant; undefined for all others. */
export function describeFixedZone(zone: string): string | undefined {
  if (!FIXED.test(zone)) return undefined;
  const hours = winterHours(zone);
  const offset = `UTC${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}:00`;
  const meant = zoneAt(hours) ?? "a city's zone";
  const other = SAME_ALL_YEAR[zone] ?? (hours === 0 ? "UTC" : undefined);
  const advice = other === undefined ? "" : `; otherwise use ${other}`;
  return `${zone} has no daylight saving time: it is ${offset} all year. You probably mean ${meant}${advice}.`;
}
