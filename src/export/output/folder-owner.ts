import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { type DescribedOrigin, originInWords } from "../../warehouse/origin.ts";
import { type KnownManifest, readManifest, tryReadManifest } from "./read-manifest.ts";

/**
 * Refuses to write into a folder with the export of another warehouse, whose files would stand beside each other.
 *
 * @param isReplaced whether the operator says that those files may go, by `--replace`
 * @returns the files of another warehouse that are to go: those of its last export, where they are as it wrote them
 * @throws UsageError that names both
 */
export function claimFolder(folder: string, origin: DescribedOrigin, isReplaced: boolean): string[] {
  const manifest = isReplaced ? tryReadManifest(folder) : readManifest(folder);
  if (manifest === undefined || manifest.origin.warehouse_id === origin.warehouse_id) return [];
  if (isReplaced) return manifest.files.filter((file) => isUnchanged(folder, file)).map(({ file }) => file);
  throw new UsageError(
    `Cannot export to ${folder}: it holds the files of another warehouse, ${describe(manifest.origin)}; this one is ${describe(origin)}`,
    { hint: "Give each warehouse a folder of its own with --out, or replace those files with --replace." },
  );
}

/** Two warehouses may be copies of one service. */
function describe(origin: Pick<DescribedOrigin, "base_url" | "made_by_demo" | "warehouse_id">): string {
  return `${originInWords(origin)} (${origin.warehouse_id.slice(0, 8)})`;
}

function isUnchanged(folder: string, { file, sha256 }: KnownManifest["files"][number]): boolean {
  const path = join(folder, file);
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile();
  return isFile === true && hash("sha256", readFileSync(path)) === sha256;
}
