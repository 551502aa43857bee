import { hash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UsageError } from "../../base/errors.ts";
import { type DescribedOrigin, originInWords } from "../../warehouse/origin.ts";

/** What says whose files a folder holds. */
const manifestSchema = z.object({
  files: z.array(z.object({ file: z.string(), sha256: z.string() })),
  origin: z.object({
    warehouse_id: z.string(),
    base_url: z.string().nullable(),
    org_unit_id: z.string().nullable(),
    made_by_demo: z.literal(true).optional(),
  }),
});

type KnownManifest = z.infer<typeof manifestSchema>;

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

/** A name that leads out of the folder is none of ours, whatever wrote the manifest. */
function isUnchanged(folder: string, { file, sha256 }: KnownManifest["files"][number]): boolean {
  const path = join(folder, file);
  if (!/^(calls\/month=[\w-]+\/)?[^/\\]+$/.test(file) || file === ".." || !existsSync(path)) return false;
  return statSync(path).isFile() && hash("sha256", readFileSync(path)) === sha256;
}

function tryReadManifest(folder: string): KnownManifest | undefined {
  try {
    return readManifest(folder);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/**
 * Reads the manifest in a folder; undefined where there is none.
 *
 * @throws UsageError for a file of that name that calltally did not write
 */
export function readManifest(folder: string): KnownManifest | undefined {
  const file = join(folder, "manifest.json");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    throw new UsageError(`Cannot export to ${folder}: its manifest.json is not one of calltally`, {
      hint: "It was left as it is. Choose another folder with --out, or replace the file with --replace.",
    });
  }
}
