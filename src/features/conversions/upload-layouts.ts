import { createHash } from "node:crypto";
import { stringify } from "csv-stringify/sync";
import { offsetSpanAt } from "../../base/calendar/local-time.ts";
import type { ClickId } from "../../calls/attribution/ad-click.ts";
import type { ConversionOptions } from "../../config/request/resolve.ts";
import type { Candidate } from "../../sources/sqlite/sqlite-conversions-sql.ts";

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
export interface Layout {
  parameters?: string;
  columns: { name: string; of: Field }[];
}

export type LayOut = (options: LayoutOptions) => Layout;

export interface LayoutOptions extends ConversionOptions {
  timezone: string;
  nowMs: number;
}

/** An adjustment of an earlier conversion. */
export interface AdjustmentLine {
  order_id: string | null;
  conversion_name: string;
  action: string;
  value: string | null;
  currency: string | null;
  /** ISO 8601 UTC. */
  occurred_at: string;
}

const CONSENT = { granted: "Granted", denied: "Denied", unknown: "" } as const;

export const clickColumn = (name: string, by: ClickId) => ({
  name,
  of: ({ click_by, key }: Conversion) => (click_by === by ? key : ""),
});
export const GCLID = clickColumn("Google Click ID", "gclid");
export const HASHED_NUMBER = {
  name: "Phone Number",
  of: ({ key }: Conversion) => createHash("sha256").update(key).digest("hex"),
};

/**
 * A row before the header says that times are UTC, or times have their zone. Local times would be the same in the hour
 * that comes twice.
 */
export function googleLayout(ids: Layout["columns"], hasZone = false): LayOut {
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
const GOOGLE_ZONE = "Parameters:TimeZone=+0000";

/** Returns a time as `YYYY-MM-DD HH:MM:SS`. */
function toUploadTime(time: string): string {
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
export function microsoftLayout(options: LayoutOptions): Layout {
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

export function analyticsLayout(options: LayoutOptions): Layout {
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

/** Google's files say `RETRACT` for what its API calls a retraction. */
export function* layOutAdjustments(lines: readonly AdjustmentLine[]): Generator<string> {
  yield `${GOOGLE_ZONE}\n`;
  yield "Order ID,Conversion Name,Adjustment Time,Adjustment Type,Adjusted Value,Adjusted Value Currency\n";
  for (const { order_id, conversion_name, occurred_at, action, value, currency } of lines) {
    const time = toUploadTime(occurred_at);
    yield stringify([[order_id, conversion_name, time, action.toUpperCase(), value, currency]]);
  }
}
