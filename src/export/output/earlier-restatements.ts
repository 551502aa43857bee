import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Figures that were exported in the files next to it, and have changed. */
export const RESTATEMENT_FILE = "restatements.csv";

const OURS = /^\ufeff?file([,;|\t])contents\1period\1key\1metric\1was\1now\1/;

/** Returns the file of restatements of an earlier export of a folder, which says nothing of the files of the next. */
export function findRestatementFile(folder: string): string[] {
  const path = join(folder, RESTATEMENT_FILE);
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile();
  return isFile && OURS.test(readFileSync(path, "utf8")) ? [RESTATEMENT_FILE] : [];
}
