import { namesOf } from "../base/records.ts";

type UtmField = `utm_${"source" | "medium" | "campaign" | "content" | "term"}`;

/** A fact that is a key. */
export type KeyFact =
  | "call_id"
  | `${UtmField}_folded`
  | "source"
  | "medium"
  | "campaign"
  | "campaign_id"
  | "gclid"
  | "channel"
  | "insight_name"
  | "org_unit_name"
  | "org_unit_id"
  | "tracking_number"
  | "disposition"
  | "topic"
  | "in_hours"
  | "referring_host";

export interface KeyColumn {
  name: string;
  type: "text" | "integer";
  /** A fact, a stored utm member, or the local time of the call's start. */
  of: { fact: KeyFact } | { stored: UtmField } | { local: LocalPart };
  /** The id that has one name in all rows: the most frequent one of its live calls. The id is a key, too. */
  isNameOf?: "campaign_id";
  /** Whether calls without a value are under `(not set)`; otherwise the value is null. */
  isNamed: boolean;
  /** Whether it is the id of what the previous column names. */
  isId?: true;
  help?: string;
}

/** `Monday` to `Sunday`, or `00` to `23`. */
export type LocalPart = "weekday" | "hour";

/** A text column; calls without a value are under `(not set)`. */
const text = (name: string, of: KeyColumn["of"], help?: string): KeyColumn => ({
  name,
  type: "text",
  of,
  isNamed: true,
  ...(help !== undefined && { help }),
});
const id = (fact: "campaign_id" | "org_unit_id", type: KeyColumn["type"]): KeyColumn => ({
  name: fact,
  type,
  of: { fact },
  isNamed: false,
  isId: true,
});

/** As in ISO 8601. */
export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
export const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));

const KEYS = {
  utm_source: [text("utm_source", { fact: "utm_source_folded" })],
  utm_medium: [text("utm_medium", { fact: "utm_medium_folded" })],
  utm_campaign: [text("utm_campaign", { fact: "utm_campaign_folded" })],
  utm_content: [text("utm_content", { fact: "utm_content_folded" })],
  utm_term: [text("utm_term", { fact: "utm_term_folded" })],
  source: [
    text("source", { fact: "source" }, "From utm_source, else the click id, else the referrer's host."),
  ],
  medium: [text("medium", { fact: "medium" })],
  // The ids distinguish campaigns, and groups, of the same name.
  campaign: [
    { ...text("campaign", { fact: "campaign" }), isNameOf: "campaign_id" },
    id("campaign_id", "text"),
  ],
  gclid: [text("gclid", { fact: "gclid" })],
  channel: [
    text(
      "channel",
      { fact: "channel" },
      "Default channel group of Google Analytics 4, by source and medium. Direct: no utm value, click id or referrer. Organic Search: unpaid, from a search engine.",
    ),
  ],
  insight_name: [text("insight_name", { fact: "insight_name" })],
  org_unit: [text("org_unit", { fact: "org_unit_name" }), id("org_unit_id", "integer")],
  tracking_number: [text("tracking_number", { fact: "tracking_number" })],
  disposition: [text("disposition", { fact: "disposition" })],
  topic: [
    text("topic", { fact: "topic" }, "What the call is about, by what was said; see the file of topics."),
  ],
  referring_host: [text("referring_host", { fact: "referring_host" })],
  in_hours: [text("in_hours", { fact: "in_hours" }, "Whether the call came in opening hours: yes or no.")],
  weekday: [text("weekday", { local: "weekday" })],
  hour: [text("hour", { local: "hour" })],
} satisfies Record<string, readonly KeyColumn[]>;

export type Dimension = keyof typeof KEYS;
export const DIMENSIONS: readonly Dimension[] = namesOf(KEYS);

/** Dimensions that spend has, too. */
export const SPEND_DIMENSIONS: readonly Dimension[] = ["source", "medium", "campaign", "channel"];

/** Whether a rollup by these can have the columns of spend. */
export function areOfSpend(dimensions: readonly Dimension[]): boolean {
  return dimensions.every((name) => SPEND_DIMENSIONS.includes(name));
}

/** What `export` writes by default. */
export const DEFAULT_DIMENSIONS = ["utm_source", "campaign", "gclid"] as const satisfies Dimension[];

/** Returns the key columns of combined dimensions; `raw` groups utm values as stored. */
export function keyColumns(dimensions: readonly Dimension[], { raw = false } = {}): readonly KeyColumn[] {
  return dimensions.flatMap((dimension): readonly KeyColumn[] => {
    return raw && isUtm(dimension) ? [text(dimension, { stored: dimension }, "As stored.")] : KEYS[dimension];
  });
}

const isUtm = (dimension: Dimension): dimension is UtmField => dimension.startsWith("utm_");

export function isLocal(dimensions: readonly Dimension[]): boolean {
  return keyColumns(dimensions).some(isLocalKey);
}

export const isLocalKey = ({ of }: KeyColumn) => "local" in of;
