import { hoursInWords } from "../../base/calendar/opening-hours.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { sentencesOnSpend } from "../../export/described-spend.ts";
import type { Manifest } from "../../export/manifest.ts";
import {
  basisSection,
  certificateItem,
  completenessItem,
  fingerprintItem,
  listOf,
  toKnowItem,
} from "../../export/sections/basis.ts";
import type { Content } from "../../export/sections/element.ts";
import { countInWords, minuteOf } from "../../export/statements/completeness.ts";
import { originInWords } from "../../warehouse/origin.ts";
import type { Report } from "./report-figures.ts";

export function ofBasis({ coverage, manifest, fingerprint }: Report): Content {
  const { run, origin, rules, timezone, statements, spend, certificate } = manifest;
  return basisSection([
    ["The copy is", toPrintable(originInWords(origin))],
    completenessItem({ run }, timezone),
    certificateItem(certificate, timezone),
    toKnowItem(statements),
    ["Order of the list", coverage.order ?? "not known yet"],
    ["Newest call", `${minuteOf(coverage.newest_call, timezone)}.`],
    ["Calls in the copy", `${countInWords(coverage)}.`],
    spend && ["Spend", toPrintable(sentencesOnSpend(spend, timezone).join(" "))],
    ["Drift", describeDrift(coverage)],
    ["Rules", listOf(rulesOf(rules))],
    fingerprintItem(fingerprint),
  ]);
}

function describeDrift({ drift }: Report["coverage"]): string {
  if (drift.length === 0) return "None: all members of calls are as documented.";
  const names = toPrintable(drift.slice(0, 5).join(", "));
  return `${formatQuantity(drift.length, "member")} not as documented: ${names}.`;
}

function rulesOf(rules: Manifest["rules"]): string[] {
  const { answered, missed, qualified_seconds, duration_unit, hours } = rules;
  return [
    `Answered: ${toPrintable(answered.join(", "))}`,
    `Missed: ${toPrintable(missed.join(", "))}`,
    `Qualified: answered, ${qualified_seconds} seconds or longer${exceptTopics(rules)}; the service's durations are read as ${duration_unit}`,
    ...(hours === undefined ? [] : [`Opening hours: ${hoursInWords(hours)}`]),
    `Channels: ${describeOwnChannels(rules)}${rules.channels}; ${formatQuantity(rules.aliases, "alias", "aliases")}`,
  ];
}

const exceptTopics = ({ topics }: Manifest["rules"]) =>
  topics === 0 ? "" : `, unless the topic decides, by ${formatQuantity(topics, "line")}`;

const describeOwnChannels = ({ own_channels }: Manifest["rules"]) =>
  own_channels === 0 ? "" : `${formatQuantity(own_channels, "own line")}, then `;
