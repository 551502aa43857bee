import type { AttributionRules } from "../calls/attribution/attribution-rules.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import type { SettingSources } from "../config/setting-layers.ts";
import { say, statementsOf } from "../export/statements/statements.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import {
  describeUnmatchedDisposition,
  findUnmatchedDispositions,
} from "../warehouse/calls/unmatched-dispositions.ts";
import { isCurrent, openReader } from "../warehouse/file/open.ts";
import { findOtherOrigin, type OwnWarehouse } from "../warehouse/file/own-warehouse.ts";
import { readBasis } from "../warehouse/runs/basis.ts";

/** For a command about the file itself: whether it is another account's warehouse. */
export function notesOnOrigin(account: OwnWarehouse): string[] {
  if (!isCurrent(account.database)) return [];
  using reader = openReader(account.database);
  const problem = findOtherOrigin(reader, account);
  return problem === undefined ? [] : [`${reader.path} is another account's: ${problem}.`];
}

/**
 * For a command that only reads: whether the settings would change the figures.
 * @param tried topics or channels in place of those in the settings
 */
export function notesOnRules(
  settings: Settings,
  tried: Partial<Pick<AttributionRules, "topics" | "channels">> = {},
): string[] {
  using reader = openReader(settings.database);
  const current = readAttributionRules(settings);
  const { rules } = readRulesInForce(reader);
  const topics = tried.topics ? rules.topics : current.topics;
  const channels = tried.channels ? rules.channels : current.channels;
  const statements = statementsOf({
    warehouse: readBasis(reader, { rules: { ...current, topics, channels } }),
  });
  return statements.filter(({ id }) => id === "rules_changed").map((statement) => say(statement).text);
}

/** Dispositions in the settings that no call has: they may be misspelled. */
export function notesOnDispositions({ database, rules }: Settings, sources: SettingSources): string[] {
  using reader = openReader(database);
  return findUnmatchedDispositions(reader, rules).map((unmatched) =>
    describeUnmatchedDisposition(unmatched, sources),
  );
}
