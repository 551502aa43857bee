import { html } from "hono/html";
import { type Sentence, saySentence } from "./sentences.ts";

/** Returns the words as HTML, with names isolated from the direction of the text around them. */
export function toSentenceHtml(sentence: Sentence) {
  return html`${saySentence(sentence).map((part) => (typeof part === "string" ? part : html`<bdi>${part.name}</bdi>`))}`;
}
