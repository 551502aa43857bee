import { relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { parseFilePath } from "../../base/text/path-text.ts";
import { type Restoration, restoreWarehouse } from "../../operate/backup/restore.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overFiles } from "../frame.ts";
import { parser } from "../parsers.ts";
import { BACKUP_FILE, describeCopy } from "./backup.ts";

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

function describeRestored(restored: Restoration, folder: string): string {
  const { database, replaced } = restored;
  return [
    `${relative(folder, database)}  ${describeCopy(restored)}`,
    ...(replaced === null ? [] : [`The previous warehouse is kept as ${relative(folder, replaced)}`]),
  ].join("\n");
}

function noteRestored(restored: Restoration): string[] {
  return [
    restored.forgotten_again
      ? "Callers were forgotten after this backup: they are forgotten in the restored warehouse, too."
      : undefined,
    describeKey(restored),
  ].filter((note) => note !== undefined);
}

function describeKey({ caller_key, database }: Restoration): string | undefined {
  const key = `${database}.caller-key`;
  switch (caller_key) {
    case "copied":
      return `The key of caller_hash was copied from the backup's folder to ${key}.`;
    case "kept another":
      return `${key} was kept, but the backup has a different key: pseudonyms in files written with that one do not match.`;
    case "missing":
      return (
        `There is no key of caller_hash at ${key}: the next export of calls creates a new one, whose pseudonyms do not ` +
        "match those in earlier files. If you have the old key, put it there first."
      );
    case "needed":
      return `There is no key of caller_hash at ${key}, and the warehouse identifies callers, or whom you had forgotten, by digests made with it: no sync runs before you have put it there.`;
    default:
      return undefined;
  }
}
