import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { attempt } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { readDeliveredTo } from "../delivery/delivery-table.ts";
import { findDrafts } from "../export/output/file-set.ts";
import { lockFolder } from "../export/output/folder-lock.ts";
import { MANIFEST, tryReadManifest } from "../export/output/read-manifest.ts";
import { acquireLock } from "../warehouse/acquire-lock.ts";
import { findCopies } from "../warehouse/backup-table.ts";
import { callerKeyOf } from "../warehouse/calls/caller-key.ts";
import { openReader } from "../warehouse/open.ts";
import { readOrigin } from "../warehouse/origin.ts";
import { readPublications } from "../warehouse/publication-table.ts";
import { readExportPaths } from "../warehouse/runs/exports.ts";
import { folderOf, listManifest, readOr } from "./personal-files.ts";

/** Everything of an account on this machine, as far as its warehouse knows. Paths are absolute, of files that exist. */
export interface AccountFiles {
  database: string;
  /** Null if the warehouse cannot be read: then only the export folder is searched for files. */
  warehouseId: string | null;
  /** The warehouse, and what lies next to it under its name: key, lock, log, replaced copies. */
  warehouse: readonly string[];
  backups: readonly string[];
  /** Exported files and reports, with their manifests. */
  exports: readonly string[];
  /** What cannot be removed from here. */
  outside: {
    /** Clusters with its rows, and its name there. */
    clusters: readonly { target: string; account: string }[];
    /** Who got files, and how many times. */
    recipients: readonly { channel: string; recipient: string; deliveries: number }[];
  };
}

/** Finds what an account has on this machine. A folder with the manifest of another warehouse is left alone. */
export function findAccountFiles({ database: given, exportDir }: { database: string; exportDir: string }) {
  const database = realFile(given);
  using reader = existsSync(database) ? attempt(() => openReader(database)) : undefined;
  const warehouseId = reader ? readOrigin(reader).warehouse_id : null;
  const copies = reader ? findCopies(reader) : [];
  const warehouse = filesOf(database);
  const backups = copies.flatMap((copy) => [copy, callerKeyOf(copy)]).filter((path) => existsSync(path));
  const recorded = reader ? readExportPaths(reader) : [];
  const folders = [...new Set([...recorded.map(folderOf), resolve(exportDir)])];
  const idIn = (folder: string) => readOr(() => tryReadManifest(folder), undefined)?.origin.warehouse_id;
  // The export folder is the account's own, even if its warehouse cannot be read.
  const ids = [undefined, warehouseId, idIn(resolve(exportDir))];
  const own = folders.filter((folder) => ids.includes(idIn(folder)));
  const listed = own.flatMap((folder) => [
    ...listManifest(folder, idIn(folder) ?? ""),
    ...readOr(() => findDrafts(folder), []),
  ]);
  const exports = [...recorded.filter((path) => own.includes(folderOf(path))), ...listed];
  const files: AccountFiles = {
    database,
    warehouseId,
    warehouse,
    backups: [...new Set(backups)].filter((path) => !warehouse.includes(path)),
    exports: [...new Set(exports)].filter((path) => existsSync(path)).toSorted(),
    outside: {
      clusters: reader ? readPublications(reader).map(({ target, account }) => ({ target, account })) : [],
      recipients: reader ? readDeliveredTo(reader) : [],
    },
  };
  return files;
}

/** Removes the files, while no sync and no export can write, and the folders that become empty; the lock comes last. */
export async function removeAccountFiles(
  { database, warehouse, backups, exports }: AccountFiles,
  signal: AbortSignal,
): Promise<void> {
  if (warehouse.length > 0) {
    using _lock = acquireLock(database);
    await removeExports(exports, signal);
    for (const path of [...backups, ...warehouse]) if (!path.startsWith(`${database}.lock`)) remove(path);
  } else await removeExports(exports, signal);
  // Its process still had the lock file open.
  for (const path of filesOf(database)) remove(path);
  removeEmpty(dirname(database));
}

async function removeExports(exports: readonly string[], signal: AbortSignal): Promise<void> {
  for (const [folder, paths] of Map.groupBy(exports, folderOf)) {
    {
      using _lock = await lockFolder(folder, signal);
      // The manifest last: what a kill leaves is found by it again.
      const files = paths.filter((path) => basename(path) !== MANIFEST);
      for (const path of [...files, ...paths.filter((path) => !files.includes(path))]) remove(path);
    }
    for (const path of new Set(paths.map((path) => dirname(path)))) removeEmpty(path);
  }
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** Removes a folder and those above it, as long as they are empty. */
function removeEmpty(folder: string): void {
  const isGone = attempt(() => {
    rmdirSync(folder);
    return true;
  });
  if (isGone) removeEmpty(dirname(folder));
}

/** The warehouse and what begins with its name: `calls.db-wal`, `calls.db.replaced-…`, `.calls.db.….tmp`. */
function filesOf(database: string): string[] {
  const [folder, name] = [dirname(database), basename(database)];
  const isOf = (file: string) =>
    file === name || [`${name}-`, `${name}.`, `.${name}.`].some((start) => file.startsWith(start));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder)
    .filter(isOf)
    .map((file) => join(folder, file));
}
