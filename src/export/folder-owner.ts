import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UsageError } from "../errors.ts";
import { type DescribedOrigin, originInWords } from "../warehouse/origin.ts";

/** What a manifest of any version has, and what tells whose it is; those of early versions do not say. */
const manifestSchema = z.object({
  rules: z.object({}),
  files: z.array(z.object({ file: z.string() })),
  origin: z
    .object({
      warehouse_id: z.string(),
      base_url: z.string().nullable(),
      org_unit_id: z.string().nullish(),
      made_by_demo: z.literal(true).optional(),
    })
    .optional(),
});

type KnownManifest = z.infer<typeof manifestSchema>;

/**
 * Refuses to write into a folder with the export of another warehouse, whose files would stand beside each other.
 *
 * @throws UsageError that names both
 */
export function assertOwnFolder(folder: string, origin: DescribedOrigin): void {
  const manifest = readManifest(folder);
  if (manifest === undefined || manifest.origin === undefined) return;
  if (manifest.origin.warehouse_id === origin.warehouse_id) return;
  throw new UsageError(
    `Cannot export to ${folder}: it holds the files of another warehouse, ${originInWords(manifest.origin)}; this one is ${originInWords(origin)}`,
    { hint: "Give each warehouse a folder of its own with --out, or replace those files with --replace." },
  );
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
