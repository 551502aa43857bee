import { relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import type { ExitCode } from "../errors.ts";
import { parseFilePath } from "../path-text.ts";
import type { Copied } from "../warehouse/copy.ts";
import { keepTempFilesBeside } from "../warehouse/erase.ts";
import { type Restored, restoreWarehouse } from "../warehouse/restore.ts";
import { backupWarehouse } from "../warehouse/write-backup.ts";
import { type Context, OPTION } from "./context.ts";
import { noteOtherOrigin } from "./origin-note.ts";
import { overFiles } from "./over-files.ts";
import { parser } from "./suggest.ts";
import { formatBytes, formatQuantity } from "./terminal-text.ts";

type Exit = (code: ExitCode) => void;

const FILE = "the backup file; {account} in its path stands for the name of each account";

export function backupCommand(context: Context, exit: Exit) {
  return new Command("backup")
    .description(
      "Copies the warehouse into one file, even while a sync is running. The copy is fully verified before it " +
        "replaces an earlier backup.",
    )
    .argument("<file>", FILE, parser(parseFilePath))
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      `
Examples:
  $ calltally backup /mnt/backups/calltally.db
  $ calltally backup /mnt/backups/{account}.db`,
    )
    .action((path, flags) =>
      overFiles(
        { context, exit },
        { paths: [path], ...flags },
        async ({ context, settings, files: [file = ""] }) => {
          const backup = await backupWarehouse(settings.database, file, context.signal);
          noteOtherOrigin(context, settings);
          if (flags.json) return context.print(JSON.stringify(backup));
          context.tell(`${relative(context.folder, backup.file)}  ${describeCopy(backup)}`);
        },
      ),
    );
}

export function restoreCommand(context: Context, exit: Exit) {
  return new Command("restore")
    .description(
      "Verifies a backup and replaces the warehouse with a copy of it; the previous warehouse is kept next to it.",
    )
    .argument("<file>", FILE, parser(parseFilePath))
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally restore /mnt/backups/calltally.db")
    .action((path, flags) =>
      overFiles(
        { context, exit },
        { paths: [path], ...flags },
        async ({ context, settings, files: [file = ""] }) => {
          const { database, baseUrl, orgUnitId } = settings;
          keepTempFilesBeside(database);
          const options = { nowMs: Date.now(), signal: context.signal, baseUrl, orgUnitId };
          const restored = await restoreWarehouse(file, database, options);
          if (flags.json) context.print(JSON.stringify(restored));
          else describeRestored(context, restored);
        },
      ),
    );
}

function describeRestored(context: Context, restored: Restored): void {
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

function describeCopy({ calls, runs, bytes }: Copied): string {
  return `${formatQuantity(calls, "call")} and ${formatQuantity(runs, "run")} in ${formatBytes(bytes)}, every row's hash checked`;
}
