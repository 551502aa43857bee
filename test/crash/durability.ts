import { dirname } from "node:path";
import type { SystemCall } from "./system-calls.ts";

/**
 * Finds files that got their final name before their content was on the disk, and folders that were not synced after.
 * No kill shows these: only a power cut would, which could leave the new name with no content.
 */
export function findUnsynced(calls: readonly SystemCall[]): string[] {
  const found: string[] = [];
  const unsynced = new Set<string>();
  for (const { name, paths } of calls) {
    const [path, target] = paths;
    if (path === undefined) continue;
    if (/^(p?write(64)?|ftruncate)$/.test(name)) unsynced.add(path);
    if (/^f(data)?sync$/.test(name)) unsynced.delete(path);
    if (name.startsWith("rename") && target !== undefined) {
      if (unsynced.has(path)) found.push(`${target} got its name before its content was synced`);
      unsynced.add(dirname(target));
    }
    // A deleted file cannot be lost; its folder entry may come back, and SQLite allows for that.
    if (name.startsWith("unlink")) unsynced.delete(path);
  }
  const folders = calls.flatMap(({ name, paths: [, target] }) =>
    name.startsWith("rename") && target !== undefined ? [dirname(target)] : [],
  );
  for (const folder of new Set(folders)) {
    if (unsynced.has(folder)) found.push(`${folder} was not synced after the last renaming in it`);
  }
  return found;
}
