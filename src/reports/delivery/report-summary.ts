import { formatNumber } from "../../base/text/locale.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { NAME_IN_TEXT, toShortName } from "../../base/text/short-name.ts";
import type { Figure } from "../../export/blocks.ts";
import type { Verdict } from "../../export/completeness.ts";
import type { Letterhead } from "../../export/letterhead/letterhead.ts";
import type { Sentence } from "../../export/sentences/sentences.ts";
import type { Statement } from "../../export/statements/statements.ts";

export interface ReportFile {
  /** Path in the folder of the report, such as `calls/month=2026-10/calls.parquet`. */
  name: string;
  /** Absolute. */
  path: string;
  bytes: number;
  sha256: string;
  /** Whether it contains data about single people: numbers, transcripts, recordings. */
  isPersonal: boolean;
  /** Whether mails only name it: mail servers remove scripts. */
  isScript?: boolean;
}

/** A caller whose last call was missed, and who was not answered since. */
export interface CallerToRingBack {
  /** Start of the last missed call, local time: `2026-11-20 13:37`. */
  missed_at: string;
  /** Since the caller was last answered. */
  missed_calls: number;
  source: string;
  /** Null if no opening hours are set. */
  in_hours: boolean | null;
  /** Null if the report does not show numbers. */
  number: string | null;
}

export interface ReportSummary {
  title: string;
  /** Null for the only account. */
  account: string | null;
  letterhead: Letterhead;
  /** Its range in words, such as `19 October to 15 November 2026, by week`. */
  range: string;
  /** What to read first. */
  sentences: readonly Sentence[];
  headline: readonly Figure[];
  verdict: Verdict;
  statements: readonly Statement[];
  /** What went silent or far off since the last report, in sentences. */
  notices: readonly string[];
  /** The newest callers to ring back, and how many there are in all; undefined unless the report asks for them. */
  ring_back?: { callers: readonly CallerToRingBack[]; all: number } | undefined;
  /** Absolute. */
  folder: string;
  files: readonly ReportFile[];
  /** What the names of attached files begin with, such as `austin-` if there are several accounts. */
  prefix: string;
  manifest: ReportFile;
}

/** Such as `+12.4% from 1,071, within chance`; null without a change. */
export function changeInWords({ change, previous, within_chance }: Figure): string | null {
  return change === null ? null : `${change} from ${previous}${within_chance ? ", within chance" : ""}`;
}

/** Such as `2026-11-20 13:37, 2 missed calls, in hours, from google: +15125550117`. */
export function callerInWords({
  missed_at,
  missed_calls,
  source,
  in_hours,
  number,
}: CallerToRingBack): string {
  const hours = in_hours === null ? [] : [in_hours ? "in hours" : "outside of hours"];
  const words = [
    missed_at,
    formatQuantity(missed_calls, "missed call"),
    ...hours,
    `from ${toShortName(source, NAME_IN_TEXT)}`,
  ].join(", ");
  return number === null ? words : `${words}: ${number}`;
}

/** Such as `To ring back: the newest 10 of 14 callers`; null without callers, or if the report does not list them. */
export function ringBackTitle({ ring_back }: ReportSummary): string | null {
  if (ring_back === undefined || ring_back.all === 0) return null;
  const { callers, all } = ring_back;
  const some = callers.length < all ? `the newest ${callers.length} of ` : "";
  return `To ring back: ${some}${formatQuantity(all, "caller")}`;
}

/** Such as `12 kB` or `3.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} kB`;
  return `${formatNumber(bytes / 1_000_000, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;
}
