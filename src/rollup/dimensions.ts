import type { FactColumn } from "../attribution/attribute-call.ts";
import type { UtmField } from "../attribution/explain-attribution.ts";

/** One column of a rollup's key. */
export interface KeyColumn {
  name: string;
  type: "text" | "integer";
  /** The fact it shows, a utm member as it is stored, or what the clocks of a zone showed when the call started. */
  of: { fact: FactColumn } | { stored: UtmField } | { local: LocalPart };
  /** Whether calls without a value are under `(not set)`; else they have none. */
  isNamed: boolean;
  /** Whether it is the id of what the column before it names. */
  isId?: true;
  /** One sentence for a person. */
  help?: string;
}

/** `Monday` to `Sunday`, or `00` to `23`. */
export type LocalPart = "weekday" | "hour";

/** A text column; calls without a value are under `(not set)`. */
const key = (name: string, fact: FactColumn): KeyColumn => ({
  name,
  type: "text",
  of: { fact },
  isNamed: true,
});

/** As in ISO 8601. */
export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const local = (name: LocalPart): KeyColumn => ({ name, type: "text", of: { local: name }, isNamed: true });

const KEYS = {
  utm_source: [key("utm_source", "utm_source_folded")],
  utm_medium: [key("utm_medium", "utm_medium_folded")],
  utm_campaign: [key("utm_campaign", "utm_campaign_folded")],
  utm_content: [key("utm_content", "utm_content_folded")],
  utm_term: [key("utm_term", "utm_term_folded")],
  source: [
    {
      ...key("source", "source"),
      help: "From utm_source, else the click id, else the referrer's host.",
    },
  ],
  medium: [key("medium", "medium")],
  // Two campaigns of one name are told apart by their ids, and so are two groups.
  campaign: [
    key("campaign", "campaign"),
    { name: "campaign_id", type: "text", of: { fact: "campaign_id" }, isNamed: false, isId: true },
  ],
  gclid: [key("gclid", "gclid")],
  channel: [
    {
      ...key("channel", "channel"),
      help: "Default channel group of Google Analytics 4, by source and medium. Direct: no utm value, click id or referrer. Organic Search: unpaid, from a search engine.",
    },
  ],
  insight_name: [key("insight_name", "insight_name")],
  org_unit: [
    key("org_unit", "org_unit_name"),
    { name: "org_unit_id", type: "integer", of: { fact: "org_unit_id" }, isNamed: false, isId: true },
  ],
  tracking_number: [key("tracking_number", "tracking_number")],
  disposition: [key("disposition", "disposition")],
  referring_host: [key("referring_host", "referring_host")],
  weekday: [local("weekday")],
  hour: [local("hour")],
} satisfies Record<string, readonly KeyColumn[]>;

/** A way to group calls. */
export type Dimension = keyof typeof KEYS;
export const DIMENSIONS: readonly Dimension[] = namesOf(KEYS);

/** Dimensions that spend has as well as calls. */
export const SPEND_DIMENSIONS: readonly Dimension[] = ["source", "medium", "campaign", "channel"];

/** What `export` writes when it is not told. */
export const DEFAULT_DIMENSIONS = ["utm_source", "campaign", "gclid"] as const satisfies Dimension[];

const STORED: Partial<Record<Dimension, UtmField>> = {
  utm_source: "utm_source",
  utm_medium: "utm_medium",
  utm_campaign: "utm_campaign",
  utm_content: "utm_content",
  utm_term: "utm_term",
};

/** Returns the key columns of some dimensions together; `raw` groups utm values as they are stored. */
export function keyColumns(dimensions: readonly Dimension[], { raw = false } = {}): readonly KeyColumn[] {
  return dimensions.flatMap((dimension): readonly KeyColumn[] => {
    const stored = raw ? STORED[dimension] : undefined;
    return stored === undefined
      ? KEYS[dimension]
      : [{ name: dimension, type: "text", of: { stored }, isNamed: true }];
  });
}

/** Whether any of some dimensions depends on a time zone. */
export function isLocal(dimensions: readonly Dimension[]): boolean {
  return keyColumns(dimensions).some(({ of }) => "local" in of);
}

/** The names of a record's members. */
export function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  const isName = (name: string): name is Name => name in record;
  return Object.keys(record).filter(isName);
}
