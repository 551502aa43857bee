import { type Sentence, saySentence } from "../sentences/sentences.ts";
import { type Content, element } from "./element.ts";

/** The words of a sentence, with names isolated from the direction of the text around them. */
export function sentence(each: Sentence): Content {
  return saySentence(each).map((part) => (typeof part === "string" ? part : element("bdi", {}, part.name)));
}
