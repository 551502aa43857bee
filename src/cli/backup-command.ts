import { relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import type { Copied } from "../warehouse/copy.ts";
import { restoreWarehouse } from "../warehouse/restore.ts";
import { backupWarehouse } from "../warehouse/write-backup.ts";
import { type Context, OPTION, settingsOf } from "./context.ts";
import { formatBytes, formatQuantity } from "./terminal-text.ts";

export function backupCommand(context: Context) {
  return new Command("backup")
    .description(
      "Copies the warehouse into one file, also while a sync is running, and checks the copy whole before it gets its " +
        "name: it replaces an earlier backup only by a good one.",
    )
    .argument("<file>", "the backup")
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
      "Checks a backup whole and puts a copy of it in the warehouse's place; the warehouse that was there is kept beside it.",
    )
    .argument("<file>", "the backup")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally restore /mnt/backups/calltally.db")
    .action(async (file, { json, ...flags }) => {
      const { database } = settingsOf(context, flags);
      const { signal } = context;
      const restored = await restoreWarehouse(file, database, { nowMs: Date.now(), signal });
      if (json) return context.print(JSON.stringify(restored));
      context.tell(`${relative(context.folder, restored.database)}  ${describeCopy(restored)}`);
      if (restored.replaced === null) return;
      context.tell(`The warehouse that was there is kept as ${relative(context.folder, restored.replaced)}`);
    });
}

function describeCopy({ calls, runs, bytes }: Copied): string {
  return `${formatQuantity(calls, "call")} and ${formatQuantity(runs, "run")} in ${formatBytes(bytes)}, every row's hash checked`;
}
