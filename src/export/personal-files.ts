import { createHash, randomUUID } from "node:crypto";
import { existsSync, globSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { z } from "zod";
import { CalltallyError, EXIT } from "../errors.ts";
import { toFileError } from "../file-access.ts";
import { fsyncPath, removeFile } from "../folder.ts";
import { openCallerHash } from "../warehouse/caller-hash.ts";
import { readExportPaths } from "../warehouse/exports.ts";
import type { Warehouse } from "../warehouse/open.ts";
import { holdsTraces, type Traces } from "../warehouse/personal-bytes.ts";
import { findUploadsOf } from "../warehouse/upload-table.ts";
import { lockFolder } from "./folder-lock.ts";
import { fingerprintOf } from "./manifest.ts";

/**
 * An exported file that has a caller in it; or that may have, since it is compressed and of callers or calls, cannot be read,
 * or is of conversions of theirs by what they cannot be told by any more.
 */
export interface PersonalFile {
  /** Absolute path. */
  path: string;
  holds: "yes" | "perhaps";
}

/** Lists of people, compressed; and what a killed export has left of one. */
const UNREADABLE = /[/\\]\.?(?:calls\.parquet|callers\.parquet|calltally\.xlsx)(?:\.[\da-f-]{36}\.tmp)?$/;
/** What is read of a manifest of any version. */
const manifestSchema = z.looseObject({
  files: z.array(
    z.looseObject({ file: z.string(), sheets: z.array(z.looseObject({ contents: z.string() })).optional() }),
  ),
});

/** Returns what tells callers in exported files: their numbers, pseudonyms there, and the hashes that ad platforms take. */
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
 * Finds the exported files that are still there and have any of the callers in them, and what killed exports left beside
 * them.
 *
 * @param pseudonyms what the callers are called now
 */
export function findPersonalFiles(
  warehouse: Warehouse,
  traces: Traces,
  pseudonyms: readonly string[],
): PersonalFile[] {
  const uploads = new Set(findUploadsOf(warehouse, pseudonyms));
  const paths = readExportPaths(warehouse);
  const drafts = [...new Set(paths.map(folderOf))].flatMap(findDrafts);
  return [...paths, ...drafts].flatMap((path): PersonalFile[] => {
    try {
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
      if (UNREADABLE.test(path)) return mayHold(path) ? [{ path, holds: "perhaps" }] : [];
      if (holdsTraces(path, traces)) return [{ path, holds: "yes" }];
      return uploads.has(path) ? [{ path, holds: "perhaps" }] : [];
    } catch (error) {
      if (toFileError(error) === undefined) throw error;
      return [{ path, holds: "perhaps" }];
    }
  });
}

/** A workbook of rollups alone has nobody in it. */
function mayHold(path: string): boolean {
  const sheets = readManifest(folderOf(path))?.files.find(({ file }) => file === basename(path))?.sheets;
  return (
    sheets === undefined || sheets.some(({ contents }) => contents === "calls" || contents === "callers")
  );
}

/**
 * Removes exported files, and what the manifests beside them say of them. They can be made anew; a manifest first, so that
 * one that is cut short can be repeated.
 */
export async function removePersonalFiles(
  files: readonly PersonalFile[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const failed: [path: string, cause: Error][] = [];
  for (const [folder, paths] of Map.groupBy(
    files.map(({ path }) => path),
    folderOf,
  )) {
    try {
      using _lock = await lockFolder(folder, signal);
      forgetInManifest(folder, new Set(paths.map((path) => relative(folder, path).replaceAll("\\", "/"))));
      for (const path of paths) {
        removeFile(path);
        fsyncPath(dirname(path));
      }
    } catch (error) {
      const cause = toFileError(error);
      if (cause === undefined) throw error;
      failed.push(...paths.filter((path) => !isGone(path)).map((path): [string, Error] => [path, cause]));
    }
  }
  const [first] = failed;
  if (first === undefined) return;
  const [path, cause] = first;
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : "";
  throw new CalltallyError(EXIT.storage, `Cannot remove ${path}${others}, which may have the callers still`, {
    cause,
    hint: "All else is done. Let the owner of the files remove them, or run this again as one who may.",
  });
}

function isGone(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Files of killed exports without their names, and those of exports that are under way. */
function findDrafts(folder: string): string[] {
  return globSync([".*.tmp", "calls/month=*/.*.tmp"], { cwd: folder })
    .filter((file) => /\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/.test(file))
    .map((file) => join(folder, file));
}

function forgetInManifest(folder: string, removed: ReadonlySet<string>): void {
  const manifest = readManifest(folder);
  if (manifest === undefined || !manifest.files.some(({ file }) => removed.has(file))) return;
  const left = { ...manifest, files: manifest.files.filter(({ file }) => !removed.has(file)) };
  const file = join(folder, "manifest.json");
  const draft = join(folder, `.manifest.json.${randomUUID()}.tmp`);
  const text = JSON.stringify({ ...left, fingerprint: fingerprintOf(left) }, null, 2);
  try {
    writeFileSync(draft, `${text}\n`, { flag: "wx", mode: statSync(file).mode & 0o777 });
    fsyncPath(draft);
    renameSync(draft, file);
  } finally {
    removeFile(draft);
  }
  fsyncPath(folder);
}

/** Undefined where there is none of ours. */
function readManifest(folder: string): z.infer<typeof manifestSchema> | undefined {
  const file = join(folder, "manifest.json");
  if (!existsSync(file)) return undefined;
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

/** The folder of the export; partitions lie in folders of their own. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return /[/\\]calls[/\\]month=[^/\\]+$/.test(folder) ? dirname(dirname(folder)) : folder;
}
