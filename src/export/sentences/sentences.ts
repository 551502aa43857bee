import { namesOf } from "../../base/records.ts";
import { NAME_IN_TEXT, toShortName } from "../../base/text/short-name.ts";
import { doubtsOf } from "../statements/statements.ts";
import type { SentenceFacts } from "./facts.ts";
import { SENTENCE_RULES, type SentenceRule, type SentenceValues, type Words } from "./sentence-rules.ts";

export type SentenceId = keyof typeof SENTENCE_RULES;
const RULE_OF: Readonly<Record<SentenceId, SentenceRule>> = SENTENCE_RULES;
const IDS = namesOf(SENTENCE_RULES);

/** What to read first: data, which {@link saySentence} puts into words. */
export interface Sentence {
  id: SentenceId;
  values: SentenceValues;
}

const MOST = 5;

/**
 * Returns at most five, the most important first; none if nothing is beyond chance. While figures are in doubt, those
 * that missing calls could make false are left out.
 */
export function sentencesOf(facts: SentenceFacts): Sentence[] {
  const isInDoubt = doubtsOf(facts.statements).length > 0;
  const sentences = IDS.flatMap((id): Sentence[] => {
    const { find, holdsInDoubt = false } = RULE_OF[id];
    const values = isInDoubt && !holdsInDoubt ? undefined : find(facts);
    return values === undefined ? [] : [{ id, values }];
  });
  return sentences.slice(0, MOST);
}

/** Returns the words; names are one line, and shortened. */
export function saySentence({ id, values }: Sentence): Words {
  return RULE_OF[id]
    .say(values)
    .map((part) => (typeof part === "string" ? part : { name: toShortName(part.name, NAME_IN_TEXT) }));
}

export function toSentenceText(sentence: Sentence): string {
  return saySentence(sentence)
    .map((part) => (typeof part === "string" ? part : part.name))
    .join("");
}
