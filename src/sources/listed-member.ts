import { MISSING_WORDS } from "../calls/attribution/call-text.ts";
import { COLUMNS, type ListedMember } from "../calls/columns.ts";
import { literal } from "./sql-text.ts";

/** What JavaScript's `trim` removes; SQLite's removes only blanks. */
const WHITE_SPACE = [
  9,
  10,
  11,
  12,
  13,
  32,
  160,
  5760,
  ...range(8192, 8202),
  8232,
  8233,
  8239,
  8287,
  12288,
  65279,
];

/** What the texts of {@link listedText} read: a statement begins with it. */
export const TEXT_TABLES = `WITH white_space(characters) AS (SELECT char(${WHITE_SPACE.join(", ")})),
  no_value(word) AS (VALUES ${["", ...MISSING_WORDS].map((word) => `(${literal(word)})`).join(", ")})
`;

/** Macros that were not filled in, anywhere in a text: as they are, and percent-encoded. */
const MACROS = ["%{%}%", "%{{%", "%*|%|*%", "%\\%\\%_%\\%\\%%", "%\\%7B%\\%7D%", "%*\\%7C%\\%7C*%"];
/** Those that are a whole text. An address is not useless by a macro in it. */
const WHOLE_MACROS = { text: "{%}", name: "\\_\\_%\\_\\_" };

/** When a call last changed, in milliseconds since 1970: with the common name of its campaign, its row in lists changes. */
export const CHANGED_MS =
  "max(f.changed_ms, coalesce((SELECT n.changed_ms FROM campaigns AS n WHERE n.campaign_id = f.campaign_id), 0))";

/** The same, ISO 8601 UTC. */
export const CHANGED_AT = `strftime('%Y-%m-%dT%H:%M:%fZ', ${CHANGED_MS} / 1000.0, 'unixepoch')`;

/** NULL for no value, never an empty text. `f` are facts, `c` calls, `t` transcripts. */
export function listedText(member: ListedMember): string {
  const { shown } = COLUMNS[member];
  if (shown === "fact") return `f.${member}`;
  if (shown === "said") return `nullif(t.${member}, '')`;
  if (shown === "folded") return `iif(f.${member}_folded IS NULL, NULL, c.${member})`;
  const trimmed = `trim(c.${member}, (SELECT characters FROM white_space))`;
  const like = (text: string, pattern: string) =>
    `${text} LIKE ${literal(pattern)}${pattern.includes("\\") ? " ESCAPE '\\'" : ""}`;
  const isMissing = [
    `lower(${trimmed}) IN no_value`,
    like(trimmed, WHOLE_MACROS[shown]),
    ...(shown === "name" ? MACROS.map((macro) => like(`c.${member}`, macro)) : []),
  ];
  return `iif(${isMissing.join("\n    OR ")}, NULL, c.${member})`;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
