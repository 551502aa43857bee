import { deepEqual } from "node:assert/strict";
import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readRecorded } from "./dump.ts";
import type { End } from "./scene.ts";

/** The files of an export. */
export interface ExportedFiles {
  /** Relative to the folder of the scene. */
  folder: string;
  /** In the order in which they get their names; the last is the manifest. */
  names: readonly string[];
  /** The warehouses that record them, relative to the folder of the scene. */
  warehouses: readonly string[];
  /** The contents before and after an undisturbed run. */
  before: readonly string[];
  after: readonly string[];
}

export function readExported(folder: string, files: Pick<ExportedFiles, "folder" | "names">): string[] {
  return files.names.map((name) => readFileSync(join(folder, files.folder, name), "utf8"));
}

/**
 * Each file is the old or the new one, complete. They are replaced in a fixed order, the manifest last; before the first one
 * the manifest is marked as unfinished. So a manifest that lists files matches them.
 */
export function checkExported(files: ExportedFiles, folder: string, end: End): void {
  const states = readExported(folder, files).map((text, index) => {
    if (text === files.after[index]) return "new";
    if (text.includes('"unfinished":true')) return "unfinished";
    return text === files.before[index] ? "old" : "torn";
  });
  const manifest = states.pop();
  const renewed = end === "done" ? states.length : states.filter((state) => state === "new").length;
  const inOrder = states.map((_, index) => (index < renewed ? "new" : "old"));
  deepEqual(states, inOrder);
  if (end === "done" || manifest !== "unfinished") {
    deepEqual(manifest, renewed === states.length ? "new" : "old");
    deepEqual(renewed === 0 || renewed === states.length, true);
  }

  // A killed run cannot remove its drafts, which are hidden. The next run takes over its lock,
  // since its holder has ended.
  const left = readdirSync(join(folder, files.folder)).filter(
    (file) => !file.startsWith(".") || (end === "failed" && file !== ".calltally.lock"),
  );
  deepEqual(left.sort(), files.names.toSorted());
  const inPlace = files.names.slice(0, renewed);
  for (const warehouse of files.warehouses)
    checkRecorded(join(folder, warehouse), { files, folder, inPlace, end });
}

/** Each warehouse knows each new file in place, even if the process was killed: `forget` searches the files it knows. */
function checkRecorded(
  warehouse: string,
  { files, folder, inPlace, end }: { files: ExportedFiles; folder: string; inPlace: string[]; end: End },
): void {
  const all = readRecorded(warehouse);
  for (const name of inPlace) {
    const path = join(folder, files.folder, name);
    const sha256 = hash("sha256", readFileSync(path));
    const last = all.findLast((each) => each.path === path && each.sha256 === sha256);
    deepEqual(last && { path: last.path, sha256 }, { path, sha256 }, `${warehouse} does not know ${path}`);
    if (end === "done") deepEqual(last?.exported_at == null, false, `${warehouse} did not settle ${path}`);
  }
}
