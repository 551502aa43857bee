import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UsageError } from "../../base/errors.ts";
import { isFile } from "../../base/folder.ts";

export const MANIFEST = "manifest.json";

/** Refuses names outside the folder, since others may have written the manifest. */
const fileName = z.string().regex(/^(calls\/month=[\w-]+\/)?(?!\.\.?$)[^/\\]+$/);

/** What readers need; all other members are kept. */
export const manifestSchema = z.looseObject({
  origin: z.looseObject({
    warehouse_id: z.string(),
    base_url: z.string().nullable(),
    /** Missing if several accounts are merged. */
    org_unit_id: z.string().nullish(),
    made_by_demo: z.literal(true).optional(),
  }),
  files: z.array(z.looseObject({ file: fileName, sha256: z.string() })),
  filter: z.record(z.string(), z.unknown()).optional(),
  restatements: z.looseObject({ file: z.looseObject({ file: fileName }).optional() }).optional(),
});

export type KnownManifest = z.infer<typeof manifestSchema>;

/** @throws UsageError for a file of that name that calltally did not write */
export function readManifest(folder: string): KnownManifest | undefined {
  const file = join(folder, MANIFEST);
  if (!isFile(file)) return undefined;
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    throw new UsageError(`Cannot export to ${folder}: calltally did not write its ${MANIFEST}`, {
      hint: ({ out, replace }) =>
        `It was not changed. Use another folder ${out}${replace === undefined ? "" : `, or replace the file with ${replace}`}.`,
    });
  }
}

/** Undefined if calltally wrote no manifest there. */
export function tryReadManifest(folder: string): KnownManifest | undefined {
  try {
    return readManifest(folder);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
