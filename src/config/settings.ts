import { DEFAULT_RULES } from "../attribution/attribution-rules.ts";
import { parseCurrency } from "../base/currency.ts";
import { parseFilePath, parsePath } from "../base/path-text.ts";
import { parseKeepFor } from "../privacy/keep-settings.ts";
import { parseClusterUrl } from "./cluster-url.ts";
import {
  parseBaseUrl,
  parseDurationUnit,
  parseHeartbeatUrl,
  parseIds,
  parseList,
  parseLogLevel,
  parseOrgUnitId,
  parsePageSize,
  parseToken,
  parseUserName,
  parseYesNo,
  readTokenFile,
  wholeNumber,
} from "./setting-parsers.ts";
import { parseTimeZone } from "./time-zone.ts";

/** One setting: where it is given, how its text is parsed, and its help text. */
export interface SettingSpec<T> {
  env: string;
  /** The flag that overrides it, where a command has one. */
  flag?: string;
  /** Reads the text; throws an Error that says what is wrong with it. */
  parse: (text: string) => T;
  /** The default as text. Without one the setting is required, or off. */
  default?: string;
  /** Whether the value is secret: only its length is ever shown. */
  isSecret?: boolean;
  help: string;
}

const setting = <const S extends SettingSpec<unknown>>(spec: S): S => spec;

/** All settings, in the order of docs/reference/settings.md. */
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
    help: "File that holds the bearer token; takes precedence over `CALLTALLY_TOKEN`",
  }),
  token: setting({
    env: "CALLTALLY_TOKEN",
    parse: parseToken,
    isSecret: true,
    help: "The bearer token itself",
  }),
  orgUnitId: setting({
    env: "CALLTALLY_ORG_UNIT_ID",
    parse: parseOrgUnitId,
    help: "Organization unit whose calls are read, sent as `org_unit_id` with every request for calls; the API's documentation does not state its type and meaning. Not sent by default",
  }),
  database: setting({
    env: "CALLTALLY_DATABASE",
    flag: "--database",
    parse: parseFilePath,
    default: "data/calltally.db",
    help: "The warehouse, an SQLite file",
  }),
  exportDir: setting({
    env: "CALLTALLY_EXPORT_DIR",
    flag: "--out",
    parse: parsePath,
    default: "data/exports",
    help: "Folder for exported files and `manifest.json`",
  }),
  timezone: setting({
    env: "CALLTALLY_TIMEZONE",
    flag: "--timezone",
    parse: parseTimeZone,
    default: "UTC",
    help: "IANA time zone of the days in exports and of the schedule",
  }),
  limit: setting({
    env: "CALLTALLY_LIMIT",
    flag: "--limit",
    parse: parsePageSize,
    default: "1000",
    help: "Calls requested per page, 2 to 1000",
  }),
  concurrency: setting({
    env: "CALLTALLY_CONCURRENCY",
    flag: "--concurrency",
    parse: wholeNumber(1, 32),
    default: "4",
    help: "Pages fetched concurrently, 1 to 32",
  }),
  timeoutSeconds: setting({
    env: "CALLTALLY_TIMEOUT_SECONDS",
    parse: wholeNumber(1, 3600),
    default: "60",
    help: "Timeout of one request attempt in seconds, from connecting to the last byte of the response",
  }),
  retrySeconds: setting({
    env: "CALLTALLY_RETRY_SECONDS",
    parse: wholeNumber(0, 86_400),
    default: "120",
    help: "Time in seconds after which a failing request is no longer retried; at most 6 attempts",
  }),
  lookbackHours: setting({
    env: "CALLTALLY_LOOKBACK_HOURS",
    parse: wholeNumber(0, 8760),
    default: "72",
    help: "Hours before the last good sync from which calls are read again, to pick up late transcripts and corrections",
  }),
  fullEveryHours: setting({
    env: "CALLTALLY_FULL_EVERY_HOURS",
    parse: wholeNumber(0, 8760),
    default: "24",
    help: "Hours after a verified full pass until the next one is due; 0 makes every pass a full one",
  }),
  checkEveryHours: setting({
    env: "CALLTALLY_CHECK_EVERY_HOURS",
    parse: wholeNumber(0, 87_600),
    default: "168",
    help: "Hours between full checks of the warehouse file for damage; `sync` also checks it after a run that failed or was killed",
  }),
  goneAfterHours: setting({
    env: "CALLTALLY_GONE_AFTER_HOURS",
    parse: wholeNumber(0, 8760),
    default: "6",
    help: "Hours a call must be missing from verified full passes before it is marked as gone",
  }),
  recordingSignature: setting({
    env: "CALLTALLY_RECORDING_SIGNATURE",
    parse: parseList,
    help: "Query parameters of recording links that change with every response, in addition to the usual ones such as `X-Amz-Signature`, `Expires` and `token`; `*` for all",
  }),
  keepTranscripts: setting({
    env: "CALLTALLY_KEEP_TRANSCRIPTS",
    parse: parseKeepFor,
    default: "always",
    help: "How long transcripts are kept: `always`, `never`, or a number of days from the start of the call, such as `90d`; figures do not need them",
  }),
  keepSummaries: setting({
    env: "CALLTALLY_KEEP_SUMMARIES",
    parse: parseKeepFor,
    default: "always",
    help: "How long AI-generated summaries are kept, as above",
  }),
  keepCallerNumbers: setting({
    env: "CALLTALLY_KEEP_CALLER_NUMBERS",
    parse: parseKeepFor,
    default: "always",
    help: "How long callers' phone numbers are kept, as above; keyed digests still tell callers apart, so that no figure differs",
  }),
  keepRecordingUrls: setting({
    env: "CALLTALLY_KEEP_RECORDING_URLS",
    parse: parseKeepFor,
    default: "always",
    help: "How long links to recordings are kept, as above",
  }),
  answered: setting({
    env: "CALLTALLY_ANSWERED",
    parse: parseList,
    default: DEFAULT_RULES.answered.join(","),
    help: "Dispositions that count as answered; case, white space, `-` and `_` do not matter",
  }),
  missed: setting({
    env: "CALLTALLY_MISSED",
    parse: parseList,
    default: DEFAULT_RULES.missed.join(","),
    help: "Dispositions that count as missed; all others count as `other`",
  }),
  qualifiedSeconds: setting({
    env: "CALLTALLY_QUALIFIED_SECONDS",
    parse: wholeNumber(0, 86_400),
    default: String(DEFAULT_RULES.qualified_seconds),
    help: "Minimum duration of a qualified call, in seconds",
  }),
  durationUnit: setting({
    env: "CALLTALLY_DURATION_UNIT",
    parse: parseDurationUnit,
    default: DEFAULT_RULES.duration_unit,
    help: "Unit of the API field `duration`, which its documentation does not state: `seconds` or `milliseconds`",
  }),
  aliasesFile: setting({
    env: "CALLTALLY_ALIASES",
    parse: parseFilePath,
    help: "CSV file with the header `raw,value` that maps utm values to the name they count under, such as `fb,facebook`",
  }),
  currency: setting({
    env: "CALLTALLY_CURRENCY",
    parse: parseCurrency,
    help: "ISO 4217 code of the currency that ads are paid in. By default that of the first import of `spend`; a report in another one is refused",
  }),
  publishTo: setting({
    env: "CALLTALLY_PUBLISH_TO",
    flag: "--to",
    parse: parseClusterUrl,
    help: "ClickHouse cluster that `publish` sends the facts to, such as `clickhouse://host1,host2/database`; `?cluster=` names it where the servers do not call it `calltally`. HTTPS and port 8443, or on this machine HTTP and 8123",
  }),
  clickhouseUser: setting({
    env: "CALLTALLY_CLICKHOUSE_USER",
    parse: parseUserName,
    help: "User at the ClickHouse cluster, where its address names none. By default `default`",
  }),
  clickhousePasswordFile: setting({
    env: "CALLTALLY_CLICKHOUSE_PASSWORD_FILE",
    parse: parseFilePath,
    isSecret: true, // somebody may have written the password in its place
    help: "File that holds the password of that user. By default none is sent",
  }),
  publishPersonalData: setting({
    env: "CALLTALLY_PUBLISH_PERSONAL_DATA",
    parse: parseYesNo,
    default: "false",
    help: "Whether callers' numbers and Google click ids go to the cluster as they are: `true` or `false`. By default their keyed digests do",
  }),
  publishAfterSync: setting({
    env: "CALLTALLY_PUBLISH_AFTER_SYNC",
    parse: parseYesNo,
    default: "true",
    help: "Whether each sync ends with a publication, where there is a cluster to publish to: `true` or `false`",
  }),
  insightIds: setting({
    env: "CALLTALLY_INSIGHT_IDS",
    parse: parseIds,
    help: "Ids of the insights that the job `insights` refreshes, separated by commas",
  }),
  syncCron: setting({
    env: "CALLTALLY_SYNC_CRON",
    parse: String,
    default: "7 * * * *",
    help: "Cron expression for `sync` in `schedule`",
  }),
  exportCron: setting({
    env: "CALLTALLY_EXPORT_CRON",
    parse: String,
    default: "30 5 * * *",
    help: "Cron expression for `export` in `schedule`",
  }),
  insightsCron: setting({
    env: "CALLTALLY_INSIGHTS_CRON",
    parse: String,
    default: "15 4 * * *",
    help: "Cron expression for `insights` in `schedule`",
  }),
  jitterSeconds: setting({
    env: "CALLTALLY_JITTER_SECONDS",
    parse: wholeNumber(0, 3600),
    default: "30",
    help: "Maximum random delay before a scheduled start, in seconds. Spreads the load when many machines share a schedule",
  }),
  jobMinutes: setting({
    env: "CALLTALLY_JOB_MINUTES",
    parse: wholeNumber(1, 1440),
    default: "60",
    help: "Maximum run time of a job in minutes; `schedule` then stops it, and a stopped sync resumes where it was the next time",
  }),
  heartbeatUrl: setting({
    env: "CALLTALLY_HEARTBEAT_URL",
    isSecret: true,
    parse: parseHeartbeatUrl,
    help: "Address of a monitor to ping for each sync by `schedule` or `job`: with `/start` appended before the sync, unchanged after success, and with `/fail` appended otherwise, after any other job that fails, and after each sync until that job has succeeded",
  }),
  logLevel: setting({
    env: "CALLTALLY_LOG_LEVEL",
    parse: parseLogLevel,
    default: "info",
    help: "Log level of `schedule` and `job`: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`",
  }),
};
