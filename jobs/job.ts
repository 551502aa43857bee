import type { Settings } from "../src/config.ts";
import type { ExitCode } from "../src/errors.ts";
import type { Log } from "../src/log.ts";

/** What a job is given to run with. */
export interface JobContext {
  settings: Settings;
  log: Log;
  /** Ends the job early; it then throws the signal's reason. */
  signal: AbortSignal;
}

/** Something that runs on a schedule, or once by `calltally job`. */
export interface Job {
  name: string;
  /** When it runs, as a cron expression in the settings' time zone. */
  cron: (settings: Settings) => string;
  /** The setting that holds the expression. */
  cronSetting: string;
  run: (context: JobContext) => Promise<ExitCode>;
}
