import { COMMAND_LINE, type Words } from "../base/text/words.ts";
import type { Setting } from "./setting.ts";
import type { SettingSources } from "./setting-layers.ts";
import { SETTINGS } from "./settings.ts";

type Sources = Pick<SettingSources, "file">;

/** Names a setting as its user sets it: by its key if there is a `calltally.yaml`, otherwise by its variable. */
export function nameSetting({ key, env }: Pick<Setting, "key" | "env">, { file }: Sources): string {
  return file === undefined ? env : `${key} in calltally.yaml`;
}

/** Returns the words of hints on the command line. */
export function wordsFor(sources: Sources): Words {
  return {
    ...COMMAND_LINE,
    database: nameSetting(SETTINGS.database, sources),
    baseUrl: nameSetting(SETTINGS.baseUrl, sources),
    orgUnitId: nameSetting(SETTINGS.orgUnitId, sources),
    retrySeconds: nameSetting(SETTINGS.retrySeconds, sources),
    aliases: nameSetting(SETTINGS.aliasesFile, sources),
  };
}
