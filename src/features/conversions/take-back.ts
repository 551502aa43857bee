import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { hashFile, realFile } from "../../base/folder.ts";
import type { Warehouse } from "../../warehouse/warehouse.ts";
import { forgetUploads, idsOf, recoverUploads } from "./upload-files.ts";
import { readUploadFiles } from "./upload-table.ts";

export type UploadFile = ReturnType<typeof readUploadFiles>[number];

export type TakenBack = ReturnType<typeof takeBack>;

/**
 * Takes back a file of conversions that was not uploaded, so that the next file has them again.
 * @param name its path, its former path, or its id
 * @throws UsageError that lists the latest files, if no such file counts as uploaded
 */
export function takeBack(warehouse: Warehouse, name: string, options: TakeBackOptions) {
  recoverUploads(warehouse);
  const all = readUploadFiles(warehouse);
  const files = findFiles(all, name, options);
  forgetUploads(warehouse, idsOf(files), options.now);
  return {
    files,
    lines: files.reduce((sum, { entered }) => sum + entered, 0),
    /** Ids of later files that may contain the same conversions, though the ledger lists them only for this file. */
    mayBeIn: idsOf(findOthers(all, files)),
  };
}

interface TakeBackOptions {
  folder: string;
  now: string;
  describe: (files: readonly UploadFile[]) => string;
}

const RECENT = 5;

const isCounted = ({ state }: UploadFile) => state === "written" || state === "pending";

/** Returns the files with the content of this one or, if it does not exist, the last one of its path. */
function findFiles(files: readonly UploadFile[], name: string, { folder, describe }: TakeBackOptions) {
  const named = resolve(folder, name);
  const path = join(realFile(dirname(named)), basename(named));
  const sha256 = hashFile(path);
  const numbered = files.filter(({ upload_file_id }) => String(upload_file_id) === name);
  // Only the last one of a path: if it was already taken back, the one before is not meant.
  const known = numbered.length > 0 ? numbered : files.filter((file) => file.path === path).slice(0, 1);
  const same = sha256 === undefined ? known : files.filter((file) => file.sha256 === sha256);
  const counted = same.filter(isCounted);
  if (counted.length > 0) return counted;
  const recent = files.filter(isCounted).slice(0, RECENT);
  throw new UsageError(`Cannot forget ${name}: ${whyNone(same, sha256 !== undefined)}`, {
    hint:
      recent.length === 0
        ? "There is nothing to take back: no file of conversions counts as uploaded."
        : `Give one of the latest:\n${describe(recent)}`,
  });
}

function whyNone([file]: readonly UploadFile[], isThere: boolean): string {
  if (file?.state === "replaced") return "its export was killed, and a later file replaced it";
  if (file !== undefined) return "it was already taken back";
  return isThere
    ? "its content does not match any file of conversions"
    : "no file of conversions was written to that path";
}

function findOthers(files: readonly UploadFile[], forgotten: readonly UploadFile[]): UploadFile[] {
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
