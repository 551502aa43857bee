import { parseAge } from "../../base/calendar/age-text.ts";
import { recordOf } from "../../base/records.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";

/** Parts of a call that may be kept for a limited time, or not at all. */
export const KEEP_KINDS = ["transcripts", "summaries", "caller_numbers", "recording_urls"] as const;
export type KeepKind = (typeof KEEP_KINDS)[number];

/** What may be removed from a call: those parts and, if one of them is limited, the values of undocumented members. */
export const WITHHELD_KINDS = [...KEEP_KINDS, "extra"] as const;
export type WithheldKind = (typeof WITHHELD_KINDS)[number];

/** A number is days from the start of the call. */
export type KeepFor = "always" | "never" | number;

export type Keep = Readonly<Record<KeepKind, KeepFor>>;

export const KEEP_ALL: Keep = recordOf(KEEP_KINDS, () => "always");

/** A hundred years. Times of calls are compared as text, and years before 0 would not sort. */
const MAX_DAYS = 36_500;
const DAY_MS = 86_400_000;

/** @throws Error that says what is allowed */
export function parseKeepFor(text: string): KeepFor {
  if (text === "always" || text === "never") return text;
  const days = /^\d{1,6}d$/.test(text) ? parseAge(text).ms / DAY_MS : 0;
  if (days >= 1 && days <= MAX_DAYS) return days;
  throw new Error(`must be always, never, or a number of days from 1d to ${MAX_DAYS}d, such as 90d`);
}

/** Inverse of {@link parseKeepFor}. */
export function toKeepText(keepFor: KeepFor): string {
  return typeof keepFor === "number" ? `${keepFor}d` : keepFor;
}

/**
 * For each kind, an ISO 8601 UTC time: nothing of that kind may be kept of calls that began before it. Always kept:
 * before all times; never kept: after all times.
 */
export type Cutoffs = Readonly<Record<WithheldKind, string>>;

export const BEFORE_ALL_TIMES = "";
export const AFTER_ALL_TIMES = "~";

export function cutoffsAt(keep: Keep, nowMs: number): Cutoffs {
  return {
    ...recordOf(KEEP_KINDS, (kind) => cutoffOf(keep[kind], nowMs)),
    extra: isAllKept(keep) ? BEFORE_ALL_TIMES : AFTER_ALL_TIMES,
  };
}

function cutoffOf(keepFor: KeepFor, nowMs: number): string {
  if (keepFor === "always") return BEFORE_ALL_TIMES;
  return keepFor === "never" ? AFTER_ALL_TIMES : new Date(nowMs - keepFor * DAY_MS).toISOString();
}

/**
 * Returns the kinds that may no longer be kept of a call. @param since its start, ISO 8601 UTC, or when it was first
 * read if that is unknown
 */
export function kindsPast(cutoffs: Cutoffs, since: string): WithheldKind[] {
  return WITHHELD_KINDS.filter((kind) => since < cutoffs[kind]);
}

export function isAllKept(keep: Keep): boolean {
  return KEEP_KINDS.every((kind) => keep[kind] === "always");
}

/** Makes the rules use digests of callers' numbers if the numbers are not always kept. */
export function withDigests(rules: AttributionRules, keep: Keep): AttributionRules {
  return keep.caller_numbers === "always" ? rules : { ...rules, caller_digests: true };
}

/** The words for each kind in a sentence. */
export const KIND_NAMES: Readonly<Record<WithheldKind, string>> = {
  transcripts: "transcripts",
  summaries: "summaries",
  caller_numbers: "caller numbers",
  recording_urls: "recording links",
  extra: "undocumented members",
};
