import { Command } from "@commander-js/extra-typings";
import { restoreWarehouse } from "../../backup/restore.ts";
import { parseFilePath } from "../../base/path-text.ts";
import { overFiles } from "../account-files.ts";
import { type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";
import { parser } from "../parsers.ts";
import { describeRestored, noteRestored } from "../terminal/copy-text.ts";
import { BACKUP_FILE } from "./backup.ts";

export const command = (context: Context) =>
  new Command("restore")
    .description(
      "Verifies a backup and replaces the warehouse with a copy of it; the previous warehouse is kept next to it.",
    )
    .argument("<file>", BACKUP_FILE, parser(parseFilePath))
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally restore /mnt/backups/calltally.db")
    .action(
      action(context, (path) =>
        overFiles(context, [path], async ({ settings }, [file = ""]) => {
          const { database, baseUrl, orgUnitId } = settings;
          const options = { nowMs: Date.now(), signal: context.signal, baseUrl, orgUnitId };
          const restored = await restoreWarehouse(file, database, options);
          return {
            data: restored,
            summary: describeRestored(restored, context.folder),
            notes: noteRestored(restored),
          };
        }),
      ),
    );
