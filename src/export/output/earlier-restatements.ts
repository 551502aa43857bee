import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";

/** Figures that were exported in the files next to it, and have changed. */
export const RESTATEMENT_FILE = "restatements.csv";

const OURS = /^\ufeff?file([,;|\t])contents\1period\1key\1metric\1was\1now\1/;
const MOST_BYTES = 100;

/** Returns the file of restatements of an earlier export of a folder, which says nothing of the files of the next. */
export function findRestatementFile(folder: string): string[] {
  const path = join(folder, RESTATEMENT_FILE);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(MOST_BYTES);
    const bytes = readSync(file, head);
    return OURS.test(head.toString("utf8", 0, bytes)) ? [RESTATEMENT_FILE] : [];
  } finally {
    closeSync(file);
  }
}
