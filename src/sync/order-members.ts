import { z } from "zod";
import type { Row } from "../paging/slice.ts";

const membersSchema = z.object({
  started: z.array(z.string().nullable()),
  name: z.array(z.string().nullable()),
  rejected: z.array(z.number()),
});

/** What the ledger keeps of the rows of a page beside their ids, so that what they prove can be proven anew. */
export function toMembers(rows: readonly Row[]): z.infer<typeof membersSchema> {
  return {
    started: rows.map(({ started }) => started),
    name: rows.map(({ name }) => name),
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
