import { MISSING_WORDS } from "../attribution/call-text.ts";
import { COLUMNS, type ListedMember } from "../call/columns.ts";
import { literal } from "./sql-text.ts";

/** What JavaScript's `trim` removes; SQLite's removes only blanks. */
const WHITE_SPACE = `char(${[9, 10, 11, 12, 13, 32, 160, 5760, ...range(8192, 8202), 8232, 8233, 8239, 8287, 12288, 65279].join(", ")})`;

/** Macros that were not filled in, for any SQLite: as they are, and percent-encoded. An address is not useless by one. */
const MACROS = [
  "%{%}%",
  "%{{%",
  "%*|%|*%",
  "%\\%\\%_%\\%\\%%",
  "\\_\\_%\\_\\_",
  "%\\%7B%\\%7D%",
  "%*\\%7C%\\%7C*%",
].map((pattern) => `${literal(pattern)} ESCAPE '\\'`);

/** When a call last changed, ISO 8601 UTC. */
export const CHANGED_AT = "strftime('%Y-%m-%dT%H:%M:%fZ', f.changed_ms / 1000.0, 'unixepoch')";

/** NULL for no value, never an empty text. `f` are facts, `c` calls, `t` transcripts. */
export function listedText(member: ListedMember): string {
  const { shown } = COLUMNS[member];
  if (shown === "fact") return `f.${member}`;
  if (shown === "said") return `nullif(t.${member}, '')`;
  if (shown === "folded") return `iif(f.${member}_folded IS NULL, NULL, c.${member})`;
  const trimmed = `trim(c.${member}, ${WHITE_SPACE})`;
  const macros = shown === "name" ? MACROS : ["'{%}'"];
  const isValue = [
    `lower(${trimmed}) NOT IN (${["", ...MISSING_WORDS].map(literal).join(", ")})`,
    ...macros.map((macro) => `${trimmed} NOT LIKE ${macro}`),
  ];
  return `CASE WHEN ${isValue.join(" AND ")} THEN c.${member} END`;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
