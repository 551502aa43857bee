import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt, CalltallyError, EXIT } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { callerKeyOf } from "../warehouse/calls/caller-key.ts";

/**
 * A sync would make a new warehouse, without the callers forgotten and the uploads of a lost one.
 * @throws CalltallyError (exit 7) if there is no warehouse, but its key, or one that `restore` has replaced
 */
export function assertNotLost(database: string): void {
  const file = realFile(database);
  const remains = existsSync(file) ? undefined : findRemains(file);
  if (remains === undefined) return;
  throw new CalltallyError(
    EXIT.storage,
    `There is no warehouse at ${file}, but ${basename(remains)} of one`,
    {
      hint: "Put the warehouse back, or `calltally restore` a backup. To begin without whom you had forgotten, what was uploaded and imported: move that file away, too.",
    },
  );
}

function findRemains(file: string): string | undefined {
  const key = callerKeyOf(file);
  if (existsSync(key)) return key;
  const folder = dirname(file);
  const names = attempt(() => readdirSync(folder)) ?? [];
  const replaced = names.find((name) => name.startsWith(`${basename(file)}.replaced-`));
  return replaced && join(folder, replaced);
}
