import { describeError, parseFrom } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { namesOf, recordOf } from "../base/records.ts";
import { didYouMean, nearest } from "../base/text/nearest.ts";
import type { AttributionRules } from "../calls/attribution/attribution-rules.ts";
import type { Keep } from "../calls/privacy/keep-settings.ts";
import { findExposure, nameSecretFile } from "./files/secret-file.ts";
import type { Setting } from "./setting.ts";
import {
  CONFIG_VARIABLE,
  findGiven,
  type Layer,
  type Origin,
  type SettingSources,
  type SettingText,
  toLayers,
} from "./setting-layers.ts";
import { ALL_SETTINGS, SETTINGS } from "./settings.ts";
import { parseTimeZone } from "./time-zone.ts";

export type Settings = ReturnType<typeof toSettings>;

export type SettingsInspection = ReturnType<typeof inspectSettings>;

export interface FoundSetting {
  env: string;
  origin: Origin | "not set";
  place?: string | undefined;
  /** For display: for a secret only its file and length. Undefined if not set, or unusable. */
  shown?: string | undefined;
  file?: string | undefined;
  problem?: { message: string; hint: string };
}

/**
 * Reads the settings: flags take precedence over the environment, then `.env`, `calltally.yaml`, defaults. An empty
 * value counts as none, except in a flag.
 * @throws UsageError that names the setting and where it was given
 */
export function loadSettings(sources: SettingSources): Settings {
  return readLayers(toLayers(sources), sources);
}

/** @throws UsageError that names the setting and where it was given */
export function readLayers(
  layers: readonly Layer[],
  { accounts = [] }: Pick<SettingSources, "accounts"> = {},
): Settings {
  return toSettings(layers, accounts, (setting, layered) => {
    return parseFrom(sourceOf(setting, layered), () => readValue(setting, layered), hintOf(setting));
  });
}

function hintOf({ env, help, example, default: fallback }: Setting): string {
  const written = example ?? fallback;
  return `${written === undefined ? "Correct it" : `Write it like ${written}`}. ${env}: ${help}.`;
}

/** The returned settings omit bad ones. */
export function inspectSettings(sources: SettingSources) {
  const { layers, entries } = tryLayers(sources);
  const settings = toSettings(layers, sources.accounts ?? [], (setting, layered) => {
    const origin: FoundSetting["origin"] =
      layered?.origin ?? (setting.default === undefined ? "not set" : "default");
    const at = { env: setting.env, origin, place: layered?.place };
    try {
      const value = readValue(setting, layered);
      const shown = layered === undefined ? setting.default : show(setting, layered, value);
      entries.push({ ...at, shown, file: setting.isRead ? layered?.text : undefined });
      return value;
    } catch (error) {
      entries.push({ ...at, problem: { message: describeError(error), hint: hintOf(setting) } });
      return readValue(setting, undefined);
    }
  });
  return { entries, unknown: findUnknownNames(layers), settings };
}

/** Finds names that begin like settings, or are nearly settings, and have no effect. */
function findUnknownNames(layers: readonly Layer[]) {
  const known = ALL_SETTINGS.map(({ env }) => env);
  return layers
    .filter(({ origin }) => origin === "environment" || origin === ".env")
    .flatMap(({ origin, values }) =>
      Object.keys(values)
        .filter((name) => name !== CONFIG_VARIABLE && !known.includes(name))
        .filter((name) => name.toUpperCase().startsWith("CALLTALLY_") || nearest(name, known) !== undefined)
        .map((name) => ({
          name,
          origin,
          advice: didYouMean(name, known) ?? "`calltally docs settings` lists them.",
        })),
    );
}

/** The layers without `.env` if that cannot be read. */
function tryLayers(sources: SettingSources): { layers: Layer[]; entries: FoundSetting[] } {
  try {
    return { layers: toLayers(sources), entries: [] };
  } catch (error) {
    const { message, hint } = toCalltallyError(error);
    const { flags = {}, env, file = [] } = sources;
    return {
      layers: [{ origin: "flag", values: flags }, { origin: "environment", values: env }, ...file],
      entries: [{ env: ".env", origin: ".env", problem: { message, hint } }],
    };
  }
}

type Values = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };
type ValueOf<S extends Setting> = S extends { default: string }
  ? ReturnType<S["parse"]>
  : ReturnType<S["parse"]> | undefined;

type ReadSetting = (setting: Setting, layered: SettingText | undefined) => unknown;

function valuesOf(layers: readonly Layer[], read: ReadSetting): Values;
function valuesOf(layers: readonly Layer[], read: ReadSetting): object {
  return recordOf(namesOf(SETTINGS), (name) => read(SETTINGS[name], findGiven(SETTINGS[name], layers)));
}

function toSettings(
  layers: readonly Layer[],
  accounts: NonNullable<SettingSources["accounts"]>,
  read: ReadSetting,
) {
  const values = valuesOf(layers, read);
  const { tokenFile, token, heartbeatUrlFile, heartbeatUrl, recordingSignature, insightIds, ...rest } =
    values;
  const { keepTranscripts, keepSummaries, keepCallerNumbers, keepRecordingUrls, ...others } = rest;
  const { answered, missed, qualifiedSeconds, durationUnit, hours, closedFile, ...apart } = others;
  const { publishTo, publishUser, publishPasswordFile, publishPersonalData, publishAfterSync, ...plain } =
    apart;
  return {
    ...plain,
    accounts,
    token: tokenFile ?? token,
    /** Where the token comes from, for errors. */
    tokenPlace: nameSecretFile(findGiven(SETTINGS.tokenFile, layers)?.text ?? SETTINGS.token.env),
    heartbeatUrl: heartbeatUrlFile ?? heartbeatUrl,
    recordingSignature: new Set(recordingSignature?.map((name) => name.toLowerCase())),
    insightIds: insightIds ?? [],
    keep: {
      transcripts: keepTranscripts,
      summaries: keepSummaries,
      caller_numbers: keepCallerNumbers,
      recording_urls: keepRecordingUrls,
    } satisfies Keep,
    rules: {
      answered,
      missed,
      qualified_seconds: qualifiedSeconds,
      duration_unit: durationUnit,
    } satisfies Omit<AttributionRules, "aliases" | "aliases_of" | "topics" | "channels">,
    hours:
      hours === undefined
        ? undefined
        : { week: hours, closedFile, timezone: ownZone(values.timezone, layers, read) },
    publish: {
      to: publishTo,
      user: publishUser,
      passwordFile: publishPasswordFile,
      isPersonal: publishPersonalData,
      isAfterSync: publishAfterSync,
    },
  };
}

/** Returns the account's zone: a flag changes the days of one command, and no fact of a call. */
function ownZone(zone: string, layers: readonly Layer[], read: ReadSetting): string {
  if (findGiven(SETTINGS.timezone, layers)?.origin !== "flag") return zone;
  const others = layers.filter(({ origin }) => origin !== "flag");
  return parseTimeZone(String(read(SETTINGS.timezone, findGiven(SETTINGS.timezone, others))));
}

/** @throws Error that says what is wrong; after a semicolon what to do */
function readValue({ default: fallback, isRead, parse }: Setting, layered: SettingText | undefined): unknown {
  const exposure = isRead && layered?.place !== undefined ? findExposure(layered.text) : undefined;
  if (exposure !== undefined) throw new Error(`${exposure}; run chmod 600 ${layered?.text}`);
  const text = layered?.text ?? fallback;
  return text === undefined ? undefined : parse(text);
}

function show({ isSecret, isRead }: Setting, { text }: SettingText, value: unknown): string {
  return isSecret ? `${isRead ? text : "set"}, ${String(value).length} characters` : text;
}

function sourceOf({ env, flag = env }: Setting, layered: SettingText | undefined): string {
  if (layered?.place !== undefined) return layered.place;
  if (layered?.origin === ".env") return `${env} in .env`;
  if (layered?.origin !== "flag") return env;
  // Empty text, white space and line breaks are invisible, and a password in an address must not be shown.
  const shown = layered.text.replace(/(:\/\/|:).*@/s, "$1…@").replace(/\?.*/s, "?…");
  const [name] = flag.split(" ");
  return `${name} ${/^[^\s\p{Cc}]+$/u.test(shown) ? shown : JSON.stringify(shown)}`;
}
