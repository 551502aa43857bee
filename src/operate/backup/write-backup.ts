import { dirname } from "node:path";
import { Draft, removeLeftDrafts } from "../../base/draft.ts";
import { makeFolder, realFile } from "../../base/folder.ts";
import { recordBackup } from "../../warehouse/backup-table.ts";
import { readHeader } from "../../warehouse/file/file-header.ts";
import { assertOurs } from "../../warehouse/file/open.ts";
import { assertOutput, type FileKind, type OutputOptions } from "../../warehouse/file/output-file.ts";
import { copyWarehouse } from "./copy.ts";

/**
 * Renames the copy only after it was checked: a bad one never replaces an earlier backup.
 * @throws UsageError for a file that is not a backup
 * @throws CalltallyError (exit 7) if no good copy can be made
 */
export async function backupWarehouse(
  database: string,
  file: string,
  { signal, replacing }: Pick<OutputOptions, "replacing"> & { signal?: AbortSignal } = {},
) {
  const source = realFile(database);
  assertOurs(source);
  const target = assertOutput(file, BACKUP, { inputs: [source], replacing });
  makeFolder(dirname(target));
  recordBackup(source, target);
  removeLeftDrafts(target);
  using draft = new Draft(target);
  const copied = await copyWarehouse(source, draft.path, signal);
  draft.replace();
  return { file: target, ...copied };
}

const BACKUP: FileKind = {
  name: "a backup",
  isOne: (file) => readHeader(file).isOurs,
};
