export interface ReportFile {
  /** Its path in the folder of the report, such as `calls/month=2026-10/calls.parquet`. */
  name: string;
  /** Absolute. */
  path: string;
  bytes: number;
  sha256: string;
  /** Whether it has what tells people apart: numbers, transcripts, recordings. */
  isPersonal: boolean;
}

export interface Figure {
  name: string;
  value: string;
  /** How it has changed, such as `+12.4 %`; null where there is nothing to compare with. */
  change: string | null;
}

export interface ReportSummary {
  title: string;
  /** Null for the only account. */
  account: string | null;
  /** Its range in words, such as `19 October to 15 November 2026, by week`. */
  range: string;
  headline: readonly Figure[];
  verdict: string;
  caveats: readonly string[];
  /** Absolute. */
  folder: string;
  files: readonly ReportFile[];
  manifest: ReportFile;
}

/** Returns a size as it is read, such as `12 kB` or `3.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
