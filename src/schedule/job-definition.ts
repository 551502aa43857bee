import type { LimitRequest } from "../api/host-limits.ts";
import type { ExitCode } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Settings } from "../config/load-settings.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

export interface JobContext {
  account?: string | undefined;
  settings: Settings;
  log: Log;
  /** Ends the job early; it then throws the signal's reason. */
  signal: AbortSignal;
  /** The limit of requests to a host, which all accounts of this process share. @default none */
  limitOf?: ((host: string) => LimitRequest) | undefined;
}

export interface Job {
  name: string;
  /** When it runs, as a cron expression in the settings' time zone. */
  cron: (settings: Settings) => string;
  cronSetting: string;
  idle?: (settings: Settings) => string | undefined;
  /** Whether one that never began waits for its next slot, and does not run when the schedule starts. @default false */
  waitsForFirstSlot?: boolean;
  /** Whether it syncs: it reports start and end at CALLTALLY_HEARTBEAT_URL, others failures. */
  isSync: boolean;
  /** Whether another job than the sync asks its host for more than a little. @default false */
  asksHost?: boolean;
  /** When it was last done, ISO 8601 UTC, as the warehouse tells; null for never. */
  readLastDone: (warehouse: Warehouse, settings: Settings) => string | null;
  /** Whether its last run is to be taken up again before the next slot, as the warehouse tells. @default never */
  isUnfinished?: (warehouse: Warehouse) => boolean;
  run: (context: JobContext) => Promise<ExitCode>;
}
