import { relative } from "node:path";
import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { parseFilePath } from "../config/setting-parsers.ts";
import { describeError } from "../errors.ts";
import type { Copied } from "../warehouse/copy.ts";
import { keepTempFilesBeside } from "../warehouse/erase.ts";
import { type Restored, restoreWarehouse } from "../warehouse/restore.ts";
import { backupWarehouse } from "../warehouse/write-backup.ts";
import { type Context, OPTION, settingsOf } from "./context.ts";
import { formatBytes, formatQuantity } from "./terminal-text.ts";

export function backupCommand(context: Context) {
  return new Command("backup")
    .description(
      "Copies the warehouse into one file, even while a sync is running. The copy is fully verified before it " +
        "replaces an earlier backup.",
    )
    .argument("<file>", "the backup file", parseFile)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally backup /mnt/backups/calltally.db")
    .action(async (file, { json, ...flags }) => {
      const backup = await backupWarehouse(settingsOf(context, flags).database, file, context.signal);
      if (json) return context.print(JSON.stringify(backup));
      context.tell(`${relative(context.folder, backup.file)}  ${describeCopy(backup)}`);
    });
}

export function restoreCommand(context: Context) {
  return new Command("restore")
    .description(
      "Verifies a backup and replaces the warehouse with a copy of it; the previous warehouse is kept next to it.",
    )
    .argument("<file>", "the backup file", parseFile)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally restore /mnt/backups/calltally.db")
    .action(async (file, { json, ...flags }) => {
      const { database } = settingsOf(context, flags);
      keepTempFilesBeside(database);
      const { signal } = context;
      const restored = await restoreWarehouse(file, database, { nowMs: Date.now(), signal });
      if (json) return context.print(JSON.stringify(restored));
      context.tell(`${relative(context.folder, restored.database)}  ${describeCopy(restored)}`);
      if (restored.replaced !== null) {
        context.tell(`The previous warehouse is kept as ${relative(context.folder, restored.replaced)}`);
      }
      if (restored.forgotten_again)
        context.note(
          "The backup is from before callers were forgotten: they are forgotten in what was restored.",
        );
      const ofKey = describeKey(restored);
      if (ofKey !== undefined) context.note(ofKey);
    });
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

function parseFile(text: string): string {
  try {
    return parseFilePath(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${describeError(error)}.`);
  }
}

function describeCopy({ calls, runs, bytes }: Copied): string {
  return `${formatQuantity(calls, "call")} and ${formatQuantity(runs, "run")} in ${formatBytes(bytes)}, every row's hash checked`;
}
