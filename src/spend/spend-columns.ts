import { toCaseless } from "../attribution/call-text.ts";
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
  const known = REPORTS.find(({ headers: own, marks }) =>
    [own.day, own.cost, marks].every((names) => names?.some((name) => indexOf(headers, name) !== undefined)),
  );
  const indexes = new Map<SpendField | "last_day", number>();
  for (const field of [...SPEND_FIELDS, "last_day"] as const) {
    const names = known?.headers[field] ?? [];
    const index = names.map((name) => indexOf(headers, name)).find((found) => found !== undefined);
    if (index !== undefined) indexes.set(field, index);
  }
  for (const field of SPEND_FIELDS) {
    const name = map[field];
    if (name === undefined) continue;
    const index = indexOf(headers, toCaseless(name));
    if (index === undefined) return undefined;
    indexes.set(field, index);
  }
  const [day, cost] = [indexes.get("day"), indexes.get("cost")];
  if (day === undefined || cost === undefined) return undefined;
  // The end of another column's range does not belong to this one.
  if (headers[day]?.full !== "reporting starts") indexes.delete("last_day");
  assertOnce(headers, { indexes, map });
  const { name: report = "columns by --map", source = null, medium = null } = known ?? {};
  // Without trailing empty cells.
  const width = headers.findLastIndex(({ full }) => full !== "") + 1;
  const currency = headers[cost]?.currency ?? null; // Amount spent (USD)
  return { report, source, medium, indexes, currency, width };
}

type Header = ReturnType<typeof toHeader>;

/** Returns a header in full, and as a name without a currency code in brackets at its end. */
function toHeader(cell: string) {
  const full = toCaseless(cell);
  const [, name = "", code = ""] = /(.+?) ?\(([a-z]{3})\)$/.exec(full) ?? [];
  const currency = code.toUpperCase();
  return isCurrency(currency) ? { full, name, currency } : { full, name: full, currency: null };
}

function indexOf(headers: readonly Header[], name: string): number | undefined {
  const index = headers.findIndex((header) => header.full === name || header.name === name);
  return index === -1 ? undefined : index;
}

function assertOnce(
  headers: readonly Header[],
  { indexes, map }: Pick<SpendColumns, "indexes"> & { map: HeaderMap },
): void {
  for (const [field, index] of indexes) {
    const { full, name } = headers[index] ?? toHeader("");
    // Amount spent (USD) and Amount spent (EUR) are the same cost twice.
    const isByName = field === "cost" && map.cost === undefined;
    if (headers.filter((other) => other.full === full || (isByName && other.name === name)).length === 1)
      continue;
    throw new UsageError(`it has several columns "${isByName ? name : full}"`, {
      hint: "Remove all but one of them from the report.",
    });
  }
}
