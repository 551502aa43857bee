import { createHash, hash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Draft } from "../../base/draft.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { toFileError } from "../../base/file-access.ts";
import { fsyncPath, isFile, removeFile } from "../../base/folder.ts";
import { maskNumbers, toNational } from "../../calls/attribution/mask-numbers.ts";
import { EXPLORE_FILE } from "../../config/request/option-values.ts";
import { fingerprintOf } from "../../export/manifest.ts";
import { findDrafts } from "../../export/output/file-set.ts";
import { lockFolder } from "../../export/output/folder-lock.ts";
import { MANIFEST, manifestSchema, tryReadManifest } from "../../export/output/read-manifest.ts";
import { openCallerHash } from "../../warehouse/calls/caller-hash.ts";
import { readOrigin } from "../../warehouse/origin.ts";
import { folderOfExport, readExportPaths, replaceManifest } from "../../warehouse/runs/exports.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";

const HEAD_BYTES = 65_536;
const CHUNK_BYTES = 4_194_304;
/** Overlap of two chunks: longer than any number or hash. */
const OVERLAP_BYTES = 256;

export interface Traces {
  /** As `+` and digits. */
  numbers: readonly string[];
  /** Other texts: numbers as they were written, hashes. */
  texts: readonly string[];
}

/** A file that contains, or may contain, a forgotten caller. */
export interface PersonalFile {
  path: string;
  holds: "yes" | "perhaps";
}

export const isManifest = (path: string) => basename(path) === MANIFEST;

/** Returns what identifies callers in exported files: their numbers, pseudonyms, and the hashes that ad platforms take. */
export function tracesInExports(
  database: string,
  callers: readonly string[],
  { spellings, hashes }: { spellings: readonly string[]; hashes: readonly string[] },
): Traces {
  const pseudonyms = openCallerHash(database);
  const ofCaller = (caller: string) => [
    pseudonyms.hash(caller),
    createHash("sha256").update(caller).digest("hex"),
  ];
  const numbers = callers.filter((caller) => caller.startsWith("+"));
  return { numbers, texts: [...spellings, ...hashes, ...callers.flatMap(ofCaller)] };
}

/**
 * Finds exported files that contain, or may contain, any of the callers; also manifests, and what killed exports left.
 * @param search.exportFolder searched in addition to the folders that the warehouse has recorded
 */
export function findPersonalFiles(
  warehouse: Reader,
  search: {
    exportFolder: string;
    traces: Traces;
    /** Paths of files that may name them though they hold no trace. */
    suspects: ReadonlySet<string>;
    maskJson: (json: string) => string;
  },
): PersonalFile[] {
  const { exportFolder, traces, suspects, maskJson } = search;
  const { warehouse_id } = readOrigin(warehouse);
  const remembered = readExportPaths(warehouse);
  const folders = [...new Set([...remembered.map(folderOfExport), resolve(exportFolder)])];
  const listed = folders.flatMap((folder) => [...listManifest(folder, warehouse_id), ...findDrafts(folder)]);
  const examine = (path: string): PersonalFile["holds"] | undefined => {
    if (!isFile(path)) return undefined;
    if (!isTextFile(path) || basename(path) === EXPLORE_FILE) return "perhaps";
    if (isManifest(path)) {
      const text = readFileSync(path, "utf8");
      return maskJson(text) === text ? undefined : "yes";
    }
    if (holdsTraces(path, traces)) return "yes";
    return suspects.has(path) ? "perhaps" : undefined;
  };
  return [...new Set([...remembered, ...listed])].flatMap((path): PersonalFile[] => {
    const holds = readOr(() => examine(path), "perhaps");
    return holds === undefined ? [] : [{ path, holds }];
  });
}

/** Whether a file is searchable text: compressed files have a byte 0 in their head. */
function isTextFile(file: string): boolean {
  const handle = openSync(file, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return !head.subarray(0, readSync(handle, head)).includes(0);
  } finally {
    closeSync(handle);
  }
}

/** Returns `otherwise` if the file system refuses to read. */
export function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (toFileError(error) === undefined) throw error;
    return otherwise;
  }
}

export function holdsTraces(file: string, { numbers, texts }: Traces): boolean {
  const wanted = new Set(numbers.flatMap((number) => [number, toNational(number) ?? number]));
  const holds = (chunk: string) =>
    texts.some((text) => chunk.includes(text)) ||
    (wanted.size > 0 && maskNumbers(chunk, (number) => wanted.has(number)) !== chunk);
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(OVERLAP_BYTES + CHUNK_BYTES);
    for (let overlap = 0; ; ) {
      const read = readSync(handle, buffer, overlap, CHUNK_BYTES, null);
      // Invalid UTF-8 only loses the few characters that are cut in two.
      if (holds(buffer.toString("utf8", 0, overlap + read))) return true;
      if (read === 0) return false;
      const end = overlap + read;
      overlap = Math.min(OVERLAP_BYTES, end);
      buffer.copyWithin(0, end - overlap, end);
    }
  } finally {
    closeSync(handle);
  }
}

/** The manifest of a folder and its files, if it belongs to this warehouse. */
export function listManifest(folder: string, warehouseId: string): string[] {
  // If a folder is not readable, the files that the warehouse recorded there are reported.
  const manifest = readOr(() => tryReadManifest(folder), undefined);
  if (manifest?.origin.warehouse_id !== warehouseId) return [];
  const { files, restatements } = manifest;
  const names = [...files, ...(restatements?.file ? [restatements.file] : [])].map(({ file }) => file);
  return [MANIFEST, ...names].map((name) => join(folder, name));
}

interface ManifestMasking {
  maskJson: (json: string) => string;
  /** Records the changed manifests. */
  warehouse: Warehouse;
}

/** Deletes exported files, after their entries in manifests, so that an interrupted removal can be repeated. Manifests stay. */
export async function removePersonalFiles(
  files: readonly PersonalFile[],
  { maskJson, warehouse, signal }: ManifestMasking & { signal?: AbortSignal | undefined },
): Promise<void> {
  const failed: [path: string, cause: Error][] = [];
  for (const [folder, paths] of Map.groupBy(
    files.map(({ path }) => path),
    folderOfExport,
  )) {
    try {
      using _lock = await lockFolder(folder, signal);
      const removed = new Set(paths.map((path) => relative(folder, path).replaceAll("\\", "/")));
      forgetInManifest(folder, removed, { maskJson, warehouse });
      for (const path of paths) {
        if (isManifest(path)) continue;
        removeFile(path);
        fsyncPath(dirname(path));
      }
    } catch (error) {
      const cause = toFileError(error);
      if (cause === undefined) throw error;
      const isLeft = (path: string) =>
        readOr(() => statSync(path, { throwIfNoEntry: false }) !== undefined, true);
      failed.push(...paths.filter(isLeft).map((path): [string, Error] => [path, cause]));
    }
  }
  const [path, cause] = failed[0] ?? [];
  if (path === undefined) return;
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : "";
  throw new CalltallyError(
    EXIT.storage,
    `Cannot remove ${path}${others}, which may still contain the callers`,
    {
      cause,
      hint: "Everything else is done. Let the owner delete the files, or run this again with permission to do so.",
    },
  );
}

function forgetInManifest(
  folder: string,
  removed: ReadonlySet<string>,
  { maskJson, warehouse }: ManifestMasking,
): void {
  const manifest = tryReadManifest(folder);
  if (manifest === undefined) return;
  const files = manifest.files.filter(({ file }) => !removed.has(file));
  const masked = manifestSchema.parse(JSON.parse(maskJson(JSON.stringify({ ...manifest, files }))));
  if (isDeepStrictEqual(masked, manifest)) return;
  const file = join(folder, MANIFEST);
  // That of several accounts has none.
  const fingerprint = manifest.fingerprint === undefined ? undefined : fingerprintOf(masked);
  const text = `${JSON.stringify({ ...masked, fingerprint }, null, 2)}\n`;
  using draft = new Draft(file);
  draft.write(text, statSync(file).mode & 0o777);
  // First: if the process is killed, the manifest is changed in the same way the next time.
  replaceManifest(warehouse, hash("sha256", readFileSync(file)), hash("sha256", text));
  draft.replace();
}
