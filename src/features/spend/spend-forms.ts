import { siteKind } from "../../calls/attribution/channel-sites.ts";
import type { Form } from "../../intake/columns.ts";

/** The columns of a cost report, with what they hold. */
export const SPEND_COLUMNS = {
  day: "day",
  cost: "amount",
  source: "text",
  medium: "text",
  campaign: "text",
  campaign_id: "id",
  currency: "currency",
  clicks: "count",
  impressions: "count",
  /** Of a range of days, which must be one day. */
  last_day: "text",
} as const;
export type SpendColumn = keyof typeof SPEND_COLUMNS;

/** Those that `--map` takes. */
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
] as const satisfies readonly SpendColumn[];
export type SpendField = (typeof SPEND_FIELDS)[number];

/** A report of an ad platform. */
export interface SpendForm extends Form<SpendColumn> {
  /** Null if the report does not imply it; likewise the medium. */
  source: string | null;
  medium: string | null;
  /** Other names of its platform's sources. */
  sources?: RegExp;
  /** How the platform gets a row for each day into it. */
  daily?: string;
}

const needs = ["day", "cost"] as const;

/** In English, as the platforms' pages and files name them; files in other languages take `--map`. */
export const SPEND_FORMS: readonly SpendForm[] = [
  {
    name: "Google Ads",
    source: "google",
    medium: "cpc",
    needs,
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
    needs,
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
    needs,
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
    needs,
    headers: Object.fromEntries(SPEND_FIELDS.map((field) => [field, [field]])),
    marks: ["cost"],
  },
];

/** Whether a source is another platform's than the report's. */
export function isContradicted(form: SpendForm | undefined, source: string): boolean {
  const isOf = ({ sources }: SpendForm) => sources?.test(source) ?? false;
  if (form?.sources === undefined || isOf(form)) return false;
  return siteKind(source) !== undefined || SPEND_FORMS.some(isOf);
}
