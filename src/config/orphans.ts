import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../base/errors.ts";
import type { Configuration } from "./accounts.ts";
import { SETTINGS } from "./settings.ts";

/** Says which folders have the warehouse of an account that the file no longer has. */
export function remarkOnOrphans({ file, accounts }: Pick<Configuration, "file" | "accounts">): string[] {
  const pattern = SETTINGS.database.accountDefault;
  const names = accounts.flatMap(({ name }) => name ?? []);
  if (file === undefined || pattern === undefined || names.length === 0) return [];
  const folder = file.resolvePath(dirname(dirname(pattern)));
  const found = attempt(() => readdirSync(folder)) ?? [];
  return found
    .filter((name) => !names.includes(name) && isWarehouse(join(folder, name, basename(pattern))))
    .toSorted()
    .map(
      (name) =>
        `${join(folder, name)}: data of ${name}, an account that ${file.name} no longer has. \`calltally remove-account ${name}\` removes all of it.`,
    );
}

function isWarehouse(path: string): boolean {
  return attempt(() => statSync(path).isFile()) ?? false;
}
