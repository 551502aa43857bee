import { nearest } from "../base/nearest.ts";
import { listZoneNames, ZONE_OF_OFFSET } from "../calendar/zone-names.ts";

/** What is probably meant by abbreviations that people use and that are no names of zones; the likeliest first. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ACDT: "Australia/Adelaide",
  ACST: "Australia/Adelaide or Australia/Darwin",
  ACT: "Australia/Darwin or America/Rio_Branco",
  ADT: "America/Halifax",
  AEDT: "Australia/Sydney",
  AEST: "Australia/Sydney or Australia/Brisbane",
  AET: "Australia/Sydney",
  AGT: "America/Argentina/Buenos_Aires",
  AKDT: "America/Anchorage",
  AKST: "America/Anchorage",
  ART: "America/Argentina/Buenos_Aires or Africa/Cairo",
  AST: "America/Halifax, Asia/Riyadh or America/Anchorage",
  AWST: "Australia/Perth",
  BET: "America/Sao_Paulo",
  BRT: "America/Sao_Paulo",
  BST: "Europe/London or Asia/Dhaka",
  CAT: "Africa/Maputo",
  CDT: "America/Chicago",
  CEST: "Europe/Berlin",
  CLT: "America/Santiago",
  CNT: "America/St_Johns",
  CST: "America/Chicago, Asia/Shanghai or America/Havana",
  CT: "America/Chicago",
  CTT: "Asia/Shanghai",
  EAT: "Africa/Nairobi",
  ECT: "Europe/Paris or America/Guayaquil",
  EDT: "America/New_York",
  EEST: "Europe/Athens",
  ET: "America/New_York",
  HDT: "America/Adak",
  HKT: "Asia/Hong_Kong",
  IDT: "Asia/Jerusalem",
  IET: "America/Indiana/Indianapolis",
  IST: "Asia/Kolkata, Europe/Dublin or Asia/Jerusalem",
  JST: "Asia/Tokyo",
  KST: "Asia/Seoul",
  MDT: "America/Denver",
  MIT: "Pacific/Apia",
  MSK: "Europe/Moscow",
  MT: "America/Denver",
  NDT: "America/St_Johns",
  NET: "Asia/Yerevan",
  NST: "America/St_Johns or Pacific/Auckland",
  NZDT: "Pacific/Auckland",
  NZST: "Pacific/Auckland",
  PDT: "America/Los_Angeles",
  PKT: "Asia/Karachi",
  PLT: "Asia/Karachi",
  PNT: "America/Phoenix",
  PRT: "America/Puerto_Rico",
  PST: "America/Los_Angeles",
  PT: "America/Los_Angeles",
  SAST: "Africa/Johannesburg",
  SGT: "Asia/Singapore",
  SST: "Pacific/Pago_Pago or Pacific/Guadalcanal",
  VST: "Asia/Ho_Chi_Minh",
  WAT: "Africa/Lagos",
  WEST: "Europe/Lisbon",
  Z: "UTC",
  "US/PACIFIC-NEW": "America/Los_Angeles",
  "CANADA/EAST-SASKATCHEWAN": "America/Regina",
};

/**
 * Returns the IANA name of a time zone, in the letters of the list: Google Ads reads it, too.
 *
 * @throws Error that names the zone which was probably meant
 */
export function parseTimeZone(text: string): string {
  if (text === "UTC") return text; // the default: lists of zones take 50 ms to load
  const names = listZoneNames();
  const name = names.find((known) => known.toLowerCase() === text.toLowerCase());
  if (name !== undefined && isKnownHere(name)) return name;
  const city = text.trim().toLowerCase().replaceAll(" ", "_");
  const meant =
    abbreviated(text) ??
    atOffset(text) ??
    names.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ??
    nearest(text, names);
  const advice = meant === undefined ? " such as Europe/Berlin" : `; did you mean ${meant}?`;
  throw new Error(`${text} is not an IANA time zone${advice}`);
}

function abbreviated(text: string): string | undefined {
  const word = text.trim().toUpperCase();
  return Object.hasOwn(ABBREVIATIONS, word) ? ABBREVIATIONS[word] : undefined;
}

/** UTC+2, GMT+02:00, +0200 */
function atOffset(text: string): string | undefined {
  const [, hours] = /^(?:UTC|GMT)?([+-]\d{1,2})(?::?00)?$/i.exec(text.trim()) ?? [];
  return hours === undefined ? undefined : ZONE_OF_OFFSET[Number(hours)];
}

/** Whether this Node's time zone data has it, which may be older than the list. */
function isKnownHere(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
