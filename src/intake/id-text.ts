/** A number with decimals, or a text that a spreadsheet marks as one. */
const DECIMALS = /^(\d+)[.,]0+$/;
/** With thousands in groups: 20,533,716,084. After a single point, digits may be decimals. */
const GROUPED = /^[1-9]\d{0,2}(?:(?:([,\s'’])\d{3})(?:\1\d{3})*|(?:\.\d{3}){2,})$/;
/** The digits of others would be more than a spreadsheet shortens. */
const SHORTENED = /^\d(?:[.,]\d+)?e\+?\d{1,2}$/i;

/** Returns an id as its product writes it, whatever a spreadsheet made of it; undefined if digits are lost. */
export function readId(text: string): string | undefined {
  const bare = text.replace(/^'(?=\d)/, "");
  if (SHORTENED.test(bare)) return undefined;
  if (GROUPED.test(bare)) return bare.replace(/\D/g, "");
  return DECIMALS.exec(bare)?.[1] ?? bare;
}
