import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { type AttributionRules, DEFAULT_RULES } from "./attribution/attribution-rules.ts";
import { describeError, UsageError } from "./errors.ts";
import { nearest } from "./nearest.ts";

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

/** What the log lets through, from all to nothing. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

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

export type Settings = ReturnType<typeof loadSettings>;

export interface SettingSources {
  /** Values given as flags, by the names of their environment variables. */
  flags?: Readonly<Record<string, string | undefined>>;
  env: Readonly<Record<string, string | undefined>>;
  /** Folder whose `.env` is read. */
  folder: string;
}

type Origin = "flag" | "environment" | ".env";

/** Values that were given in one place, by the names of their environment variables. */
interface Layer {
  origin: Origin;
  values: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings: flags, then environment, then `.env`, then defaults. An empty value is no value.
 *
 * @throws UsageError that names the setting and where it was given
 */
export function loadSettings({ flags = {}, env, folder }: SettingSources) {
  return readLayers([
    { origin: "flag", values: flags },
    { origin: "environment", values: env },
    { origin: ".env", values: readDotenv(folder) },
  ]);
}

function findGiven(spec: SettingSpec<unknown>, layers: readonly Layer[]) {
  const layer = layers.find(({ values }) => values[spec.env]);
  const text = layer?.values[spec.env];
  return layer === undefined || text === undefined ? undefined : { origin: layer.origin, text };
}

/** As a message names the place where a value was given. */
function sourceOf(
  { env, flag }: SettingSpec<unknown>,
  { origin, text }: { origin: Origin; text: string },
): string {
  if (origin === "flag") return `${flag ?? env} ${text}`;
  return origin === ".env" ? `${env} in .env` : env;
}

function readLayers(layers: readonly Layer[]) {
  function read<T>(spec: SettingSpec<T> & { default: string }): T;
  function read<T>(spec: SettingSpec<T>): T | undefined;
  function read<T>(spec: SettingSpec<T>): T | undefined {
    const given = findGiven(spec, layers);
    if (given !== undefined) return parse(spec, given.text, sourceOf(spec, given));
    return spec.default === undefined ? undefined : parse(spec, spec.default, spec.env);
  }

  return {
    baseUrl: read(SETTINGS.baseUrl),
    token: read(SETTINGS.tokenFile) ?? read(SETTINGS.token),
    database: read(SETTINGS.database),
    exportDir: read(SETTINGS.exportDir),
    timezone: read(SETTINGS.timezone),
    limit: read(SETTINGS.limit),
    concurrency: read(SETTINGS.concurrency),
    timeoutSeconds: read(SETTINGS.timeoutSeconds),
    retrySeconds: read(SETTINGS.retrySeconds),
    lookbackHours: read(SETTINGS.lookbackHours),
    fullEveryHours: read(SETTINGS.fullEveryHours),
    goneAfterHours: read(SETTINGS.goneAfterHours),
    recordingSignature: new Set(read(SETTINGS.recordingSignature)?.map((name) => name.toLowerCase())),
    rules: {
      answered: read(SETTINGS.answered),
      missed: read(SETTINGS.missed),
      qualified_seconds: read(SETTINGS.qualifiedSeconds),
      duration_unit: read(SETTINGS.durationUnit),
    } satisfies Omit<AttributionRules, "aliases">,
    aliasesFile: read(SETTINGS.aliasesFile),
    syncCron: read(SETTINGS.syncCron),
    exportCron: read(SETTINGS.exportCron),
    insightIds: read(SETTINGS.insightIds) ?? [],
    insightsCron: read(SETTINGS.insightsCron),
    jitterSeconds: read(SETTINGS.jitterSeconds),
    jobMinutes: read(SETTINGS.jobMinutes),
    heartbeatUrl: read(SETTINGS.heartbeatUrl),
    logLevel: read(SETTINGS.logLevel),
  };
}

/** One setting as it was found. */
export interface FoundSetting {
  env: string;
  origin: Origin | "default" | "not set";
  /** As a person may see it: of a secret the length alone. Undefined where it is not set, or cannot be used. */
  shown?: string;
  /** What is wrong with it, and the way out. */
  problem?: { message: string; hint?: string };
}

/**
 * Looks at every setting by itself, so that a bad one does not hide the others. The settings returned leave the bad ones
 * out, as if they had not been given.
 */
export function inspectSettings({ flags = {}, env, folder }: SettingSources) {
  const { dotenv, problem } = tryDotenv(folder);
  const layers: Layer[] = [
    { origin: "flag", values: flags },
    { origin: "environment", values: env },
    { origin: ".env", values: dotenv },
  ];
  const found = Object.values(SETTINGS).map((spec) => findSetting(spec, layers));
  const bad = new Set(found.filter((setting) => setting.problem).map((setting) => setting.env));
  const sound = layers.map(({ origin, values }) => ({
    origin,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => !bad.has(name))),
  }));
  const names = new Set([...Object.keys(env), ...Object.keys(dotenv)]);
  const known = new Set<string>(Object.values(SETTINGS).map((spec) => spec.env));
  return {
    found: problem === undefined ? found : [{ env: ".env", origin: ".env" as const, problem }, ...found],
    /** Names that look like settings and are none. */
    unknown: [...names].filter((name) => name.startsWith("CALLTALLY_") && !known.has(name)),
    settings: readLayers(sound),
    /** Path of the token's file, where it can be used. */
    tokenFile: findGiven(SETTINGS.tokenFile, sound)?.text,
  };
}

function tryDotenv(folder: string) {
  try {
    return { dotenv: readDotenv(folder) };
  } catch (error) {
    return { dotenv: {}, problem: { message: describeError(error) } };
  }
}

function findSetting(spec: SettingSpec<unknown>, layers: readonly Layer[]): FoundSetting {
  const given = findGiven(spec, layers);
  const origin = given?.origin ?? (spec.default === undefined ? "not set" : "default");
  const found = { env: spec.env, origin } as const;
  if (given === undefined) return spec.default === undefined ? found : { ...found, shown: spec.default };
  try {
    const value = spec.parse(given.text);
    return { ...found, shown: spec.isSecret ? `set, ${String(value).length} characters` : given.text };
  } catch (error) {
    return { ...found, problem: { message: describeError(error), hint: `${spec.help}.` } };
  }
}

function parse<T>(spec: SettingSpec<T>, text: string, source: string): T {
  try {
    return spec.parse(text);
  } catch (error) {
    throw new UsageError(`${source}: ${describeError(error)}`, { hint: `${spec.env}: ${spec.help}.` });
  }
}

function readDotenv(folder: string): Record<string, string | undefined> {
  const file = join(folder, ".env");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return {};
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new UsageError("Cannot read .env", { cause });
  }
}

function parseBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Error("is not a URL");
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback)) {
    throw new Error(
      "must start with https:// (http:// only for this machine), since the token travels with each request",
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new Error("must be a plain address, without user, query or fragment");
  }
  if (/\/v3\/*$/.test(url.pathname)) throw new Error("must be given without /v3, which is appended");
  return url;
}

function readTokenFile(file: string): string {
  return parseToken(readText(file));
}

/** The file is not named: a token pasted in place of its path would be shown. */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new Error(`cannot be read: ${code}`);
  }
}

function parseToken(text: string): string {
  const token = text.trim();
  if (token === "") throw new Error("is empty");
  // The value must not be shown, so neither may undici's complaint about the header.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error("holds characters that a bearer token cannot have");
  return token;
}

function parseTimeZone(text: string): string {
  const known = resolveTimeZone(text);
  // In the letters of the list, since Google Ads reads it too; the list's own name for a zone may be another, older one.
  if (known !== undefined) return known.toLowerCase() === text.toLowerCase() ? known : text;
  const zones = Intl.supportedValuesOf("timeZone");
  const city = text.trim().toLowerCase().replaceAll(" ", "_");
  const meant = zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? nearest(text, zones);
  const advice = meant === undefined ? " such as Europe/Berlin" : `; did you mean ${meant}?`;
  throw new Error(`${text} is not an IANA time zone${advice}`);
}

function resolveTimeZone(text: string): string | undefined {
  if (/^[+-]/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new Error(`must be a whole number from ${min} to ${max}`);
  };
}

function parseList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function parseIds(text: string): number[] {
  return parseList(text).map((item) => {
    if (/^\d{1,15}$/.test(item)) return Number(item);
    throw new Error(`must be whole numbers separated by commas, and ${item} is none`);
  });
}

function parseDurationUnit(text: string): AttributionRules["duration_unit"] {
  if (text === "seconds" || text === "milliseconds") return text;
  throw new Error("must be seconds or milliseconds");
}

/** The address is a secret: whoever knows it can report for us. So it is not shown. */
function parseHeartbeatUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Error("is not a URL");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new Error("must start with https:// or http://");
  if (url.username || url.password || url.hash) throw new Error("must have neither user nor fragment");
  return url;
}

function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (level === undefined) throw new Error(`must be one of ${LOG_LEVELS.join(", ")}`);
  return level;
}
