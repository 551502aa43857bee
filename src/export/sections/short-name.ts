import { toShortName } from "../../base/text/short-name.ts";
import type { Element } from "./element.ts";
import { isolated } from "./tables.ts";

const MAX_CHARACTERS = 100;

/** A visitor's text, cut if it is long. Calls of a page to explore have names that are cut already. */
export const shortName = (text: string): Element => isolated(toShort(text));

export const toShort = (text: string) => toShortName(text, MAX_CHARACTERS);
