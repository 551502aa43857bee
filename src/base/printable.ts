/**
 * What a terminal obeys, what turns the direction of text, and what cannot be seen. Selectors of an emoji's look are left,
 * and joiners within other text than ASCII: emoji and several scripts are written with them.
 */
const UNPRINTABLE =
  /(?!\uFE0E|\uFE0F|(?<=\P{ASCII})[\u200C\u200D](?=\P{ASCII}))[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;

/** Returns a text as one line that shows what is in it: what cannot be printed is escaped as JSON does, e.g. `\u202e`. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, escapeCharacter);
}

/** Returns text that keeps its lines and tabs, and is printable otherwise. JSON stays the same JSON. */
export function toPrintableLines(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === "\n" || character === "\t" ? character : escapeCharacter(character),
  );
}

function escapeCharacter(character: string): string {
  const json = JSON.stringify(character).slice(1, -1);
  return json === character ? character.replace(/[\s\S]/g, escapeUnit) : json;
}

/** Of one UTF-16 code unit: a character beyond U+FFFF has two, in JSON as well. */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
