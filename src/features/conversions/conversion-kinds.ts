import type { Audience } from "../../base/folder.ts";
import { DIALABLE_NUMBER } from "../../base/text/e164.ts";
import type { ClickId } from "../../calls/attribution/ad-click.ts";
import {
  type AdjustableKind,
  CONVERSIONS,
  type ConversionKind,
} from "../../config/request/conversion-kinds.ts";
import type { Candidate, ConversionQuery } from "../../sources/sqlite/sqlite-conversions-sql.ts";
import {
  type AdjustmentLine,
  analyticsLayout,
  clickColumn,
  GCLID,
  googleLayout,
  HASHED_NUMBER,
  type LayOut,
  layOutAdjustments,
  microsoftLayout,
} from "./upload-layouts.ts";

/** Why a call is not a conversion; the first of several reasons. */
export type Reason =
  | "no gclid"
  | "gbraid or wbraid"
  | "not Google Ads"
  | "no caller id"
  | "no msclkid"
  | "no client id"
  | "malformed"
  | "no time"
  | "too old"
  | "too recent"
  | "not qualified"
  | "not booked"
  | "not sold"
  | "duplicate"
  | "nothing earned";

/** A kind of conversions: its calls, its files, and what may be done with them later. */
export interface Kind extends Pick<ConversionQuery, "key" | "sources"> {
  /** What a row identifies a conversion by, in the documentation. */
  help: string;
  /**
   * Whom a row points to. A hashed phone number can be found by trying all numbers; a client id is one browser's; a
   * click id identifies nobody.
   */
  identifies: "caller" | "browser" | "click";
  missing: Reason;
  /** Clicks that another kind uploads. */
  elsewhere?: { clicks: readonly ClickId[]; reason: Reason };
  pattern: RegExp;
  /** The oldest call that the platform accepts. The click is older, and its age is unknown. */
  maxAgeMs: number;
  minAgeMs: number;
  hasOrderId: boolean;
  layOut: LayOut;
}

/** How conversions of a kind can be adjusted. */
export interface AdjustmentRules {
  maxAgeMs: number;
  layOut: (lines: readonly AdjustmentLine[]) => Iterable<string>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Values of gclsrc (API v3 § 2.3) that mean a click on Google Ads. */
const GOOGLE_ADS_SOURCES = ["", "aw", "aw.ds"];

const GOOGLE_CLICK = {
  sources: GOOGLE_ADS_SOURCES,
  missing: "no gclid",
  identifies: "click",
  pattern: /^[A-Za-z0-9_-]+$/,
  maxAgeMs: 90 * DAY_MS,
  minAgeMs: 6 * HOUR_MS,
  hasOrderId: true,
} as const satisfies Partial<Kind>;

type KindOf<Name extends ConversionKind> = Kind &
  (Name extends AdjustableKind ? { adjustments: AdjustmentRules } : { adjustments?: undefined });

export const KINDS: { readonly [Name in ConversionKind]: KindOf<Name> } = {
  /**
   * "Import conversions from ad clicks using files" (support.google.com/google-ads/answer/7014069): 90 days, not
   * before 6 hours.
   */
  "google-ads": {
    ...GOOGLE_CLICK,
    key: "gclid",
    help: "`gclid`",
    elsewhere: { clicks: ["gbraid", "wbraid"], reason: "gbraid or wbraid" },
    layOut: googleLayout([GCLID]),
    /**
     * "Adjustment can't be made to a conversion that occurred more than 54 days ago" (CONVERSION_EXPIRED of the Google
     * Ads API).
     */
    adjustments: { maxAgeMs: 54 * DAY_MS, layOut: layOutAdjustments },
  },
  /** "Enhanced conversions for leads": E.164 hashed with SHA-256, 63 days. */
  "google-leads": {
    key: "caller",
    help: "caller, SHA-256 of E.164",
    identifies: "caller",
    missing: "no caller id",
    pattern: DIALABLE_NUMBER,
    maxAgeMs: 63 * DAY_MS,
    minAgeMs: 0,
    hasOrderId: true,
    layOut: googleLayout([HASHED_NUMBER]),
  },
  /**
   * "Prepare your data for import" (support.google.com/google-ads-data-manager/answer/14184381): headers first, times
   * with their zone. Its columns are assigned by hand, so those for other ids can be left out there. No page of Google's
   * says that files of `google-ads` may have them.
   */
  "google-data-manager": {
    ...GOOGLE_CLICK,
    key: "google_click",
    help: "`gclid`, `gbraid` or `wbraid`",
    layOut: googleLayout([GCLID, clickColumn("GBRAID", "gbraid"), clickColumn("WBRAID", "wbraid")], true),
  },
  /** learn.microsoft.com/advertising/bulk-service/offline-conversion: click ids are kept for 90 days; wait an hour. */
  "microsoft-ads": {
    key: "msclkid",
    help: "`msclkid`",
    identifies: "click",
    missing: "no msclkid",
    pattern: /^[0-9a-f]{32}$/i,
    maxAgeMs: 90 * DAY_MS,
    minAgeMs: HOUR_MS,
    hasOrderId: false,
    layOut: microsoftLayout,
  },
  /** "Import offline events" (support.google.com/analytics/answer/10325025). GA4 drops events older than 72 hours. */
  "ga4-events": {
    key: "google_analytics_cid",
    help: "`google_analytics_cid`",
    identifies: "browser",
    missing: "no client id",
    pattern: /^\d{1,20}\.\d{1,20}$/,
    maxAgeMs: 72 * HOUR_MS,
    minAgeMs: 0,
    hasOrderId: false,
    layOut: analyticsLayout,
  },
};

export const kindOf = (name: ConversionKind): Kind & { adjustments?: AdjustmentRules | undefined } =>
  KINDS[name];

/** Who may read the files of a kind. */
export const audienceOf = ({ identifies }: Kind): Audience => (identifies === "caller" ? "owner" : "shared");

/** The kinds whose files name callers or their browsers. */
export const NAMING_PEOPLE = CONVERSIONS.filter((name) => KINDS[name].identifies !== "click");

export function reasonAgainst(
  call: Candidate,
  { qualify = "qualified", ...kind }: Kind & Pick<ConversionQuery, "qualify">,
  nowMs: number,
): Reason | undefined {
  if (call.key === null) {
    const { elsewhere, missing } = kind;
    return elsewhere?.clicks.some((click) => click === call.click_by) ? elsewhere.reason : missing;
  }
  if (kind.sources?.includes(call.gclsrc) === false) return "not Google Ads";
  if (!kind.pattern.test(call.key)) return "malformed";
  if (call.call_started === null) return "no time";
  const ageMs = nowMs - Date.parse(call.call_started);
  if (ageMs > kind.maxAgeMs) return "too old";
  if (ageMs < kind.minAgeMs) return "too recent";
  if (!call.is_qualified) return `not ${qualify}`;
  if (call.is_repeated) return "duplicate";
  return call.earned_micros === "0" ? "nothing earned" : undefined;
}
