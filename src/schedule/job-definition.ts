import type { Clock } from "../base/clock.ts";
import type { ExitCode } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Settings } from "../config/load-settings.ts";
import type { LimitRequest } from "../service/api/host-limits.ts";
import type { Reader } from "../warehouse/warehouse.ts";

export interface JobContext {
  account?: string | undefined;
  settings: Settings;
  log: Log;
  /** Ends the job early; it then throws the signal's reason. */
  signal: AbortSignal;
  /** The limit of requests to a host, shared by all accounts of this process. @default none */
  limitOf?: ((host: string) => LimitRequest) | undefined;
  clock?: Clock;
}

export interface Job {
  name: string;
  /** A cron expression in the settings' time zone. */
  cron: (settings: Settings) => string;
  cronSetting: string;
  idle?: (settings: Settings) => string | undefined;
  /** Whether a job that never ran waits for its next slot instead of running at start. @default false */
  waitsForFirstSlot?: boolean;
  /** A sync reports start and end at CALLTALLY_HEARTBEAT_URL, other jobs only failures. */
  isSync: boolean;
  /** Whether a job other than the sync sends more than a few requests. @default false */
  asksHost?: boolean;
  /** When it was last done by the warehouse, ISO 8601 UTC; null for never. */
  readLastDone: (warehouse: Reader, settings: Settings) => string | null;
  /** Whether its last run should be resumed before the next slot. @default never */
  isUnfinished?: (warehouse: Reader) => boolean;
  run: (context: JobContext) => Promise<ExitCode>;
}
