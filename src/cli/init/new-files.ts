import { lstatSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { Draft } from "../../base/draft.ts";
import { UsageError } from "../../base/errors.ts";
import { makeFolder, removeFile } from "../../base/folder.ts";

/** A file that is not there yet. */
export interface NewFile {
  /** Absolute. */
  path: string;
  /** As errors show it. */
  name: string;
  text: string;
  /** Permissions, of which the umask takes away. */
  mode: number;
}

/**
 * Refuses what is there already, links to nowhere among it.
 *
 * @throws UsageError that names it
 */
export function assertAbsent(path: string, name: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw existsAlready(name);
}

/**
 * Writes new files, all of them or none, each whole from the first moment it is there. What is there already stays as it
 * is. The folders made for them are for their owner alone.
 *
 * @throws UsageError that names the file that is there already
 * @throws CalltallyError (exit 7)
 */
export function writeNewFiles(files: readonly NewFile[]): void {
  const undo: (() => void)[] = [];
  try {
    for (const file of files) {
      const { path } = file;
      for (const folder of makeFolder(dirname(path))) undo.push(() => removeEmptyFolder(folder));
      writeNewFile(file);
      undo.push(() => removeFile(path));
    }
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}

/** Another process may have put something in it. */
function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== "ENOTEMPTY") throw error;
  }
}

function writeNewFile({ path, name, text, mode }: NewFile): void {
  using draft = new Draft(path);
  try {
    draft.write(text, mode);
    draft.add();
  } catch (error) {
    throw codeOf(error) === "EEXIST" ? existsAlready(name) : error;
  }
}

function existsAlready(name: string): UsageError {
  return new UsageError(`Cannot write ${name}: it is there already; nothing was written`, {
    hint: "calltally init never replaces a file: edit it, or move it away.",
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
