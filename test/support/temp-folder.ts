import { type DisposableTempDir, mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** Makes an empty folder that is deleted with its contents at the end of the `using` scope. */
export function makeTempFolder(): DisposableTempDir {
  return mkdtempDisposableSync(join(tmpdir(), "calltally-test-"));
}

/** Returns the names of the files in a folder and its sub-folders, sorted. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
}

/** Returns the text of every file in a folder, by name. */
export function readFiles(folder: string): Record<string, string> {
  return Object.fromEntries(listFiles(folder).map((file) => [file, readText(folder, file)]));
}

export const readText = (folder: string, file: string): string => readFileSync(join(folder, file), "utf8");
