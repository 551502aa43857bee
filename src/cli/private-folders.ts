import { chmodSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { attempt } from "../base/errors.ts";
import { nameFrom } from "../config/calltally-file.ts";
import { statOf } from "../config/files/secret-file.ts";
import { inspectSettings } from "../config/load-settings.ts";
import { accountsOf, configurationOf } from "./chosen-accounts.ts";
import type { Context } from "./context.ts";

/** Folders of the default layout, next to calltally.yaml: files in them may name people. */
const FOLDERS = ["data", "reports"];

/**
 * Lets only the owner enter the default folders that these accounts use, also if git made them, which lets everybody in.
 * Returns a remark on each that others can still enter.
 */
export function closeFolders(context: Context): string[] {
  if (process.platform === "win32") return [];
  const { file } = configurationOf(context);
  const used = [
    ...accountsOf(context, { isFolderShared: true }).flatMap(({ sources }) => {
      const { database, exportDir } = inspectSettings(sources).settings;
      return [database, exportDir];
    }),
    ...Object.values(file?.content.reports ?? {}).map(
      ({ folder = "reports/" }) => file?.resolvePath(folder) ?? folder,
    ),
  ].map((path) => resolve(context.folder, path) + sep);
  const base = file === undefined ? context.folder : dirname(file.path);
  return FOLDERS.map((name) => join(base, name))
    .filter((folder) => used.some((path) => path.startsWith(folder + sep)))
    .filter((folder) => !isClosed(folder))
    .map((folder) => {
      const name = nameFrom(context.folder, folder);
      return `Other users can enter ${name}, and this user cannot change that: its owner can, by chmod 700 ${name}.`;
    });
}

function isClosed(folder: string): boolean {
  const isOpen = () => ((statOf(folder)?.mode ?? 0) & 0o077) !== 0;
  if (isOpen()) attempt(() => chmodSync(folder, 0o700));
  return !isOpen();
}
