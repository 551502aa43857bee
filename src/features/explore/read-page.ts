import { z } from "zod";
import { attempt } from "../../base/errors.ts";

/** What files say of the warehouse and the run that they are based on. */
export const BASIS_SHAPE = {
  origin: z.looseObject({ warehouse_id: z.string() }),
  run: z
    .looseObject({ run_id: z.int(), verdict: z.string().nullable(), finished_at: z.string().nullable() })
    .nullable(),
  certificate: z.strictObject({ run_id: z.int(), made_at: z.string(), sha256: z.string() }).nullable(),
};
const pageSchema = z.looseObject({ warehouse: z.looseObject(BASIS_SHAPE) });
export type PageBasis = z.infer<typeof pageSchema>["warehouse"];

const FACTS = /<script type="application\/json" id="facts">(.*?)<\/script>/;

/** Returns what a page to explore is based on; undefined for other texts. */
export function readPageBasis(text: string): PageBasis | undefined {
  const [, json = ""] = FACTS.exec(text) ?? [];
  const parsed: unknown = attempt(() => JSON.parse(json));
  return pageSchema.safeParse(parsed).data?.warehouse;
}
