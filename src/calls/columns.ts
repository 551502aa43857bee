import { namesOf } from "../base/records.ts";

/** A member of a call: parser, tables, views, files, privacy and the library's types follow it. */
interface CallColumn {
  /** `integer`, `time` and `duration` are null if missing; `lines` and `members` are JSON. */
  type: "id" | "text" | "integer" | "time" | "duration" | "lines" | "members";
  /** Its meaning in the warehouse. */
  help: string;
  /** What is personal in it; see `PersonalKind`. */
  personal?:
    | ("text" | "visitor" | "caller_numbers" | "recording_urls" | "summaries" | "transcripts" | "extra")
    | undefined;
  /**
   * How lists and views show it; by default not at all.
   * - `fact`: as the fact of this name
   * - `folded`: as served, if the fact `…_folded` has a value
   * - `text`: as served, unless it means that there is no value
   * - `name`: like `text`; also unless it has a macro in it that was not filled in
   * - `said`: as served, unless it is empty
   */
  shown?: "fact" | "folded" | "text" | "name" | "said";
  /** Whether facts that depend on the rules depend on it. */
  isRuled?: true;
}

const text = <const Shown, const Personal>(shown: Shown, personal: Personal, help: string) =>
  ({ type: "text", shown, personal, help }) as const;
const ruled = <const Column>(column: Column) => ({ ...column, isRuled: true }) as const;

type Columns = Readonly<Record<string, CallColumn>>;

const SERVED = {
  call_id: { type: "id", shown: "fact", help: "The service's identifier." },
  insight_name: text("fact", "text", "Campaign or source name."),
  caller_id: text("text", "caller_numbers", "The caller's phone number, international format."),
  tracking_number: text("fact", undefined, "The number that was called, international format."),
  call_started: { type: "time", shown: "fact", help: "Start of the call, ISO 8601 UTC with milliseconds." },
  duration: ruled({
    type: "duration",
    shown: "fact",
    help: "As served; seconds unless CALLTALLY_DURATION_UNIT says otherwise.",
  }),
  disposition: ruled(text("fact", "text", "As served, e.g. ANSWERED.")),
  org_unit_id: {
    type: "integer",
    shown: "fact",
    help: "The group (organization unit) that the call belongs to.",
  },
  org_unit_name: text("fact", "text", "The group's name."),
  recording_url: text("text", "recording_urls", "Signed link to the recording: a secret until it expires."),
} as const satisfies Columns;

const UTM = {
  utm_source: ruled(text("folded", "text", "`utm_source` of the visit before the call, as served.")),
  utm_medium: ruled(text("folded", "text", "`utm_medium` of the visit, as served.")),
  utm_campaign: ruled(text("folded", "text", "`utm_campaign` of the visit, as served.")),
  utm_content: ruled(text("folded", "text", "`utm_content` of the visit, as served.")),
  utm_term: ruled(text("folded", "text", "`utm_term` of the visit, as served.")),
} as const satisfies Columns;

const DNI = {
  ...UTM,
  gclid: ruled(text("fact", "text", "Google click id, byte for byte as served.")),
  gclsrc: ruled(text("fact", "text", "Source of the Google click id, e.g. aw.ds or 3p.ds.")),
  google_analytics_cid: text("text", "visitor", "Google Analytics client id."),
  referring_url: ruled(text("text", "visitor", "Address of the page that the visit came from.")),
  campaign_name: ruled(text("name", "text", "The campaign's name, as served.")),
  campaign_id: ruled(text("fact", "text", "The campaign's identifier, as served.")),
} as const satisfies Columns;

const EXTRA = {
  extra: ruled({
    type: "members",
    personal: "extra",
    help: 'JSON object of undocumented members; only their types, as {"type":"string"}, if a `keep` setting or `forget` withholds anything.',
  }),
} as const satisfies Columns;

const TRANSCRIPT = {
  summary: text("said", "summaries", "AI-generated summary."),
  transcription: text("said", "transcripts", "Full text."),
  transcription_details: {
    type: "lines",
    shown: "said",
    personal: "transcripts",
    help: "JSON array of {channel, time (mm:ss), text}.",
  },
} as const satisfies Columns;

/** The members of a call (API v3 § 2.3), flat, in the API's names. */
export const COLUMNS = { ...SERVED, ...DNI, ...EXTRA, ...TRANSCRIPT };

export type Member = keyof typeof COLUMNS;

type MemberThat<Has> = {
  [Name in Member]: (typeof COLUMNS)[Name] extends Has ? Name : never;
}[Member];

/** Returns the members that have these properties, in the order of the table. */
export function membersThat<const Has extends Partial<CallColumn>>(has: Has): MemberThat<Has>[];
export function membersThat(has: object): string[] {
  const wanted = Object.entries(has);
  return namesOf(COLUMNS).filter((name) =>
    wanted.every(([property, value]) => Reflect.get(COLUMNS[name], property) === value),
  );
}

/** The members of the call itself; it has `dni_data`, too. */
export const SERVED_FIELDS = namesOf(SERVED);
export type ServedField = keyof typeof SERVED;
/** The members of `dni_data`, all text: what marketing put into the click that led to the call. */
export const DNI_FIELDS = namesOf(DNI);
export type DniField = keyof typeof DNI;
export const UTM_FIELDS = namesOf(UTM);

/** The members with a column in `calls`. */
export const CALL_COLUMNS = namesOf({ ...SERVED, ...DNI, ...EXTRA });
/** The members with a column in `transcripts`. */
export const TRANSCRIPT_COLUMNS = namesOf(TRANSCRIPT);

/** A member of a call in lists and views. */
export type ListedMember = MemberThat<{ shown: string }>;

interface Values {
  /** Up to 2^53 − 1. */
  id: number;
  /** An empty text stays. */
  text: string | null;
  integer: number | null;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ`, years 0000 to 9999, so that text order is time order. */
  time: string | null;
  /** As served, up to `MAX_DURATION`; the API does not document the unit. */
  duration: number | null;
  lines: string | null;
  /** Of undocumented members; those of `dni_data` are under that key. */
  members: string | null;
}

/** One attributed call (API v3 § 2.3). Missing members and null are both null here. */
export type Call = { [Name in Member]: Values[(typeof COLUMNS)[Name]["type"]] };
