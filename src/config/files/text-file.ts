import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { adviseOn, reasonOf } from "../../base/file-access.ts";

const MAX_BYTES = 1_000_000;

/** @throws UsageError for anything but a UTF-8 text file of at most 1 MB */
export function readTextFile(path: string, name: string): string {
  try {
    const stat = statSync(path);
    if (!stat.isFile())
      throw new UsageError(`Cannot use ${name}: it is not a file`, { hint: "Name a file." });
    if (stat.size > MAX_BYTES)
      throw new UsageError(`Cannot use ${name}: it is larger than ${MAX_BYTES} bytes`, {
        hint: "Check that it is the file you mean.",
      });
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
    if (!text.includes("\0")) return text;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (!(error instanceof TypeError))
      throw new UsageError(`Cannot read ${name}: ${reasonOf(error)}`, { hint: adviseOn(error) });
  }
  // PowerShell 5 writes UTF-16 by default.
  throw new UsageError(`Cannot use ${name}: it is not UTF-8 text`, { hint: "Save it as UTF-8." });
}

const DECIDES = "though it decides where the token goes and what is run";

/** @throws UsageError if others could change, or replace, what decides where the token goes and what is run */
export function assertUnwritable(path: string, name: string): void {
  if (process.platform === "win32") return;
  if ((modeOf(path) & 0o022) !== 0)
    throw new UsageError(`Cannot use ${name}: other users can write it, ${DECIDES}`, {
      hint: `Run chmod go-w ${name}`,
    });
  const folder = [path, realpathSync(path)].map((file) => dirname(resolve(file))).find(isOpenToAll);
  if (folder === undefined) return;
  throw new UsageError(`Cannot use ${name}: all users can replace it, ${DECIDES}`, {
    hint: `Run chmod o-w ${folder}`,
  });
}

/** A group may write: with the usual umask of a desktop, it is the user's own. In a sticky folder only owners replace files. */
function isOpenToAll(folder: string): boolean {
  return (modeOf(folder) & 0o1002) === 0o002;
}

function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}
