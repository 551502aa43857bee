import { CHANCE_MEANING } from "../figures/change-chance.ts";
import { doubtsOf, type Statement, say, saySome } from "../statements/statements.ts";

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

export interface Figure {
  name: string;
  value: string;
  /** Such as `+12.4%`; null if there is nothing to compare with. */
  change: string | null;
  /** What it changed from; null without a change. */
  previous: string | null;
  /** Whether chance alone may explain the change. */
  within_chance: boolean;
}

export interface ReportSummary {
  title: string;
  /** Null for the only account. */
  account: string | null;
  /** Its range in words, such as `19 October to 15 November 2026, by week`. */
  range: string;
  headline: readonly Figure[];
  verdict: string;
  statements: readonly Statement[];
  /** What went silent or far off since the last report, in sentences. */
  notices: readonly string[];
  /** Absolute. */
  folder: string;
  files: readonly ReportFile[];
  manifest: ReportFile;
}

/** Returns what stands before the figures: doubts. */
export function doubtsInWords({ statements }: ReportSummary): string[] {
  return doubtsOf(statements).map((doubt) => say(doubt).text);
}

/** Such as `+12.4% chance from 1,071`; null without a change. */
export function changeInWords({ change, previous, within_chance }: Figure): string | null {
  return change === null ? null : `${change}${within_chance ? " chance" : ""} from ${previous}`;
}

/** Returns what stands after the figures: the verdict, notices, and all other statements. */
export function remarksInWords({ headline, statements, notices, verdict }: ReportSummary): string[] {
  const others = statements.filter(({ level }) => level !== "doubt");
  const isMarked = headline.some(({ within_chance }) => within_chance);
  return [
    verdict,
    ...(isMarked ? [CHANCE_MEANING] : []),
    ...notices,
    ...saySome(others, "see manifest.json"),
  ];
}

/** Such as `12 kB` or `3.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
