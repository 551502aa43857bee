import { createHash } from "node:crypto";
import { toPrintable } from "./printable.ts";

/** Longest name in a sentence: visitors choose names of sources and campaigns. */
export const NAME_IN_TEXT = 60;

const DIGEST_LENGTH = 8;

/**
 * Returns a name of at most so many characters, in one line. A cut name ends with a digest of all of it, so that names
 * that begin alike stay different.
 */
export function toShortName(name: string, most: number): string {
  const characters = [...toPrintable(name)];
  if (characters.length <= most) return characters.join("");
  const mark = `… #${createHash("sha256").update(name).digest("hex").slice(0, DIGEST_LENGTH)}`;
  return characters.slice(0, most - mark.length).join("") + mark;
}
