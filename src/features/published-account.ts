import type { CallFilter } from "../calls/filter.ts";
import type { Settings } from "../config/load-settings.ts";
import type { FigureSession } from "../sources/figure-session.ts";
import type { Basis, Coverage } from "../warehouse/runs/basis-schema.ts";

/** An account whose figures are read where it was published. */
export interface PublishedAccount {
  account: string;
  about: PublishedBasis;
  /** When the copy was confirmed, ISO 8601 UTC. */
  publishedAt: string;
  /** Where, without a password. */
  to: string;
  /**
   * Opens a session on the calls that match a filter.
   * @param database path of the account's warehouse, if it is on this machine: it maps numbers to published callers
   * @throws UsageError if the filter excludes callers, and nothing here identifies them
   */
  openSession: (filter: CallFilter, database: string) => Promise<FigureSession>;
}

interface PublishedBasis extends Basis {
  coverage: Coverage;
  lookback_hours: number;
  totals: { spend_rows: number };
  /** Whether numbers and click ids were published unchanged. */
  is_personal: boolean;
  /** Zone of the account's days. */
  timezone: string;
}

/** Published accounts, and what to read of them, all at one moment. */
export interface PublishedQuestion<Result> {
  /** Address of the place, such as clickhouse://host:8123/database. */
  engine: string;
  access: Pick<Settings["publish"], "user" | "passwordFile">;
  /** Names of the accounts; undefined for all. */
  names: readonly string[] | undefined;
  /** Repeated if something is published meanwhile. */
  work: (accounts: readonly PublishedAccount[]) => Promise<Result>;
  options: ReadPublishedOptions;
}

export interface ReadPublishedOptions {
  signal?: AbortSignal | undefined;
  /** Whether the work had effects that forbid another attempt. @default never */
  isFinal?: () => boolean;
}
