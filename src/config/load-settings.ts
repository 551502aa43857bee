import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { cannotUse, describeError } from "../base/errors.ts";
import type { Keep } from "../privacy/keep-settings.ts";
import { findGiven, type Given, type Layer, type SettingSources, toLayers } from "./setting-layers.ts";
import { SETTINGS, type SettingSpec } from "./settings.ts";

export type Settings = ReturnType<typeof loadSettings>;

/**
 * Reads the settings: flags, then environment, then `.env`, then `calltally.yaml`, then defaults. An empty value is no
 * value, but as a flag.
 *
 * @throws UsageError that names the setting and where it was given
 */
export function loadSettings(sources: SettingSources) {
  return readLayers(toLayers(sources));
}

/**
 * Reads the settings from layers, of which an earlier one takes precedence.
 *
 * @throws UsageError that names the setting and where it was given
 */
export function readLayers(layers: readonly Layer[]) {
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
    tokenPlace: findGiven(SETTINGS.tokenFile, layers)?.text ?? SETTINGS.token.env,
    orgUnitId: read(SETTINGS.orgUnitId),
    database: read(SETTINGS.database),
    exportDir: read(SETTINGS.exportDir),
    timezone: read(SETTINGS.timezone),
    limit: read(SETTINGS.limit),
    concurrency: read(SETTINGS.concurrency),
    timeoutSeconds: read(SETTINGS.timeoutSeconds),
    retrySeconds: read(SETTINGS.retrySeconds),
    lookbackHours: read(SETTINGS.lookbackHours),
    fullEveryHours: read(SETTINGS.fullEveryHours),
    checkEveryHours: read(SETTINGS.checkEveryHours),
    goneAfterHours: read(SETTINGS.goneAfterHours),
    recordingSignature: new Set(read(SETTINGS.recordingSignature)?.map((name) => name.toLowerCase())),
    keep: {
      transcripts: read(SETTINGS.keepTranscripts),
      summaries: read(SETTINGS.keepSummaries),
      caller_numbers: read(SETTINGS.keepCallerNumbers),
      recording_urls: read(SETTINGS.keepRecordingUrls),
    } satisfies Keep,
    rules: {
      answered: read(SETTINGS.answered),
      missed: read(SETTINGS.missed),
      qualified_seconds: read(SETTINGS.qualifiedSeconds),
      duration_unit: read(SETTINGS.durationUnit),
    } satisfies Omit<AttributionRules, "aliases">,
    aliasesFile: read(SETTINGS.aliasesFile),
    currency: read(SETTINGS.currency),
    publish: {
      to: read(SETTINGS.publishTo),
      user: read(SETTINGS.clickhouseUser),
      passwordFile: read(SETTINGS.clickhousePasswordFile),
      isPersonal: read(SETTINGS.publishPersonalData),
      isAfterSync: read(SETTINGS.publishAfterSync),
    },
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

/** As a message names the place where a value was given. */
function sourceOf({ env, flag }: SettingSpec<unknown>, { origin, text, place }: Given): string {
  if (place !== undefined) return place;
  // Nothing, white space and line breaks would not be seen, and a password in an address must not be.
  if (origin === "flag") {
    const shown = text.replace(/(:\/\/|:).*@/s, "$1…@").replace(/\?.*/s, "?…");
    return `${flag ?? env} ${/^[^\s\p{Cc}]+$/u.test(shown) ? shown : JSON.stringify(shown)}`;
  }
  return origin === ".env" ? `${env} in .env` : env;
}

function parse<T>(spec: SettingSpec<T>, text: string, source: string): T {
  try {
    return spec.parse(text);
  } catch (error) {
    throw cannotUse(source, describeError(error), `${spec.env}: ${spec.help}.`);
  }
}
