import { EXIT, problemOf } from "../../base/errors.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { countAliases } from "../../calls/attribution/attribution-rules.ts";
import { readAliases } from "../../config/files/aliases-file.ts";
import { readChannels } from "../../config/files/channels-file.ts";
import { readClosedDays } from "../../config/files/closed-days-file.ts";
import { readTopics } from "../../config/files/topics-file.ts";
import type { FoundSetting, Settings, SettingsInspection } from "../../config/load-settings.ts";
import type { SettingSources } from "../../config/setting-layers.ts";
import { describeContradiction, describeUnusedDays } from "../../config/setting-remarks.ts";
import { SETTINGS } from "../../config/settings.ts";
import { describeFixedZone, parseTimeZone } from "../../config/time-zone.ts";
import { readLogo } from "../../export/letterhead/logo.ts";
import { CRON_HINT, parseCron } from "../../schedule/cron.ts";
import { type Check, fail, failBy, ok, warn } from "./check.ts";

const CRONS: readonly string[] = [SETTINGS.syncCron.env, SETTINGS.exportCron.env, SETTINGS.insightsCron.env];

/** Checks every setting, and shows where it comes from. */
export function checkSettings(
  { entries, unknown, settings }: SettingsInspection,
  sources: SettingSources,
): Check[] {
  const present = new Set(entries.filter(({ origin }) => origin !== "not set").map(({ env }) => env));
  const contradiction = describeContradiction(settings.rules, sources);
  const unused = describeUnusedDays(entries, sources);
  return [
    ...entries.map((setting) => checkSetting(setting, present)),
    ...unknown.map(({ name, advice }) => warn(name, "is not a calltally setting, and has no effect", advice)),
    ...(contradiction === undefined
      ? []
      : [warn("dispositions", "a disposition is in both lists", contradiction)]),
    ...(unused === undefined ? [] : [warn("closed days", "have no effect", unused)]),
  ];
}

type FileSettings = Pick<Settings, "aliasesFile" | "topicsFile" | "channelsFile" | "hours" | "logo">;

interface FileRow {
  name: string;
  fileOf: (settings: FileSettings) => string | undefined;
  /** Describes what the file has. @throws if it cannot be used */
  describe: (file: string) => string;
}

const FILES: readonly FileRow[] = [
  {
    name: "aliases",
    fileOf: ({ aliasesFile }) => aliasesFile,
    describe: (file) => formatQuantity(countAliases(readAliases(file)), "alias", "aliases"),
  },
  {
    name: "topics",
    fileOf: ({ topicsFile }) => topicsFile,
    describe: (file) => formatQuantity(readTopics(file).length, "line"),
  },
  {
    name: "channels",
    fileOf: ({ channelsFile }) => channelsFile,
    describe: (file) => formatQuantity(readChannels(file).length, "line"),
  },
  {
    name: "closed days",
    fileOf: ({ hours }) => hours?.closedFile,
    describe: (file) => formatQuantity(readClosedDays(file).length, "day"),
  },
  { name: "logo", fileOf: ({ logo }) => logo, describe: (file) => readLogo(file).type },
];

/** Checks that the files that settings name can be used. */
export function checkFiles(settings: FileSettings): Check[] {
  return FILES.flatMap(({ name, fileOf, describe }) => {
    const file = fileOf(settings);
    if (file === undefined) return [];
    try {
      return [ok(name, describe(file))];
    } catch (error) {
      return [failBy(error, name)];
    }
  });
}

function checkSetting({ env, origin, place, shown, problem }: FoundSetting, present: ReadonlySet<string>) {
  const from = place === undefined ? FROM[origin] : `from ${place}`;
  if (problem !== undefined) return fail(EXIT.usage, env, `${problem.message} (${from})`, problem.hint);
  const wrong = CRONS.includes(env) ? problemOf(() => parseCron(shown ?? "", "UTC")) : undefined;
  if (wrong !== undefined) {
    return fail(EXIT.usage, env, `${shown} is not a cron expression: ${wrong} (${from})`, CRON_HINT);
  }
  const lack = lackOf(env, present);
  if (lack !== undefined) return fail(EXIT.usage, env, "not set, but required for a sync", lack);
  const fixed = env === SETTINGS.timezone.env ? describeFixedZone(parseTimeZone(shown ?? "")) : undefined;
  if (fixed !== undefined) return warn(env, `${shown} (${from})`, fixed);
  return ok(env, shown === undefined ? from : `${shown} (${from})`);
}

const FROM = {
  flag: "from a flag",
  environment: "from the environment",
  ".env": "from .env",
  "calltally.yaml": "from calltally.yaml",
  default: "default",
  "not set": "not set",
};

/** What to set, for a setting that the API requires. */
function lackOf(env: string, present: ReadonlySet<string>): string | undefined {
  if (env === SETTINGS.baseUrl.env && !present.has(env)) {
    return "Set it to the address of the API, e.g. https://api.example.com, in the environment or .env.";
  }
  if (env === SETTINGS.tokenFile.env && !present.has(env) && !present.has(SETTINGS.token.env)) {
    return "Set it to a file with the bearer token, in the environment or .env.";
  }
  return undefined;
}
