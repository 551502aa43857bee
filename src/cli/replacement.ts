import { join, resolve } from "node:path";
import { attempt, UsageError } from "../base/errors.ts";
import { isFile } from "../base/folder.ts";
import { toLayers } from "../config/setting-layers.ts";
import { ALL_SETTINGS } from "../config/settings.ts";
import type { OutputOptions } from "../warehouse/file/output-file.ts";
import { configurationOf } from "./chosen-accounts.ts";
import type { Context } from "./context.ts";

/** Returns what `--replace` may not replace: the files that make up the configuration, or that it names. */
export function replacementOf(context: Context, replace: true | undefined): OutputOptions["replacing"] {
  if (replace === undefined) return undefined;
  const { env, folder } = context;
  const { file } = configurationOf(context);
  const layers = toLayers({ env, folder });
  const named = ALL_SETTINGS.flatMap(({ env, isPath }) =>
    isPath ? layers.flatMap(({ values }) => values[env] ?? []) : [],
  );
  const ofFile = file === undefined ? [] : [file.path, ...textsOf(file.content).map(file.resolvePath)];
  const paths = [join(folder, ".env"), ...named, ...ofFile].map((path) => resolve(folder, path));
  return { keeps: paths.filter((path) => attempt(() => isFile(path))) };
}

/** Any text of the file may be a path. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** @throws UsageError if there is nothing to replace */
export function assertReplaces(replace: true | undefined, write: string | undefined): void {
  if (replace === undefined || write !== undefined) return;
  throw new UsageError("--replace needs --write: it replaces the file that is written", {
    hint: "Add --write, or leave out --replace.",
  });
}
