/** Which calls may be conversions, and which of them count as the same. */
export interface ConversionQuery {
  /** What identifies a conversion: the click, or the caller. */
  key: "gclid" | "caller";
  /** Values of gclsrc that are taken, empty for none. @default all */
  sources?: readonly string[] | undefined;
  /** Whether each qualified call of a key counts, and not the first alone. */
  every: boolean;
  /** Looks at the calls alone that have the key of this one. */
  likeCall?: number | undefined;
}

/** A call with what decides whether it is a conversion. */
export interface Candidate {
  call_id: number;
  call_started: string | null;
  /** The click id, or the phone number. */
  key: string | null;
  gclsrc: string;
  is_qualified: boolean;
  /** Whether an earlier qualified call has the same key (and, where every call counts, the same second). */
  is_repeated: boolean;
}
