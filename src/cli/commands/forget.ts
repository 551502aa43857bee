import { Command } from "@commander-js/extra-typings";
import { forgetNow } from "../../forget/forget-now.ts";
import { parseWhom, unknownError } from "../../forget/parse-whom.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";
import { collect } from "../parsers.ts";
import { noteLeft, summarizeForgotten } from "../terminal/forget-text.ts";

export const command = (context: Context) =>
  new Command("forget")
    .description(
      "Removes the personal data of callers: numbers, transcripts, links to recordings. Their calls still count, and no " +
        "sync brings the data back.",
    )
    .argument("[number...]", "phone numbers with their country codes")
    .option("--file <file>", "a file of phone numbers, one per line; text after a # is a comment")
    .option(
      "--caller-hash <hex>",
      "a caller as caller_hash in exported files; may be given more than once",
      collect,
    )
    .option("--exports", "also remove exported files that name them", false)
    .option("--allow-empty", "accept numbers without calls, and keep them out from now on", false)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", '\nExample:\n  $ calltally forget "+49 30 123456" --exports')
    .action(
      action(context, async (numbers, { file, callerHash: hashes = [], exports: isRemoved, allowEmpty }) => {
        const whom = parseWhom({ numbers, file, hashes });
        const settings = settingsOf(context);
        const found = await forgetNow(whom, {
          own: settings,
          exportDir: settings.exportDir,
          isExportRemoved: isRemoved,
          isUnknownAllowed: allowEmpty,
          signal: context.signal,
        });
        if (found.unknown.length > 0 && !allowEmpty) throw unknownError(whom, found.unknown);
        const { folder } = context;
        const { counts, unknown, files, copies, clusters, newKey } = found;
        return {
          data: {
            forgotten: counts,
            unknown: unknown.length,
            exported_files: files.map((each) => ({ ...each, removed: isRemoved })),
            copies,
            clusters,
            ...(newKey !== undefined && { new_key: newKey }),
          },
          summary: summarizeForgotten(found, { isRemoved, folder }),
          notes: noteLeft(found, { isRemoved, folder }),
        };
      }),
    );
