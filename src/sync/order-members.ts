import { z } from "zod";
import type { Row } from "../paging/slice.ts";
import type { ForgottenCallers } from "../warehouse/calls/forgotten-callers.ts";

const membersSchema = z.object({
  started: z.array(z.string().nullable()),
  name: z.array(z.string().nullable()),
  rejected: z.array(z.number()),
});

/**
 * Returns what the ledger keeps of the rows of a page besides their ids, for a resumed pass to prove the same from. Names with
 * the number of a forgotten caller are left out: a resumed pass then proves no order by source.
 */
export function toMembers(rows: readonly Row[], forgotten?: ForgottenCallers): z.infer<typeof membersSchema> {
  const isClean = (name: string) => forgotten === undefined || forgotten.mask(name) === name;
  return {
    started: rows.map(({ started }) => started),
    name: rows.map(({ name }) => (name === null || isClean(name) ? name : null)),
    rejected: rows.flatMap(({ isRejected }, index) => (isRejected ? [index] : [])),
  };
}

/** Returns the rows of a page from the ledger; undefined where they are not kept there whole. */
export function readRows(idsJson: string | null, membersJson: string | null): Row[] | undefined {
  const ids = z.array(z.number().nullable()).safeParse(JSON.parse(idsJson ?? "null"));
  const members = membersSchema.safeParse(JSON.parse(membersJson ?? "null"));
  if (!ids.success || !members.success) return undefined;
  const { started, name } = members.data;
  if (started.length !== ids.data.length || name.length !== ids.data.length) return undefined;
  const rejected = new Set(members.data.rejected);
  return ids.data.map((id, index) => ({
    id,
    started: started[index] ?? null,
    name: name[index] ?? null,
    ...(rejected.has(index) && { isRejected: true }),
  }));
}
