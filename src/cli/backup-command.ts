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
      "Copies the warehouse into one file, even while a sync is running. The copy is fully verified before it " +
        "replaces an earlier backup.",
    )
    .argument("<file>", "the backup file")
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
    .argument("<file>", "the backup file")
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
      context.tell(`The previous warehouse is kept as ${relative(context.folder, restored.replaced)}`);
    });
}

function describeCopy({ calls, runs, bytes }: Copied): string {
  return `${formatQuantity(calls, "call")} and ${formatQuantity(runs, "run")} in ${formatBytes(bytes)}, every row's hash checked`;
}
