import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../../base/errors.ts";
import { isFile, realFile } from "../../base/folder.ts";
import type { Configuration } from "../../config/accounts.ts";
import { inspectSettings } from "../../config/load-settings.ts";
import { SETTINGS } from "../../config/settings.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { readOrigin } from "../../warehouse/origin.ts";

/** Says which folders have the warehouse of an account that the file does not have; that of the demo has none. */
export function remarkOnOrphans({ file, accounts }: Pick<Configuration, "file" | "accounts">): string[] {
  const pattern = SETTINGS.database.accountDefault;
  if (file === undefined || pattern === undefined || accounts.every(({ name }) => name === undefined))
    return [];
  const known = accounts.map(({ sources }) => realFile(inspectSettings(sources).settings.database));
  const folder = file.resolvePath(dirname(dirname(pattern)));
  const names = attempt(() => readdirSync(folder)) ?? [];
  return names
    .map((name) => ({ name, path: join(folder, name, basename(pattern)) }))
    .filter(({ path }) => attempt(() => isFile(path)) && !known.includes(realFile(path)) && !isOfDemo(path))
    .map(({ name }) => name)
    .toSorted()
    .map(
      (name) =>
        `${join(folder, name)}: data of ${name}, an account that ${file.name} does not have. If it has left, \`calltally remove-account ${name}\` removes all of it.`,
    );
}

function isOfDemo(path: string): boolean {
  const origin = attempt(() => {
    using reader = openReader(path);
    return readOrigin(reader);
  });
  return origin?.is_demo ?? false;
}
