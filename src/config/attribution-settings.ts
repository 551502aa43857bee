import type { OpeningHours } from "../base/calendar/opening-hours.ts";
import { withDigests } from "../calls/privacy/keep-settings.ts";
import { readAliases } from "./files/aliases-file.ts";
import { readChannels } from "./files/channels-file.ts";
import { readClosedDays } from "./files/closed-days-file.ts";
import { readTopics } from "./files/topics-file.ts";
import type { Settings } from "./load-settings.ts";

/** @throws UsageError if a file of aliases, topics, channels or closed days is unusable */
export function readAttributionRules(
  settings: Pick<Settings, "rules" | "aliasesFile" | "topicsFile" | "channelsFile" | "keep"> &
    Partial<Pick<Settings, "hours">>,
) {
  const { rules, aliasesFile, topicsFile, channelsFile, keep } = settings;
  const aliases = aliasesFile === undefined ? { aliases: {} } : readAliases(aliasesFile);
  const topics = topicsFile === undefined ? [] : readTopics(topicsFile);
  const channels = channelsFile === undefined ? [] : readChannels(channelsFile);
  const hours = settings.hours && toOpeningHours(settings.hours);
  return withDigests({ ...rules, ...aliases, topics, channels, hours }, keep);
}

function toOpeningHours({ closedFile, ...hours }: NonNullable<Settings["hours"]>): OpeningHours {
  return { ...hours, closed: closedFile === undefined ? [] : readClosedDays(closedFile) };
}
