import { createHash } from "node:crypto";
import type { ClickId } from "../../attribution/ad-click.ts";
import type { Audience } from "../../base/folder.ts";
import { DIALABLE_NUMBER } from "../../base/phone-number.ts";
import { offsetSpanAt } from "../../calendar/local-time.ts";
import { toEventName } from "../../request/event-name.ts";
import type { ConversionKind } from "../../request/option-values.ts";
import type { ConversionOptions } from "../../request/resolve.ts";
import type { Candidate, ConversionQuery } from "../../rollup/sqlite/sqlite-conversions-sql.ts";

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

export interface Conversion extends Pick<Candidate, "click_by"> {
  call_id: number;
  key: string;
  /** To the second, ISO 8601 UTC. */
  occurred_at: string;
  /** Null if the file has none. */
  order_id: string | null;
  value: string | null;
}

type Field = (conversion: Conversion) => string;

const keyOf: Field = ({ key }) => key;
const toValue: Field = ({ value }) => value ?? "";
const toCurrency =
  ({ currency = "" }: LayoutOptions): Field =>
  ({ value }) =>
    value === null ? "" : currency;

/** The file's layout: a line before the header, if any, and its columns. */
interface Layout {
  parameters?: string;
  columns: { name: string; of: Field }[];
}

export interface LayoutOptions extends ConversionOptions {
  timezone: string;
  nowMs: number;
}

export interface Kind extends Pick<ConversionQuery, "key" | "sources"> {
  missing: Reason;
  pattern: RegExp;
  /** A hashed phone number can be found by trying all numbers; a click id identifies nobody. */
  audience: Audience;
  /** The oldest call that the platform accepts. The click is older, and its age is unknown. */
  maxAgeMs: number;
  minAgeMs: number;
  /** Returns the name of a conversion action as the platform accepts it. @default unchanged */
  toName?: (name: string) => string | undefined;
  hasOrderId: boolean;
  layOut: (options: LayoutOptions) => Layout;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CONSENT = { granted: "Granted", denied: "Denied", unknown: "" } as const;

/** Values of gclsrc (API v3 § 2.3) that mean a click on Google Ads. */
const GOOGLE_ADS_SOURCES = ["", "aw", "aw.ds"];

const GOOGLE_CLICK = {
  sources: GOOGLE_ADS_SOURCES,
  missing: "no gclid",
  pattern: /^[A-Za-z0-9_-]+$/,
  audience: "shared",
  maxAgeMs: 90 * DAY_MS,
  minAgeMs: 6 * HOUR_MS,
  hasOrderId: true,
} as const satisfies Partial<Kind>;

const clickColumn = (name: string, by: ClickId) => ({
  name,
  of: ({ click_by, key }: Conversion) => (click_by === by ? key : ""),
});
const GCLID = clickColumn("Google Click ID", "gclid");

export const KINDS: Record<ConversionKind, Kind> = {
  /**
   * "Import conversions from ad clicks using files" (support.google.com/google-ads/answer/7014069): 90 days, not
   * before 6 hours.
   */
  "google-ads": { ...GOOGLE_CLICK, key: "gclid", layOut: googleLayout([GCLID]) },
  /** "Enhanced conversions for leads": E.164 hashed with SHA-256, 63 days. */
  "google-leads": {
    key: "caller",
    missing: "no caller id",
    pattern: DIALABLE_NUMBER,
    audience: "owner",
    maxAgeMs: 63 * DAY_MS,
    minAgeMs: 0,
    hasOrderId: true,
    layOut: googleLayout([
      { name: "Phone Number", of: ({ key }) => createHash("sha256").update(key).digest("hex") },
    ]),
  },
  /**
   * "Prepare your data for import" (support.google.com/google-ads-data-manager/answer/14184381): headers first, times
   * with their zone. Its columns are assigned by hand, so those for other ids can be left out there. No page of Google's
   * says that files of `google-ads` may have them.
   */
  "google-data-manager": {
    ...GOOGLE_CLICK,
    key: "google_click",
    layOut: googleLayout([GCLID, clickColumn("GBRAID", "gbraid"), clickColumn("WBRAID", "wbraid")], true),
  },
  /** learn.microsoft.com/advertising/bulk-service/offline-conversion: click ids are kept for 90 days; wait an hour. */
  "microsoft-ads": {
    key: "msclkid",
    missing: "no msclkid",
    pattern: /^[0-9a-f]{32}$/i,
    audience: "shared",
    maxAgeMs: 90 * DAY_MS,
    minAgeMs: HOUR_MS,
    hasOrderId: false,
    layOut: microsoftLayout,
  },
  /** "Import offline events" (support.google.com/analytics/answer/10325025). GA4 drops events older than 72 hours. */
  "ga4-events": {
    key: "google_analytics_cid",
    missing: "no client id",
    pattern: /^\d{1,20}\.\d{1,20}$/,
    audience: "shared",
    maxAgeMs: 72 * HOUR_MS,
    minAgeMs: 0,
    toName: toEventName,
    hasOrderId: false,
    layOut: analyticsLayout,
  },
};

/**
 * A row before the header says that times are UTC, or times have their zone. Local times would be the same in the hour
 * that comes twice.
 */
function googleLayout(ids: Layout["columns"], hasZone = false): Kind["layOut"] {
  return (options) => {
    const { ad_user_data, ad_personalization, new: isNew } = options;
    const toTime: Field = ({ occurred_at }) =>
      hasZone ? occurred_at.replace(/\.\d+Z$/, "Z") : toUploadTime(occurred_at);
    const hasConsent = (ad_user_data ?? ad_personalization) !== undefined;
    const columns = [
      ...conversionColumns(options, ids, toTime),
      ...(isNew ? [{ name: "Order ID", of: ({ order_id }: Conversion) => order_id ?? "" }] : []),
      ...(hasConsent
        ? [
            { name: "Ad User Data", of: () => CONSENT[ad_user_data ?? "unknown"] },
            { name: "Ad Personalization", of: () => CONSENT[ad_personalization ?? "unknown"] },
          ]
        : []),
    ];
    return hasZone ? { columns } : { parameters: GOOGLE_ZONE, columns };
  };
}

/** The row before the header: times are UTC. */
export const GOOGLE_ZONE = "Parameters:TimeZone=+0000";

/** Returns a time as `YYYY-MM-DD HH:MM:SS`. */
export function toUploadTime(time: string): string {
  return time.slice(0, "YYYY-MM-DDTHH:MM:SS".length).replace("T", " ");
}

function conversionColumns(options: LayoutOptions, ids: Layout["columns"], toTime: Field): Layout["columns"] {
  return [
    ...ids,
    { name: "Conversion Name", of: () => options.name },
    { name: "Conversion Time", of: toTime },
    { name: "Conversion Value", of: toValue },
    { name: "Conversion Currency", of: toCurrency(options) },
  ];
}

/** Microsoft uses one offset for the whole file: that of the moment it is written. */
function microsoftLayout(options: LayoutOptions): Layout {
  const { offsetSeconds } = offsetSpanAt(new Date(options.nowMs).toISOString(), options.timezone);
  const minutes = Math.round(offsetSeconds / 60);
  const toTime: Field = ({ occurred_at }) =>
    toUploadTime(new Date(Date.parse(occurred_at) + minutes * 60_000).toISOString());
  return {
    parameters: `Parameters:TimeZone=${describeOffset(minutes)}`,
    columns: conversionColumns(options, [{ name: "Microsoft Click ID", of: keyOf }], toTime),
  };
}

function describeOffset(minutes: number): string {
  const ahead = Math.abs(minutes);
  const digits = [Math.floor(ahead / 60), ahead % 60].map((part) => String(part).padStart(2, "0"));
  return `${minutes < 0 ? "-" : "+"}${digits.join("")}`;
}

function analyticsLayout(options: LayoutOptions): Layout {
  const { name, measurement_id = "" } = options;
  return {
    columns: [
      { name: "measurement_id", of: () => measurement_id },
      { name: "client_id", of: keyOf },
      { name: "event_name", of: () => name },
      { name: "timestamp_micros", of: ({ occurred_at }) => `${Date.parse(occurred_at)}000` },
      { name: "event_param.call_id", of: ({ call_id }) => String(call_id) },
      { name: "event_param.value", of: toValue },
      { name: "event_param.currency", of: toCurrency(options) },
    ],
  };
}

export function reasonAgainst(
  call: Candidate,
  { qualify = "qualified", ...kind }: Kind & Pick<ConversionQuery, "qualify">,
  nowMs: number,
): Reason | undefined {
  if (call.key === null) {
    const isGoogleClick = call.click_by === "gbraid" || call.click_by === "wbraid";
    return kind.key === "gclid" && isGoogleClick ? "gbraid or wbraid" : kind.missing;
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
