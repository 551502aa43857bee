import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { attempt } from "../../base/errors.ts";
import { hashFile, realFile } from "../../base/folder.ts";
import { findDrafts } from "../../export/output/file-set.ts";
import { SEVERAL_ACCOUNTS } from "../../export/output/folder.ts";
import { lockFolder } from "../../export/output/folder-lock.ts";
import { MANIFEST, tryReadManifest } from "../../export/output/read-manifest.ts";
import { readDeliveredTo } from "../../reports/delivery/delivery-table.ts";
import { findCopies } from "../../warehouse/backup-table.ts";
import { callerKeyOf } from "../../warehouse/calls/caller-key.ts";
import { acquireLock } from "../../warehouse/file/acquire-lock.ts";
import { NEIGHBOR } from "../../warehouse/file/neighbors.ts";
import { connect, openReader } from "../../warehouse/file/open.ts";
import { readOrigin } from "../../warehouse/origin.ts";
import { readPublications } from "../../warehouse/publication-table.ts";
import { folderOfExport, readExportHashes } from "../../warehouse/runs/exports.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { listManifest, readOr } from "./personal-files.ts";

/** Everything of an account on this machine, as far as its warehouse knows. Paths are absolute, of files that exist. */
export interface AccountFiles {
  database: string;
  /** The warehouse, and what lies next to it under its name: key, lock, log, replaced copies. */
  warehouse: readonly string[];
  backups: readonly string[];
  /** Exported files and reports, with their manifests. */
  exports: readonly string[];
  /** What cannot be removed from here. */
  outside: {
    /** Recorded backups that cannot be read, or are of another warehouse by now. */
    copies: readonly string[];
    /** Files of several accounts that have rows of this one. */
    shared: readonly string[];
    /** Clusters with its rows, and its name there. */
    clusters: readonly { target: string; account: string }[];
    /** Who got files, and how many times. */
    recipients: readonly { channel: string; recipient: string; deliveries: number }[];
  };
}

/**
 * Finds what an account has on this machine. Files that are another warehouse's by now are left alone: exports by their
 * manifest or hash, backups by their id.
 */
export function findAccountFiles({ database: link, exportDir }: { database: string; exportDir: string }) {
  const database = realFile(link);
  using reader = existsSync(database)
    ? attempt(() => openReader(database, { isDamageKnown: true }))
    : undefined;
  const warehouse = [...filesOf(database), ...(isLink(link) ? [link] : [])];
  const copies = (reader ? findCopies(reader) : []).filter((copy) => !warehouse.includes(copy));
  const id = reader && readOrigin(reader).warehouse_id;
  const backups = copies.filter((copy) => idOf(copy) === id);
  const files: AccountFiles = {
    database,
    warehouse,
    backups: backups.flatMap((copy) => [copy, callerKeyOf(copy)]).filter((path) => existsSync(path)),
    exports: findExports(reader, resolve(exportDir)),
    outside: {
      copies: copies.filter((copy) => !backups.includes(copy)),
      shared: reader ? findShared(reader) : [],
      clusters: reader ? readPublications(reader).map(({ target, account }) => ({ target, account })) : [],
      recipients: reader ? readDeliveredTo(reader) : [],
    },
  };
  return files;
}

function findShared(reader: Reader): string[] {
  const ofSeveral = readExportHashes(reader).filter(
    ({ path, sha256 }) => ownerOf(folderOfExport(path)) === SEVERAL_ACCOUNTS && hashFile(path) === sha256,
  );
  return [...new Set(ofSeveral.map(({ path }) => path))].toSorted();
}

/** Returns the warehouse whose files a folder has, by its manifest. */
function ownerOf(folder: string): string | undefined {
  return readOr(() => tryReadManifest(folder), undefined)?.origin.warehouse_id;
}

function findExports(reader: Reader | undefined, exportDir: string): string[] {
  // Without a warehouse to ask, only the export folder is the account's for certain.
  const id = reader ? readOrigin(reader).warehouse_id : ownerOf(exportDir);
  const records = reader ? readExportHashes(reader) : [];
  const folders = new Set([...records.map(({ path }) => folderOfExport(path)), exportDir]);
  const exports = [...folders].flatMap((folder) => {
    const known = records.filter(({ path }) => folderOfExport(path) === folder);
    const owner = ownerOf(folder);
    if (owner !== undefined && owner !== id) return [];
    const isOwn = ({ path, sha256 }: (typeof known)[number]) => owner === id || hashFile(path) === sha256;
    return [
      ...known.filter(isOwn).map(({ path }) => path),
      ...(owner === undefined ? [] : listManifest(folder, owner)),
      ...readOr(() => findDrafts(folder), []),
    ];
  });
  return [...new Set(exports)].filter((path) => existsSync(path)).toSorted();
}

function idOf(copy: string): string | undefined {
  return attempt(() => {
    using reader = connect({ path: copy });
    return readOrigin(reader).warehouse_id;
  });
}

function isLink(path: string): boolean {
  return attempt(() => lstatSync(path).isSymbolicLink()) ?? false;
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

/** Returns which of the files are there, or there again. */
export function findLeft({ database, warehouse, backups, exports }: AccountFiles): string[] {
  const known = [...warehouse, ...backups, ...exports].filter((path) => existsSync(path));
  return [...new Set([...known, ...filesOf(database)])];
}

async function removeExports(exports: readonly string[], signal: AbortSignal): Promise<void> {
  for (const [folder, paths] of Map.groupBy(exports, folderOfExport)) {
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

/** What calltally makes next to a warehouse, after a dot and its name. */
const AFTER_DOT = /^\.(?:.*\.tmp(?:-wal|-shm|-journal)?|delivery-.*)$/;

function filesOf(database: string): string[] {
  const [folder, name] = [dirname(database), basename(database)];
  const isOf = (file: string) =>
    file.replace(NEIGHBOR, "") === name ||
    (file.startsWith(`.${name}`) && AFTER_DOT.test(file.slice(name.length + 1)));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder)
    .filter(isOf)
    .map((file) => join(folder, file));
}
