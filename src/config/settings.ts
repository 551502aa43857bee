import { DEFAULT_RULES } from "../attribution/attribution-rules.ts";
import {
  parseBaseUrl,
  parseDurationUnit,
  parseHeartbeatUrl,
  parseIds,
  parseList,
  parseLogLevel,
  parseTimeZone,
  parseToken,
  readTokenFile,
  wholeNumber,
} from "./setting-parsers.ts";

/** One setting: where it is given, how its text is read, and what a person should know of it. */
export interface SettingSpec<T> {
  env: string;
  /** The flag that overrides it, where a command has one. */
  flag?: string;
  /** Reads the text; throws an Error that says what is wrong with it. */
  parse: (text: string) => T;
  /** As one would write it. Without one the setting must be given, or is off. */
  default?: string;
  /** Whether nobody may see it: of its value only the length is ever shown. */
  isSecret?: boolean;
  help: string;
}

const setting = <const S extends SettingSpec<unknown>>(spec: S): S => spec;

/** All settings, in the order of the README's table. */
export const SETTINGS = {
  baseUrl: setting({
    env: "CALLTALLY_BASE_URL",
    parse: parseBaseUrl,
    help: "Address of the API, without `/v3`; https, or http on this machine",
  }),
  tokenFile: setting({
    env: "CALLTALLY_TOKEN_FILE",
    parse: readTokenFile,
    isSecret: true,
    help: "File that holds the bearer token; goes before `CALLTALLY_TOKEN`",
  }),
  token: setting({
    env: "CALLTALLY_TOKEN",
    parse: parseToken,
    isSecret: true,
    help: "The bearer token itself",
  }),
  database: setting({
    env: "CALLTALLY_DATABASE",
    flag: "--database",
    parse: String,
    default: "data/calltally.db",
    help: "The warehouse, an SQLite file",
  }),
  exportDir: setting({
    env: "CALLTALLY_EXPORT_DIR",
    flag: "--out",
    parse: String,
    default: "data/exports",
    help: "Folder for exported files and `manifest.json`",
  }),
  timezone: setting({
    env: "CALLTALLY_TIMEZONE",
    flag: "--timezone",
    parse: parseTimeZone,
    default: "UTC",
    help: "Time zone of the days in exports and of the schedule, an IANA name",
  }),
  limit: setting({
    env: "CALLTALLY_LIMIT",
    flag: "--limit",
    parse: wholeNumber(1, 1000),
    default: "1000",
    help: "Calls asked for in one page, 1 to 1000",
  }),
  concurrency: setting({
    env: "CALLTALLY_CONCURRENCY",
    flag: "--concurrency",
    parse: wholeNumber(1, 32),
    default: "4",
    help: "Pages fetched at once, 1 to 32",
  }),
  timeoutSeconds: setting({
    env: "CALLTALLY_TIMEOUT_SECONDS",
    parse: wholeNumber(1, 3600),
    default: "60",
    help: "Time for one attempt of a request, up to its last byte",
  }),
  retrySeconds: setting({
    env: "CALLTALLY_RETRY_SECONDS",
    parse: wholeNumber(0, 86_400),
    default: "120",
    help: "Time after which a failing request is not tried again; 6 attempts at most",
  }),
  lookbackHours: setting({
    env: "CALLTALLY_LOOKBACK_HOURS",
    parse: wholeNumber(0, 8760),
    default: "72",
    help: "Calls younger than this at the last good sync are read again, for late transcripts and corrections",
  }),
  fullEveryHours: setting({
    env: "CALLTALLY_FULL_EVERY_HOURS",
    parse: wholeNumber(0, 8760),
    default: "24",
    help: "Age of the last verified full pass from which the next is due; 0 makes each pass a full one",
  }),
  checkEveryHours: setting({
    env: "CALLTALLY_CHECK_EVERY_HOURS",
    parse: wholeNumber(0, 87_600),
    default: "168",
    help: "Hours after which `sync` checks the whole file for damage again; it does so after a run that failed or was killed, too",
  }),
  goneAfterHours: setting({
    env: "CALLTALLY_GONE_AFTER_HOURS",
    parse: wholeNumber(0, 8760),
    default: "6",
    help: "A call that verified full passes miss for so long is marked as gone",
  }),
  recordingSignature: setting({
    env: "CALLTALLY_RECORDING_SIGNATURE",
    parse: parseList,
    help: "Members of a recording link's query that are new in every response, besides the usual ones such as `X-Amz-Signature`, `Expires` and `token`; `*` for all",
  }),
  answered: setting({
    env: "CALLTALLY_ANSWERED",
    parse: parseList,
    default: DEFAULT_RULES.answered.join(","),
    help: "Dispositions that count as answered; case, `-` and `_` do not matter",
  }),
  missed: setting({
    env: "CALLTALLY_MISSED",
    parse: parseList,
    default: DEFAULT_RULES.missed.join(","),
    help: "Dispositions that count as missed; any other is `other`",
  }),
  qualifiedSeconds: setting({
    env: "CALLTALLY_QUALIFIED_SECONDS",
    parse: wholeNumber(0, 86_400),
    default: String(DEFAULT_RULES.qualified_seconds),
    help: "Seconds an answered call lasts at least to be qualified",
  }),
  durationUnit: setting({
    env: "CALLTALLY_DURATION_UNIT",
    parse: parseDurationUnit,
    default: DEFAULT_RULES.duration_unit,
    help: "Unit of the API's `duration`, which its document leaves open: `seconds` or `milliseconds`",
  }),
  aliasesFile: setting({
    env: "CALLTALLY_ALIASES",
    parse: String,
    help: "CSV file `raw,value` of utm values that are tallied under another's name, such as `fb,facebook`",
  }),
  insightIds: setting({
    env: "CALLTALLY_INSIGHT_IDS",
    parse: parseIds,
    help: "Insights that the job `insights` keeps up to date, ids separated by commas",
  }),
  syncCron: setting({
    env: "CALLTALLY_SYNC_CRON",
    parse: String,
    default: "7 * * * *",
    help: "When `schedule` syncs, a cron expression",
  }),
  exportCron: setting({
    env: "CALLTALLY_EXPORT_CRON",
    parse: String,
    default: "30 5 * * *",
    help: "When `schedule` exports, a cron expression",
  }),
  insightsCron: setting({
    env: "CALLTALLY_INSIGHTS_CRON",
    parse: String,
    default: "15 4 * * *",
    help: "When `schedule` refreshes the insights, a cron expression",
  }),
  jitterSeconds: setting({
    env: "CALLTALLY_JITTER_SECONDS",
    parse: wholeNumber(0, 3600),
    default: "30",
    help: "Seconds at most, drawn at random, by which `schedule` starts a job after its time, lest all machines ask at once",
  }),
  jobMinutes: setting({
    env: "CALLTALLY_JOB_MINUTES",
    parse: wholeNumber(1, 1440),
    default: "60",
    help: "Minutes after which `schedule` ends a job that still runs; a sync then goes on from there the next time",
  }),
  heartbeatUrl: setting({
    env: "CALLTALLY_HEARTBEAT_URL",
    isSecret: true,
    parse: parseHeartbeatUrl,
    help: "Address of a monitor that is told of each sync of `schedule` and `job`: with `/start` before it, as it is after success, with `/fail` otherwise",
  }),
  logLevel: setting({
    env: "CALLTALLY_LOG_LEVEL",
    parse: parseLogLevel,
    default: "info",
    help: "What `schedule` and `job` log: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`",
  }),
};
