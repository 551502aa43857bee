import { relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { systemClock } from "../../base/clock.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { isAdjustments } from "../../config/request/conversion-kinds.ts";
import { type TakenBack, takeBack, type UploadFile } from "../../features/conversions/take-back.ts";
import { recoverUploads } from "../../features/conversions/upload-files.ts";
import { readUploadFiles } from "../../features/conversions/upload-table.ts";
import { openAsPermitted, openExistingWarehouse } from "../../warehouse/file/open.ts";
import { openOwn } from "../../warehouse/file/own-warehouse.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action, perAccount } from "../frame.ts";
import { layOutTable } from "../terminal/query-table.ts";

export const command = (context: Context) =>
  new Command("uploads")
    .description("Shows the files of conversions that export has written, and takes one back.")
    .addHelpText(
      "after",
      "\nExamples:\n  $ calltally uploads list\n  $ calltally uploads forget data/exports/google-ads.csv",
    )
    .addCommand(listCommand(context))
    .addCommand(forgetCommand(context));

const listCommand = (context: Context) =>
  new Command("list")
    .description("Lists the files of conversions, latest first.")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally uploads list")
    .action(
      perAccount(context, ({ settings }) => {
        using warehouse = openOwn(settings, openAsPermitted);
        if (warehouse.writer) recoverUploads(warehouse.writer);
        const files = readUploadFiles(warehouse);
        return {
          data: files.map(({ process: _, draft: __, caller_key: ___, ...file }) => file),
          text:
            files.length === 0
              ? "No file of conversions has been written."
              : layOutFiles(files, context.folder),
        };
      }),
    );

const forgetCommand = (context: Context) =>
  new Command("forget")
    .description(
      "Takes back a file of conversions that was not uploaded: the next file with --new has them again. The file itself stays.",
    )
    .argument("<file>", "the file, its former path, or its id in the list")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally uploads forget data/exports/google-ads.csv")
    .action(
      action(context, (file) => {
        using warehouse = openOwn(settingsOf(context), openExistingWarehouse);
        const { folder } = context;
        const now = new Date(systemClock.now()).toISOString();
        const describe = (files: Parameters<typeof layOutFiles>[0]) => layOutFiles(files, folder);
        const takenBack = takeBack(warehouse, file, { folder, now, describe });
        return {
          data: {
            upload_file_ids: takenBack.files.map(({ upload_file_id }) => upload_file_id),
            taken_back: takenBack.lines,
            may_be_in: takenBack.mayBeIn,
            forgotten_at: now,
          },
          summary: describeTakenBack(takenBack),
        };
      }),
    );

function layOutFiles(files: readonly UploadFile[], folder: string): string {
  return layOutTable(
    ["number", "written_at", "contents", "rows", "state", "file"],
    files.map((file) => [
      file.upload_file_id,
      file.written_at,
      file.contents,
      file.rows,
      file.state,
      relative(folder, file.path) || file.path,
    ]),
  );
}

function describeTakenBack({ files, lines, mayBeIn }: TakenBack): string {
  const ofAdjustments = files[0] !== undefined && isAdjustments(files[0].contents);
  const sentence = `${formatQuantity(lines, ofAdjustments ? "adjustment" : "conversion")} taken back: the next ${ofAdjustments ? "file of adjustments" : "file with --new"} has ${lines === 1 ? "it" : "them"} again where ${lines === 1 ? "it still is" : "they still are"} due`;
  if (mayBeIn.length === 0) return sentence;
  return `${sentence}
${mayBeIn.length === 1 ? "File" : "Files"} ${mayBeIn.join(", ")} may contain the same: if they were uploaded, the next file reports those conversions twice.`;
}
