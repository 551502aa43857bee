import { relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { parseFilePath } from "../../base/text/path-text.ts";
import { formatBytes, formatQuantity } from "../../base/text/quantity-text.ts";
import type { CopySummary } from "../../operate/backup/copy.ts";
import { backupWarehouse } from "../../operate/backup/write-backup.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overFiles } from "../frame.ts";
import { parser } from "../parsers.ts";
import { replacementOf } from "../replacement.ts";
import { notesOnOrigin } from "../warehouse-notes.ts";

export const command = (context: Context) =>
  new Command("backup")
    .description(
      "Copies the warehouse into one file, even while a sync is running. The copy is fully verified before it " +
        "replaces an earlier backup.",
    )
    .argument("<file>", BACKUP_FILE, parser(parseFilePath))
    .option(...OPTION.replace)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      `
Examples:
  $ calltally backup /mnt/backups/calltally.db
  $ calltally backup /mnt/backups/{account}.db`,
    )
    .action(
      action(context, (path, { replace }) =>
        overFiles(context, [path], async ({ settings }, [file = ""]) => {
          const backup = await backupWarehouse(settings.database, file, {
            signal: context.signal,
            replacing: replacementOf(context, replace),
          });
          return {
            data: backup,
            summary: `${relative(context.folder, backup.file)}  ${describeCopy(backup)}`,
            notes: notesOnOrigin(settings),
          };
        }),
      ),
    );

export const BACKUP_FILE = "the backup file; {account} in its path is replaced by each account's name";

export function describeCopy({ calls, runs, bytes }: CopySummary): string {
  return `${formatQuantity(calls, "call")} and ${formatQuantity(runs, "run")} in ${formatBytes(bytes)}, all row hashes checked`;
}
