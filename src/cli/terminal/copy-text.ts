import { relative } from "node:path";
import type { Copied } from "../../backup/copy.ts";
import type { Restored } from "../../backup/restore.ts";
import { formatBytes, formatQuantity } from "../../base/quantity-text.ts";

export function describeCopy({ calls, runs, bytes }: Copied): string {
  return `${formatQuantity(calls, "call")} and ${formatQuantity(runs, "run")} in ${formatBytes(bytes)}, every row's hash checked`;
}

/** Returns what was restored, a line each. */
export function describeRestored(restored: Restored, folder: string): string {
  const { database, replaced } = restored;
  return [
    `${relative(folder, database)}  ${describeCopy(restored)}`,
    ...(replaced === null ? [] : [`The previous warehouse is kept as ${relative(folder, replaced)}`]),
  ].join("\n");
}

export function noteRestored(restored: Restored): string[] {
  return [
    restored.forgotten_again
      ? "The backup is from before callers were forgotten: they are forgotten in what was restored."
      : undefined,
    describeKey(restored),
  ].filter((note) => note !== undefined);
}

function describeKey({ caller_key, database }: Restored): string | undefined {
  const key = `${database}.caller-key`;
  switch (caller_key) {
    case "copied":
      return `The key of caller_hash was copied from beside the backup to ${key}.`;
    case "kept another":
      return `${key} was kept, and the key beside the backup is another: pseudonyms in files that were written with that one do not match.`;
    case "missing":
      return (
        `There is no key of caller_hash at ${key}: the next export of calls makes a new one, whose pseudonyms do not ` +
        "match those in earlier files. If you have the old key, put it there first."
      );
    case "needed":
      return `There is no key of caller_hash at ${key}, and the warehouse knows its callers by digests that were made with it: put it there before the next sync.`;
    default:
      return undefined;
  }
}
