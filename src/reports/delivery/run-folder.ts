import { createHash, randomUUID } from "node:crypto";
import { constants, createReadStream, readdirSync, rmSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { adviseOn } from "../../base/file-access.ts";
import { makeFolder } from "../../base/folder.ts";
import { hasEnded, markProcess } from "../../base/process-mark.ts";
import type { ReportFile, ReportSummary } from "./report-summary.ts";

/**
 * Copies into a folder with only the files of the run, next to `database`, where later runs find what a killed process left.
 * @throws CalltallyError (exit 7) if a file's content is not what the report wrote
 */
export async function copyRun(
  database: string,
  { folder, files, manifest }: Pick<ReportSummary, "folder" | "files" | "manifest">,
): Promise<AsyncDisposable & { path: string }> {
  const runFolder = `${prefixOf(database)}${markProcess() ?? process.pid}-${randomUUID()}`;
  // The next run removes what cannot be removed now; the delivery's result counts.
  const remove = () => rm(runFolder, { recursive: true, force: true }).catch(() => undefined);
  // Named like the report's folder: many commands create a folder of that name at their target.
  const path = join(runFolder, basename(folder));
  try {
    makeFolder(path);
    for (const file of [...files, manifest]) await copyUnchanged(file, join(path, file.name));
    return { path, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Removes what killed processes left of {@link copyRun}. */
export function sweepRunFolders(database: string): void {
  const [folder, prefix] = [dirname(database), basename(prefixOf(database))];
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const [mark = ""] = name.slice(prefix.length).split("-");
    if (hasEnded(mark)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

export function changedError(path: string): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `Cannot deliver ${path}: its content is not what the report wrote`,
    {
      hint: "Another run has overwritten it. Run the report again, with its own folder.",
    },
  );
}

async function copyUnchanged({ path, sha256 }: ReportFile, target: string): Promise<void> {
  makeFolder(dirname(target));
  try {
    await copyFile(path, target, constants.COPYFILE_FICLONE);
  } catch (cause) {
    throw new CalltallyError(EXIT.storage, `Cannot copy ${path} for the delivery`, {
      cause,
      hint: adviseOn(cause),
    });
  }
  const copied = createHash("sha256");
  await pipeline(createReadStream(target), copied);
  if (copied.digest("hex") !== sha256) throw changedError(path);
}

function prefixOf(database: string): string {
  return join(dirname(database), `.${basename(database)}.delivery-`);
}
