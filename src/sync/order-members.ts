import { z } from "zod";
import type { Row } from "../service/paging/slice.ts";
import type { ForgottenCallers } from "../warehouse/calls/forgotten-callers.ts";

const membersSchema = z.object({
  started: z.array(z.string().nullable()),
  name: z.array(z.string().nullable()),
  rejected: z.array(z.number()),
});

/**
 * Returns what is stored of the rows of a page besides their ids, so that a resumed pass proves the same. Names that contain
 * the number of a forgotten caller are left out; a resumed pass then proves no order by source.
 */
export function toMembers(rows: readonly Row[], forgotten?: ForgottenCallers): z.infer<typeof membersSchema> {
  const isClean = (name: string) => forgotten === undefined || forgotten.mask(name) === name;
  return {
    started: rows.map(({ started }) => started),
    name: rows.map(({ name }) => (name === null || isClean(name) ? name : null)),
    rejected: rows.flatMap(({ isRejected }, index) => (isRejected ? [index] : [])),
  };
}

/** Parses the stored rows of a page; undefined if they are incomplete. */
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
