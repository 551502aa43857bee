import { parseHours } from "../base/calendar/opening-hours.ts";
import { parseCurrency } from "../base/text/currency.ts";
import { parseFilePath, parsePath } from "../base/text/path-text.ts";
import { DEFAULT_RULES } from "../calls/attribution/attribution-rules.ts";
import { parseKeepFor } from "../calls/privacy/keep-settings.ts";
import { parseClusterUrl } from "./cluster-url.ts";
import {
  choice,
  IDS,
  id,
  LIST,
  path,
  type Setting,
  secretFile,
  setting,
  text,
  whole,
  YES_NO,
} from "./setting.ts";
import {
  LOG_LEVELS,
  parseBaseUrl,
  parseHeartbeatUrl,
  parseLocale,
  parseOrgUnitId,
  parseTitle,
  parseToken,
  parseUserName,
} from "./setting-parsers.ts";
import { parseTimeZone } from "./time-zone.ts";

/** In the order of docs/reference/settings.md. */
export const SETTINGS = {
  baseUrl: setting("base_url", text(parseBaseUrl), {
    help: "Address of the API, without `/v3`; https, or http on this machine",
    example: "https://api.example.com",
  }),
  tokenFile: setting("token_file", secretFile(parseToken), {
    isSecret: true,
    scope: "account",
    help: "File that holds the bearer token, which each account needs; takes precedence over `CALLTALLY_TOKEN`",
    example: "secrets/austin.token",
  }),
  token: setting("token", text(parseToken), {
    scope: "environment",
    isSecret: true,
    help: "The bearer token itself",
  }),
  orgUnitId: setting("org_unit_id", id(parseOrgUnitId), {
    scope: "account",
    help: "Organization unit whose calls are read, sent as `org_unit_id` with every request for calls; the API's documentation does not state its type and meaning. Not sent by default",
    example: "17",
  }),
  database: setting("database", path(parseFilePath), {
    scope: "account",
    flag: "--database <file>",
    default: "data/calltally.db",
    accountDefault: "data/{account}/calltally.db",
    help: "The warehouse, an SQLite file",
    example: "data/austin/calltally.db",
  }),
  exportDir: setting("export_dir", path(parsePath), {
    scope: "account",
    flag: "--out <folder>",
    default: "data/exports",
    accountDefault: "data/{account}/exports",
    help: "Folder for exported files and `manifest.json`",
    example: "data/austin/exports",
  }),
  timezone: setting("timezone", text(parseTimeZone), {
    flag: "--timezone <zone>",
    default: "UTC",
    help: "IANA time zone of days and times, and of the schedule",
    example: "America/New_York",
  }),
  title: setting("title", text(parseTitle), {
    scope: "account",
    help: "Whose figures they are, as pages, sheets and mails say it; at most 100 characters. By default the name of the account",
    example: "Northwind Dental",
  }),
  logo: setting("logo", path(parseFilePath), {
    help: "PNG or SVG file that pages show with that name, at most 256 kB; PNG at most 2000 pixels wide and high, and also in mails",
    example: "logos/northwind.png",
  }),
  locale: setting("locale", text(parseLocale), {
    help: "How pages and mails write dates and numbers, and with which day weeks begin where they are drawn: a BCP 47 tag such as `de-DE`. By default 26 Oct 2026, 1,234.50, Monday; pages to explore take the browser's",
    example: "en-GB",
  }),
  browser: setting("browser", path(parseFilePath), {
    help: "The program of Chromium, Google Chrome or Microsoft Edge that prints reports as PDF. By default one that is installed",
    example: "/usr/bin/chromium",
  }),
  limit: setting("limit", whole(2, 1000), {
    flag: "--limit <rows>",
    default: "1000",
    help: "Calls requested per page, 2 to 1000: pages of one call could not overlap",
  }),
  concurrency: setting("concurrency", whole(1, 32), {
    flag: "--concurrency <pages>",
    default: "4",
    help: "Pages fetched concurrently, 1 to 32",
  }),
  timeoutSeconds: setting("timeout_seconds", whole(1, 3600), {
    default: "60",
    help: "Timeout of one request attempt in seconds, from connecting to the last byte of the response",
  }),
  retrySeconds: setting("retry_seconds", whole(0, 86_400), {
    default: "120",
    help: "Time in seconds after which a failing request is no longer retried; at most 6 attempts",
  }),
  lookbackHours: setting("lookback_hours", whole(0, 8760), {
    default: "72",
    help: "Hours before the last good sync from which calls are read again, to pick up late transcripts and corrections",
  }),
  fullEveryHours: setting("full_every_hours", whole(0, 8760), {
    default: "24",
    help: "Hours after a verified full pass until the next one is due; 0 makes every pass a full one",
  }),
  checkEveryHours: setting("check_every_hours", whole(0, 87_600), {
    default: "24",
    help: "Hours between checks of the warehouse file for damage; `sync` also checks it after a run that failed or was killed",
  }),
  goneAfterHours: setting("gone_after_hours", whole(0, 8760), {
    default: "6",
    help: "Hours a call must be missing from verified full passes before it is marked as gone",
  }),
  recordingSignature: setting("recording_signature", LIST, {
    help: "Query parameters of recording links that change with every response, in addition to the usual ones such as `X-Amz-Signature`, `Expires` and `token`; `*` for all",
    example: ["sig"],
  }),
  keepTranscripts: setting("keep.transcripts", text(parseKeepFor), {
    default: "always",
    help: "How long transcripts are kept: `always`, `never`, or a number of days from the start of the call, such as `90d`; figures do not need them",
    example: "90d",
  }),
  keepSummaries: setting("keep.summaries", text(parseKeepFor), {
    default: "always",
    help: "How long AI-generated summaries are kept, as above",
    example: "90d",
  }),
  keepCallerNumbers: setting("keep.caller_numbers", text(parseKeepFor), {
    default: "always",
    help: "How long callers' phone numbers are kept, as above; keyed digests still distinguish callers, so figures are the same",
    example: "90d",
  }),
  keepRecordingUrls: setting("keep.recording_urls", text(parseKeepFor), {
    default: "always",
    help: "How long links to recordings are kept, as above",
    example: "never",
  }),
  answered: setting("answered", LIST, {
    default: DEFAULT_RULES.answered.join(","),
    help: "Dispositions that count as answered; case, white space, `-` and `_` do not matter",
    example: ["answered", "transferred"],
  }),
  missed: setting("missed", LIST, {
    default: DEFAULT_RULES.missed.join(","),
    help: "Dispositions that count as missed; all others count as `other`",
    example: ["no answer", "busy"],
  }),
  qualifiedSeconds: setting("qualified_seconds", whole(0, 86_400), {
    default: String(DEFAULT_RULES.qualified_seconds),
    help: "Minimum duration of a qualified call, in seconds",
  }),
  durationUnit: setting("duration_unit", choice(["seconds", "milliseconds"]), {
    default: DEFAULT_RULES.duration_unit,
    help: "Unit of the API field `duration`, which its documentation does not state: `seconds` or `milliseconds`",
  }),
  aliasesFile: setting("aliases", path(parseFilePath), {
    help: "CSV file with the header `raw,value,of` that maps values to the name they count under, such as `fb,facebook,source`; without `of`, utm values",
    example: "aliases.csv",
  }),
  topicsFile: setting("topics", path(parseFilePath), {
    help: "CSV file with the header `topic,phrase,speaker,qualifies,value` that names what calls are about by what was said, such as `emergency,burst pipe,caller,yes,250`; the first line found decides",
    example: "topics.csv",
  }),
  channelsFile: setting("channels", path(parseFilePath), {
    help: "CSV file with the header `channel,source,medium,campaign,referrer` that names own channels, such as `Partners,partner-*,,,`; the first line that matches decides, and Google Analytics' rules after the last",
    example: "channels.csv",
  }),
  hours: setting("hours", text(parseHours), {
    help: "Opening hours of a week, in the account's time zone, for the figures of calls in hours; the end of a span is not open",
    example: "Mon-Fri 08:00-18:00, Sat 09:00-12:00",
  }),
  closedFile: setting("closed", path(parseFilePath), {
    help: "File of local days without opening hours, `YYYY-MM-DD`, one per line; the day's name may follow, after a comma",
    example: "closed.csv",
  }),
  currency: setting("currency", text(parseCurrency), {
    help: "ISO 4217 code of the currency of the ads. By default that of the first import of `spend`; reports in another currency are refused",
    example: "USD",
  }),
  publishTo: setting("publish.to", text(parseClusterUrl), {
    flag: "--to <url>",
    option: "publishTo", // `to` is a day, in other commands
    help: "ClickHouse cluster that `publish` sends the facts to, such as `clickhouse://host1,host2/database`; `?cluster=` names it if it is not `calltally`. HTTPS and port 8443, or on this machine HTTP and 8123",
    example: "clickhouse://ch1.northwind.example,ch2.northwind.example/calls",
  }),
  publishUser: setting("publish.user", text(parseUserName), {
    help: "User at the ClickHouse cluster, if its address names none. By default `default`",
    example: "calltally_publisher",
  }),
  publishPasswordFile: setting("publish.password_file", path(parseFilePath), {
    isSecret: true, // the password itself may be in its place
    help: "File that holds the password of that user. By default none is sent",
    example: "secrets/clickhouse.password",
  }),
  publishPersonalData: setting("publish.personal_data", YES_NO, {
    default: "false",
    help: "Whether callers' numbers and Google click ids are published unchanged: `true` or `false`. By default their keyed digests are",
  }),
  publishAfterSync: setting("publish.after_sync", YES_NO, {
    default: "true",
    help: "Whether each sync ends with a publication, if there is a cluster: `true` or `false`",
  }),
  notices: setting("notices", YES_NO, {
    default: "true",
    help: "Whether syncs look for tracking numbers, sources and campaigns that went silent or far off: `true` or `false`",
  }),
  insightIds: setting("insight_ids", IDS, {
    scope: "account",
    help: "Ids of the insights that the job `insights` refreshes, separated by commas",
    example: [101, 102],
  }),
  syncCron: setting("sync_cron", text(String), {
    default: "7 * * * *",
    help: "Cron expression for `sync` in `schedule`",
  }),
  exportCron: setting("export_cron", text(String), {
    default: "30 5 * * *",
    help: "Cron expression for `export` in `schedule`",
  }),
  insightsCron: setting("insights_cron", text(String), {
    default: "15 4 * * *",
    help: "Cron expression for `insights` in `schedule`",
  }),
  jitterSeconds: setting("jitter_seconds", whole(0, 3600), {
    default: "30",
    help: "Maximum random delay before a scheduled start, in seconds. Spreads the load when many machines share a schedule",
  }),
  jobMinutes: setting("job_minutes", whole(1, 1440), {
    default: "60",
    help: "Maximum run time of a job in minutes; `schedule` then stops it, and the next sync resumes where it was",
  }),
  heartbeatUrlFile: setting("heartbeat_url_file", secretFile(parseHeartbeatUrl), {
    isSecret: true,
    scope: "account",
    help: "File that holds the address of the monitor; takes precedence over `CALLTALLY_HEARTBEAT_URL`",
    example: "secrets/austin.heartbeat",
  }),
  heartbeatUrl: setting("heartbeat_url", text(parseHeartbeatUrl), {
    scope: "environment",
    isSecret: true,
    help: "Address of a monitor to ping for each sync by `schedule` or `job`: with `/start` appended before the sync, unchanged after success, and with `/fail` appended otherwise (see `CALLTALLY_HEARTBEAT_FAILURES`), after any other job that fails, and after each sync until that job has succeeded",
  }),
  heartbeatFailures: setting("heartbeat_failures", whole(1, 100), {
    default: "3",
    help: "Runs in a row that must find the API unreachable before the monitor gets `/fail`; until then, they are reported like a success. Other failures, and those before a first success, are reported at once",
  }),
  logLevel: setting("log_level", choice(LOG_LEVELS), {
    scope: "program",
    default: "info",
    help: "Log level of `schedule` and `job`: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`",
  }),
};

export const ALL_SETTINGS: readonly Setting[] = Object.values(SETTINGS);
