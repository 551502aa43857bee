import { renameSync, writeFileSync } from "node:fs";

/** Writes a file that another process waits for: it is never seen empty, as between creating and writing it. */
export function writeAtOnce(path: string, text: string): void {
  const draft = `${path}.draft`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
