import { toCaseless } from "../attribution/call-text.ts";
import { siteKind } from "../attribution/channel-sites.ts";
import { isCurrency } from "../base/currency.ts";
import { UsageError } from "../base/errors.ts";

export const SPEND_FIELDS = [
  "day",
  "cost",
  "source",
  "medium",
  "campaign",
  "campaign_id",
  "currency",
  "clicks",
  "impressions",
] as const;
export type SpendField = (typeof SPEND_FIELDS)[number];

/** Headers by field, as `--map` gives them. */
export type HeaderMap = Partial<Record<SpendField, string>>;

/** A report with known headers; of several headers for a field, the first that exists counts. */
interface KnownReport {
  name: string;
  /** Null if the report does not imply it; likewise the medium. */
  source: string | null;
  medium: string | null;
  headers: Partial<Record<SpendField | "last_day", readonly string[]>>;
  /** At least one of these headers must exist, because the others are common words. */
  marks: readonly string[];
  /** Other names of its platform's sources. */
  sources?: RegExp;
  /** How the platform gets a row for each day into it. */
  daily?: string;
}

/** In English, as the platforms' pages and files name them; files in other languages take `--map`. */
const REPORTS: readonly KnownReport[] = [
  {
    name: "Google Ads",
    source: "google",
    medium: "cpc",
    headers: {
      day: ["day"],
      cost: ["cost"],
      campaign: ["campaign"],
      campaign_id: ["campaign id"],
      currency: ["currency code", "currency"],
      clicks: ["clicks"],
      impressions: ["impr.", "impressions"],
    },
    marks: ["impr.", "currency code"],
    sources: /google|adwords|gads|gmail|youtube/,
    daily: "In Google Ads, add the segment Day (Segment, Time, Day) and download the report again.",
  },
  {
    name: "Microsoft Advertising",
    source: "bing",
    medium: "cpc",
    headers: {
      day: ["gregorian date", "gregoriandate"],
      cost: ["spend"],
      campaign: ["campaign name", "campaignname", "campaign"],
      campaign_id: ["campaign id", "campaignid"],
      currency: ["currency code", "currencycode", "currency"],
      clicks: ["clicks"],
      impressions: ["impressions", "impr."],
    },
    marks: ["gregorian date", "gregoriandate"],
    sources: /bing|microsoft|msn|yahoo|aol|duckduckgo|ecosia/,
  },
  {
    name: "Meta",
    source: "facebook",
    medium: "paid_social",
    headers: {
      day: ["day", "reporting starts"],
      last_day: ["reporting ends"],
      cost: ["amount spent"],
      campaign: ["campaign name"],
      campaign_id: ["campaign id"],
      currency: ["currency"],
      clicks: ["link clicks", "clicks (all)", "clicks"],
      impressions: ["impressions"],
    },
    marks: ["amount spent"],
    sources: /^fb|^ig\b|facebook|instagram|meta|messenger|whatsapp/,
    daily:
      "In Ads Manager, choose the breakdown by Day (Breakdown, By time, Day) and export the report again.",
  },
  {
    name: "columns by calltally's names",
    source: null,
    medium: null,
    headers: Object.fromEntries(SPEND_FIELDS.map((field) => [field, [field]])),
    marks: ["cost"],
  },
];

export type SpendColumns = NonNullable<ReturnType<typeof findColumns>>;

export function findColumns(record: readonly string[], map: HeaderMap) {
  const headers = record.map(toHeader);
  const known = REPORTS.find((report) => hasOneOf(headers, report.headers.day) && isOf(report, headers));
  const indexes = new Map<SpendField | "last_day", number>();
  for (const field of SPEND_FIELDS) {
    const name = map[field];
    if (name === undefined) continue;
    const index = indexOf(headers, toCaseless(name));
    if (index === undefined) return undefined;
    indexes.set(field, index);
  }
  const mapped = new Set(indexes.values());
  // With --map, headers of any known report are recognized.
  const reports = known ? [known] : mapped.size > 0 ? REPORTS : [];
  for (const field of [...SPEND_FIELDS, "last_day"] as const) {
    const index = reports
      .flatMap(({ headers: own }) => own[field] ?? [])
      .map((name) => indexOf(headers, name))
      .find((found) => found !== undefined && !mapped.has(found));
    if (index !== undefined && !indexes.has(field)) indexes.set(field, index);
  }
  const [day, cost] = [indexes.get("day"), indexes.get("cost")];
  if (day === undefined || cost === undefined) return undefined;
  // The end of another column's range does not belong to this one.
  if (headers[day]?.full !== "reporting starts") indexes.delete("last_day");
  assertOnce(headers, indexes, map.cost === undefined ? "cost" : undefined);
  const { name: report = "columns by --map", source = null, medium = null, daily } = known ?? {};
  // Without trailing empty cells.
  const width = headers.findLastIndex(({ full }) => full !== "") + 1;
  const currency = headers[cost]?.currency ?? null; // Amount spent (USD)
  const used = new Set(indexes.values());
  const unused = record.filter((name, index) => name.trim() !== "" && !used.has(index));
  return { report, source, medium, daily, indexes, currency, width, unused };
}

/** Finds the report that this is the header of, except that it has no day. */
export function findUndated(record: readonly string[]): KnownReport | undefined {
  const headers = record.map(toHeader);
  return REPORTS.find((report) => report.daily !== undefined && isOf(report, headers));
}

function isOf({ headers: { cost }, marks }: KnownReport, headers: readonly Header[]): boolean {
  return hasOneOf(headers, cost) && hasOneOf(headers, marks);
}

function hasOneOf(headers: readonly Header[], names: readonly string[] = []): boolean {
  return names.some((name) => indexOf(headers, name) !== undefined);
}

/** Whether a source is another platform's than the report's. */
export function isContradicted(report: string, source: string): boolean {
  const isOfReport = ({ sources }: KnownReport) => sources?.test(source) ?? false;
  const own = REPORTS.find(({ name }) => name === report);
  if (own?.sources === undefined || isOfReport(own)) return false;
  return siteKind(source) !== undefined || REPORTS.some(isOfReport);
}

type Header = ReturnType<typeof toHeader>;

/** Returns a header in full, and as a name without the currency code at its end: `Cost (eur)`, `Cost EUR`. */
export function toHeader(cell: string) {
  const full = toCaseless(cell);
  const [, name = "", inBrackets, bare] =
    /^(.+?)(?:\s*[([]([a-z]{3})[)\]]|[\s_]([A-Z]{3}))$/i.exec(full) ?? [];
  const isBare = bare !== undefined && cell.trim().endsWith(bare.toUpperCase());
  const currency = (inBrackets ?? (isBare ? bare : "")).toUpperCase();
  return isCurrency(currency) ? { full, name, currency } : { full, name: full, currency: null };
}

export function indexOf(headers: readonly Header[], name: string): number | undefined {
  const index = headers.findIndex((header) => header.full === name || header.name === name);
  return index === -1 ? undefined : index;
}

/** @param amount the field whose header may end with a currency */
export function assertOnce(
  headers: readonly Header[],
  indexes: ReadonlyMap<string, number>,
  amount: string | undefined,
): void {
  for (const [field, index] of indexes) {
    const { full, name } = headers[index] ?? toHeader("");
    // Amount spent (USD) and Amount spent (EUR) are the same cost twice.
    const isByName = field === amount;
    if (headers.filter((other) => other.full === full || (isByName && other.name === name)).length === 1)
      continue;
    throw new UsageError(`it has several columns "${isByName ? name : full}"`, {
      hint: "Remove all but one of them from the report.",
    });
  }
}
