import { basename, dirname, join, relative, resolve } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { systemClock } from "../clock.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import { realFile } from "../folder.ts";
import { assertCurrent } from "../warehouse/migrate.ts";
import { openAsPermitted, openExistingWarehouse } from "../warehouse/open.ts";
import { openOwn } from "../warehouse/own-warehouse.ts";
import { forgetUploads, hashFile, readUploadFiles, recoverUploads } from "../warehouse/upload-table.ts";
import { accountsOf, type Context, OPTION, settingsOf } from "./context.ts";
import { overAccounts } from "./over-accounts.ts";
import { layOutTable } from "./query-table.ts";
import { formatQuantity } from "./terminal-text.ts";

/** Files that an error lists. */
const RECENT = 5;

export function uploadsCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("uploads")
    .description("Shows the files of conversions that export has written, and takes one back.")
    .addHelpText(
      "after",
      "\nExamples:\n  $ calltally uploads list\n  $ calltally uploads forget data/exports/google-ads.csv",
    )
    .addCommand(listCommand(context, exit))
    .addCommand(forgetCommand(context));
}

function listCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("list")
    .description("Lists the files of conversions, the latest first.")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally uploads list")
    .action(async ({ json, ...flags }) => {
      const list = (own: Context) => {
        using warehouse = openOwn(settingsOf(own, flags), openAsPermitted);
        if (warehouse.sqlite.readonly) assertCurrent(warehouse);
        else recoverUploads(warehouse);
        const files = readUploadFiles(warehouse);
        if (json)
          own.print(JSON.stringify(files.map(({ process: _, draft: __, caller_key: ___, ...file }) => file)));
        else if (files.length === 0) own.print("No file of conversions has been written.");
        else own.print(layOutFiles(files, own.folder));
      };
      await overAccounts(accountsOf(context, flags), { context, exit }, (scope) => list(scope.context), {
        json,
      });
    });
}

function forgetCommand(context: Context) {
  return new Command("forget")
    .description(
      "Takes back a file of conversions that was not uploaded: the next file with --new has them again. The file itself stays.",
    )
    .argument("<file>", "the file, its former path, or its number in the list")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally uploads forget data/exports/google-ads.csv")
    .action((file, { json, ...flags }) => {
      using warehouse = openOwn(settingsOf(context, flags), openExistingWarehouse);
      recoverUploads(warehouse);
      const files = readUploadFiles(warehouse);
      const found = findFiles(files, file, context.folder);
      const ids = found.map(({ upload_file_id }) => upload_file_id);
      const now = new Date(systemClock.now()).toISOString();
      forgetUploads(warehouse, ids, now);
      const lines = found.reduce((sum, { entered }) => sum + entered, 0);
      const also = findOthers(files, found).map(({ upload_file_id }) => upload_file_id);
      const result = { upload_file_ids: ids, taken_back: lines, may_be_in: also, forgotten_at: now };
      if (json) context.print(JSON.stringify(result));
      else context.tell([describeForgotten(found, lines), ...describeOthers(also)].join("\n"));
    });
}

type ListedFile = ReturnType<typeof readUploadFiles>[number];

const isCounted = ({ state }: ListedFile) => state === "written" || state === "pending";

/**
 * Returns the files with the content of this one; where it is not there, the last one of its path.
 *
 * @throws UsageError that lists the latest files
 */
function findFiles(files: readonly ListedFile[], given: string, folder: string): ListedFile[] {
  const numbered = files.filter(({ upload_file_id }) => String(upload_file_id) === given);
  const named = resolve(folder, given);
  const path = join(realFile(dirname(named)), basename(named));
  const sha256 = hashFile(path);
  const isPath = sha256 !== undefined || numbered.length === 0;
  // The last one of a path alone: that it was taken back already does not make it mean the one before.
  const ofPath = () => files.filter((file) => file.path === path).slice(0, 1);
  const ofContent = () => files.filter((file) => file.sha256 === sha256);
  const same = isPath ? (sha256 === undefined ? ofPath() : ofContent()) : numbered;
  const counted = same.filter(isCounted);
  if (counted.length > 0) return counted;
  const state =
    same.length > 0
      ? stateOf(same)
      : sha256 === undefined
        ? "no file of conversions was written there"
        : "its content is not that of any file of conversions";
  const recent = files.filter(isCounted).slice(0, RECENT);
  throw new UsageError(`Cannot forget ${given}: ${state}`, {
    hint:
      recent.length === 0
        ? "No file of conversions counts as uploaded."
        : `The latest are:\n${layOutFiles(recent, folder)}`,
  });
}

/** Returns later files that may have lines of these as well: what was in the ledger already was not entered for them. */
function findOthers(files: readonly ListedFile[], forgotten: readonly ListedFile[]): ListedFile[] {
  const entered = forgotten.filter((file) => file.entered > 0);
  return files.filter(
    (file) =>
      isCounted(file) &&
      !forgotten.includes(file) &&
      file.rows > file.entered &&
      entered.some(
        ({ upload_file_id, contents }) => contents === file.contents && upload_file_id < file.upload_file_id,
      ),
  );
}

function describeOthers(ids: readonly number[]): string[] {
  const which = ids.length === 1 ? "File" : "Files";
  return ids.length === 0
    ? []
    : [
        `${which} ${ids.join(", ")} may have the same: what of that was uploaded, the next file tells of a second time.`,
      ];
}

function describeForgotten([file]: readonly ListedFile[], lines: number): string {
  const isAdjustments = file?.contents === "google-ads-adjustments";
  return `${formatQuantity(lines, isAdjustments ? "adjustment" : "conversion")} taken back: the next ${isAdjustments ? "file of adjustments" : "file with --new"} has ${lines === 1 ? "it" : "them"} again where ${lines === 1 ? "it still is" : "they still are"} due`;
}

function layOutFiles(files: readonly ListedFile[], folder: string): string {
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

function stateOf([file]: readonly ListedFile[]): string {
  return file?.state === "replaced"
    ? "its export was killed, and a later file replaced it"
    : "it was taken back already";
}
