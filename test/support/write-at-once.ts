import { renameSync, writeFileSync } from "node:fs";

/** Writes a file that another process waits for: it is never seen empty, as one is between its making and its writing. */
export function writeAtOnce(path: string, text: string): void {
  const draft = `${path}.draft`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
