import type { FactColumn } from "../attribution/attribute-call.ts";
import { type Call, TRANSCRIPT_COLUMNS } from "../call.ts";

/** A member of a call in lists and views. */
export type ListedMember = Exclude<keyof Call, "extra">;

const FACTS: ReadonlySet<string> = new Set<ListedMember & FactColumn>([
  "call_id",
  "call_started",
  "duration",
  "disposition",
  "insight_name",
  "tracking_number",
  "org_unit_id",
  "org_unit_name",
  "gclid",
  "gclsrc",
  "campaign_id",
]);
const TRANSCRIPTS: ReadonlySet<string> = new Set<ListedMember>(TRANSCRIPT_COLUMNS);

/** What JavaScript's `trim` removes; SQLite's removes only blanks. */
const WHITE_SPACE = `char(${[9, 10, 11, 12, 13, 32, 160, 5760, ...range(8192, 8202), 8232, 8233, 8239, 8287, 12288, 65279].join(", ")})`;

/** NULL for no value, never an empty text. `f` are facts, `c` calls, `t` transcripts. */
export function listedText(member: ListedMember): string {
  if (FACTS.has(member)) return `f.${member}`;
  if (TRANSCRIPTS.has(member)) return `nullif(t.${member}, '')`;
  if (member.startsWith("utm_")) return `iif(f.${member}_folded IS NULL, NULL, c.${member})`;
  const trimmed = `trim(c.${member}, ${WHITE_SPACE})`;
  return `CASE WHEN lower(${trimmed}) NOT IN ('', 'null', 'undefined', '(not set)') AND ${trimmed} NOT LIKE '{%}' THEN c.${member} END`;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
