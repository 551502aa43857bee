import { withDigests } from "../privacy/keep-settings.ts";
import { readAliases } from "./aliases-file.ts";
import { readChannels } from "./channels-file.ts";
import type { Settings } from "./load-settings.ts";
import { readTopics } from "./topics-file.ts";

/** @throws UsageError if a file of aliases, topics or channels is unusable */
export function readAttributionRules(
  settings: Pick<Settings, "rules" | "aliasesFile" | "topicsFile" | "channelsFile" | "keep">,
) {
  const { rules, aliasesFile, topicsFile, channelsFile, keep } = settings;
  const aliases = aliasesFile === undefined ? { aliases: {} } : readAliases(aliasesFile);
  const topics = topicsFile === undefined ? [] : readTopics(topicsFile);
  const channels = channelsFile === undefined ? [] : readChannels(channelsFile);
  return withDigests({ ...rules, ...aliases, topics, channels }, keep);
}
