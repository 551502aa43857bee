/** Excel's limit, in UTF-16 code units. */
export const MAX_CELL_TEXT = 32_767;

/** Characters that XML 1.0 cannot contain, and the carriage return, which its readers turn into a line feed. */
const UNWRITABLE = "\\0-\\x08\\x0b-\\x1f\\ufffe\\uffff";
/** Also an underscore that would begin one of Excel's escapes (`_x000D_`), possibly ended by another. */
const UNSAFE = new RegExp(`[&<>"${UNWRITABLE}]|_(?=x[\\da-fA-F]{4}[_${UNWRITABLE}])`, "g");
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Escapes what XML cannot contain as `_x0001_` (ECMA-376, part 1, § 22.9.2.19); lone surrogates become U+FFFD. */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(
      UNSAFE,
      (character) =>
        ENTITIES[character] ?? `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`,
    );
}

export function cutText(text: string): string {
  if (text.length <= MAX_CELL_TEXT) return text;
  const mark = ` … [cut: ${text.length} characters in all]`;
  return text.slice(0, MAX_CELL_TEXT - mark.length).replace(/[\uD800-\uDBFF]$/, "") + mark;
}
