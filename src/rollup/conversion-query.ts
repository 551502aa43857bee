/** Which calls may be conversions, and which of them count as the same. */
export interface ConversionQuery {
  /** What identifies a conversion: the click, the caller, or the browser. */
  key: ConversionKey;
  /** Values of gclsrc that are taken, empty for none. @default all */
  sources?: readonly string[] | undefined;
  /** Whether each qualified call of a key counts, and not the first alone. */
  every: boolean;
  /** Looks at these calls, and at none without the key of one of them. @default the calls of the session's filter */
  likeCalls?: readonly number[] | undefined;
}

export type ConversionKey = "gclid" | "caller" | "msclkid" | "google_analytics_cid";

/** A call with what decides whether it is a conversion. */
export interface Candidate {
  call_id: number;
  /** Whether the service still shows it. */
  is_live: boolean;
  call_started: string | null;
  /** The click id, the phone number, or the client id of Google Analytics. */
  key: string | null;
  gclsrc: string;
  is_qualified: boolean;
  /** Whether an earlier qualified call has the same key (and, where every call counts, the same second). */
  is_repeated: boolean;
}
