/**
 * Control characters, direction marks and invisible characters. Variation selectors stay, and joiners in non-ASCII
 * text: emoji and several scripts need them.
 */
const UNPRINTABLE =
  /(?!\uFE0E|\uFE0F|(?<=\P{ASCII})[\u200C\u200D](?=\P{ASCII}))[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;

/** Returns one line in which unprintable characters are escaped as in JSON, e.g. `\u202e`. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, escapeCharacter);
}

/** Like {@link toPrintable}, with at most so many characters. */
export function toShort(text: string, most: number): string {
  const characters = [...toPrintable(text)];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : characters.join("");
}

/** Escapes unprintable characters but keeps lines and tabs. JSON stays equivalent JSON. */
export function toPrintableLines(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === "\n" || character === "\t" ? character : escapeCharacter(character),
  );
}

function escapeCharacter(character: string): string {
  const json = JSON.stringify(character).slice(1, -1);
  return json === character ? character.replace(/[\s\S]/g, escapeUnit) : json;
}

/** Escapes one UTF-16 code unit: as in JSON, characters beyond U+FFFF take two. */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
