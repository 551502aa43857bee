import { readFileSync, statSync } from "node:fs";
import { UsageError } from "../base/errors.ts";
import { adviseOn, reasonOf } from "../base/file-access.ts";

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

/** @throws UsageError if others could change what decides where the token goes and what is run */
export function assertUnwritable(path: string, name: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform === "win32" || (mode & 0o022) === 0) return;
  throw new UsageError(
    `Cannot use ${name}: other users can write it, though it decides where the token goes and what is run`,
    { hint: `Run chmod go-w ${name}` },
  );
}
