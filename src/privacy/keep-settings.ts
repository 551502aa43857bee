import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { parseAge } from "../calendar/age-text.ts";

/** What of a call may be kept for a while, or not at all. */
export const KEEP_KINDS = ["transcripts", "summaries", "caller_numbers", "recording_urls"] as const;
export type KeepKind = (typeof KEEP_KINDS)[number];

/** What may be taken out of a call: those, and where one of them is not always kept, the values of undocumented members. */
export const WITHHELD_KINDS = [...KEEP_KINDS, "extra"] as const;
export type WithheldKind = (typeof WITHHELD_KINDS)[number];

/** How long something is kept: always, never, or a number of days from the start of the call. */
export type KeepFor = "always" | "never" | number;

/** What is kept of calls, and how long. */
export type Keep = Readonly<Record<KeepKind, KeepFor>>;

export const KEEP_ALL: Keep = {
  transcripts: "always",
  summaries: "always",
  caller_numbers: "always",
  recording_urls: "always",
};

/** A hundred years: the times of calls are compared as texts, of which those before the year 0 do not sort. */
const MOST_DAYS = 36_500;
const DAY_MS = 86_400_000;

/**
 * Reads how long something is kept.
 *
 * @throws Error that says what is allowed
 */
export function parseKeepFor(text: string): KeepFor {
  if (text === "always" || text === "never") return text;
  const days = /^\d{1,6}d$/.test(text) ? parseAge(text).ms / DAY_MS : 0;
  if (days >= 1 && days <= MOST_DAYS) return days;
  throw new Error(`must be always, never, or a number of days from 1d to ${MOST_DAYS}d, such as 90d`);
}

/** Writes how long something is kept as {@link parseKeepFor} reads it. */
export function toKeepText(keepFor: KeepFor): string {
  return typeof keepFor === "number" ? `${keepFor}d` : keepFor;
}

/**
 * For each kind the time before which calls have begun of which nothing of that kind may be kept, ISO 8601 UTC: before the
 * earliest there is where it is always kept, after the latest where it never is.
 */
export type Cutoffs = Readonly<Record<WithheldKind, string>>;

/** Sorts before every time. */
export const BEFORE_ALL_TIMES = "";
/** Sorts after every time. */
export const AFTER_ALL_TIMES = "~";

/** Returns what may not be kept at a moment. */
export function cutoffsAt(keep: Keep, nowMs: number): Cutoffs {
  return {
    transcripts: cutoffOf(keep.transcripts, nowMs),
    summaries: cutoffOf(keep.summaries, nowMs),
    caller_numbers: cutoffOf(keep.caller_numbers, nowMs),
    recording_urls: cutoffOf(keep.recording_urls, nowMs),
    extra: isAllKept(keep) ? BEFORE_ALL_TIMES : AFTER_ALL_TIMES,
  };
}

function cutoffOf(keepFor: KeepFor, nowMs: number): string {
  if (keepFor === "always") return BEFORE_ALL_TIMES;
  return keepFor === "never" ? AFTER_ALL_TIMES : new Date(nowMs - keepFor * DAY_MS).toISOString();
}

/** Returns the kinds that may not be kept of a call. @param since when it began, ISO 8601 UTC; where that is not known, when it was first met */
export function kindsPast(cutoffs: Cutoffs, since: string): WithheldKind[] {
  return WITHHELD_KINDS.filter((kind) => since < cutoffs[kind]);
}

/** Whether everything is kept for ever. */
export function isAllKept(keep: Keep): boolean {
  return KEEP_KINDS.every((kind) => keep[kind] === "always");
}

/** Returns rules by which callers are known by digests of their numbers where those are not always kept. */
export function withDigests(rules: AttributionRules, keep: Keep): AttributionRules {
  return keep.caller_numbers === "always" ? rules : { ...rules, caller_digests: true };
}

/** What each kind is called in a sentence. */
export const KIND_NAMES: Readonly<Record<WithheldKind, string>> = {
  transcripts: "transcripts",
  summaries: "summaries",
  caller_numbers: "caller numbers",
  recording_urls: "recording links",
  extra: "undocumented members",
};
