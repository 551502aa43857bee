import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import type { Configuration } from "./accounts.ts";
import { inspectSettings } from "./load-settings.ts";
import { SETTINGS } from "./settings.ts";

/** Says which folders have the warehouse of an account that the file does not have. */
export function remarkOnOrphans({ file, accounts }: Pick<Configuration, "file" | "accounts">): string[] {
  const pattern = SETTINGS.database.accountDefault;
  if (file === undefined || pattern === undefined || accounts.every(({ name }) => name === undefined))
    return [];
  const known = accounts.map(({ sources }) => realFile(inspectSettings(sources).settings.database));
  const folder = file.resolvePath(dirname(dirname(pattern)));
  const found = attempt(() => readdirSync(folder)) ?? [];
  return found
    .map((name) => ({ name, path: join(folder, name, basename(pattern)) }))
    .filter(({ path }) => isWarehouse(path) && !known.includes(realFile(path)))
    .map(({ name }) => name)
    .toSorted()
    .map(
      (name) =>
        `${join(folder, name)}: data of ${name}, an account that ${file.name} does not have. If it has left, \`calltally remove-account ${name}\` removes all of it.`,
    );
}

function isWarehouse(path: string): boolean {
  return attempt(() => statSync(path).isFile()) ?? false;
}
