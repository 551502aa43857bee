import { DNI_FIELDS, type DniField } from "../../calls/columns.ts";
import { drawIndex, pick, type Random } from "../random.ts";
import type { Source } from "./sources.ts";

/** dni_data as served. A member without a value is null, "" or missing: clients meet all three. */
export type DniData = Partial<Record<DniField, string | null>>;

/** Whether a dni_data has a value. Anything but an object, which only a test puts there, has. */
export function hasDniData(dniData: unknown): boolean {
  if (typeof dniData !== "object") return dniData !== undefined;
  return Object.values(dniData ?? {}).some((value) => value !== null && value !== "");
}

const LABELLED_SHARE = 0.9;
const ANALYTICS_SHARE = 0.85;

const TOKEN_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Makes the DNI session of one visit from a source; at least one member has a value. */
export function drawDniData(random: Random, source: Source, hasOddTexts: boolean): DniData {
  const drawn = hasOddTexts ? { ...source, dni: { ...source.dni, ...source.odd } } : source;
  const known = drawKnown(random, drawn);
  const dni: DniData = {};
  for (const member of DNI_FIELDS) {
    const value = known[member] || drawMissing(random);
    if (value !== undefined) dni[member] = value;
  }
  return dni;
}

function drawKnown(random: Random, source: Source): Partial<Record<DniField, string>> {
  const known: Partial<Record<DniField, string>> = {};
  const isLabelled = random() < LABELLED_SHARE;
  for (const member of DNI_FIELDS) {
    if (!isLabelled && (member === "campaign_name" || member === "campaign_id")) continue;
    const choice = source.dni[member];
    if (choice !== undefined) known[member] = typeof choice === "string" ? choice : pick(random, choice);
  }
  if (source.hasClickId) known.gclid = drawClickId(random);
  const isEmpty = !Object.values(known).some(Boolean);
  if (random() < ANALYTICS_SHARE || isEmpty) known.google_analytics_cid = drawAnalyticsId(random);
  return known;
}

function drawMissing(random: Random): null | "" | undefined {
  const share = random();
  if (share < 0.4) return null;
  return share < 0.6 ? "" : undefined;
}

/** Google click ids have these two shapes; case matters. */
function drawClickId(random: Random): string {
  return random() < 0.6 ? `Cj0KCQ${drawToken(random, 72)}_wcB` : `EAIaIQobChMI${drawToken(random, 44)}_BwE`;
}

function drawAnalyticsId(random: Random): string {
  const visitor = 100_000_000 + drawIndex(random, 2_000_000_000);
  const firstVisitSeconds = 1_690_000_000 + drawIndex(random, 80_000_000);
  return `${visitor}.${firstVisitSeconds}`;
}

export function drawToken(random: Random, length: number): string {
  let token = "";
  while (token.length < length) {
    for (let bits = drawIndex(random, 2 ** 30), left = 5; left > 0; left--, bits >>= 6) {
      token += TOKEN_ALPHABET[bits & 63];
    }
  }
  return token.slice(0, length);
}
