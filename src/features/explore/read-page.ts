import { z } from "zod";
import { attempt } from "../../base/errors.ts";
import { type FileBasis, fileBasisSchema } from "../../warehouse/runs/basis-schema.ts";

const pageSchema = z.looseObject({ warehouse: fileBasisSchema });

const FACTS = /<script type="application\/json" id="facts">(.*?)<\/script>/;

/** Returns what a page to explore is based on; undefined for other texts. */
export function readPageBasis(text: string): FileBasis | undefined {
  const [, json = ""] = FACTS.exec(text) ?? [];
  const parsed: unknown = attempt(() => JSON.parse(json));
  return pageSchema.safeParse(parsed).data?.warehouse;
}
