import { recordOf } from "../../base/records.ts";
import { UTM_FIELDS } from "../columns.ts";
import type { CallFacts, RuledFact } from "../facts.ts";
import { isAssistant } from "./ai-assistants.ts";
import type { AttributionRules } from "./attribution-rules.ts";
import { foldUtm, presentText } from "./call-text.ts";
import {
  type AttributedMembers,
  CAMPAIGN_MEMBERS,
  type RuledMembers,
  readTraits,
  toChannelValues,
} from "./call-traits.ts";
import { CHANNEL_RULES_VERSION, CHANNELS } from "./channel-rules.ts";
import { compileRules } from "./compiled-rules.ts";
import { deriveFacts, deriveRuledFacts, deriveTopic } from "./derive-facts.ts";

import { lineOf, wordsAround } from "./topics.ts";
import { toReferrer } from "./traffic-source.ts";

/** @param topic of a call whose transcript was not kept @default derived */
export function attributeCall(
  call: AttributedMembers,
  rules: AttributionRules,
  topic: string | null = deriveTopic(call, rules),
): CallFacts {
  return deriveFacts(readTraits(call, rules, topic));
}

/** Returns the facts that depend on the rules: the others stay as they are if only the rules change. */
export function attributeByRules(
  call: RuledMembers,
  rules: AttributionRules,
  topic: string | null,
): Pick<CallFacts, RuledFact> {
  return deriveRuledFacts(readTraits(call, rules, topic));
}

/** Attributes a call, and says why. @param keptTopic of a call whose transcript was not kept */
export function explainAttribution(
  call: AttributedMembers,
  rules: AttributionRules,
  keptTopic?: string | null,
) {
  const facts = attributeCall(call, rules, keptTopic);
  const { click, sourceRule } = readTraits(call, rules, facts.topic);
  const { findTopic, aboutTopic, campaignOf, lineOf: channelLineOf } = compileRules(rules);
  const campaignMember = CAMPAIGN_MEMBERS.find((name) => campaignOf(presentText(call[name])) !== null);
  const channelIndex = channelLineOf(toChannelValues(facts));
  const channelLine = rules.channels[channelIndex];
  const match = keptTopic === undefined ? findTopic(call) : undefined;
  const line = match && rules.topics[match.line];
  // The last channel is for calls that meet no rule.
  const rulesInOrder = channelLine === undefined ? CHANNELS.slice(0, -1) : [];
  const holding = rulesInOrder.indexOf(facts.channel);
  const tried = holding === -1 ? rulesInOrder : rulesInOrder.slice(0, holding + 1);
  const reasons = {
    /** Utm values folded, and the keys they count under, which differ if they have an alias. */
    utm: recordOf(UTM_FIELDS, (field) => ({
      folded: foldUtm(call[field] ?? "") || null,
      tallied_as: facts[`${field}_folded`],
    })),
    /** The click on an ad, by which the platform knows it; null for none. */
    click,
    source_rule: sourceRule,
    /** The member that names the campaign, before its alias; null for none. */
    campaign_from: campaignMember ?? null,
    is_assistant: isAssistant(facts.referring_host ?? ""),
    /** What Google's list says of the referring host; null if not listed. */
    referrer_kind: toReferrer(facts.referring_host ?? "").kind ?? null,
    /** The line of the file that matched, and the words around it, without case. */
    topic_match:
      match && line
        ? {
            line: lineOf(line, match.line),
            phrase: line.phrase,
            speaker: line.speaker,
            words: wordsAround(match),
          }
        : null,
    /** Whether the topic is as it was when the transcript was removed. */
    is_topic_kept: keptTopic !== undefined,
    /** What the topic says of the duration; null if it decides nothing. */
    topic_qualifies: aboutTopic(facts.topic)?.qualifies ?? null,
    /** The line of the file of channels that decided; null if GA4's rules did. */
    channel_line: channelLine ? lineOf(channelLine, channelIndex) : null,
    /** Version of the channel rules, and each rule up to the first that holds. */
    channel_rules: {
      version: CHANNEL_RULES_VERSION,
      tried: tried.map((channel, index) => ({ channel, holds: index === holding })),
    },
  };
  return { facts, reasons };
}
