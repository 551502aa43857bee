import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import { RULES_CHANGED } from "../export/manifest.ts";
import { isInForce, readRulesInForce } from "../warehouse/calls/rules.ts";
import {
  describeUnmatchedDisposition,
  findUnmatchedDispositions,
} from "../warehouse/calls/unmatched-dispositions.ts";
import { isCurrent, openWarehouseReader } from "../warehouse/open.ts";
import { findOtherOrigin, type OwnWarehouse } from "../warehouse/own-warehouse.ts";

/** For a command about the file itself: whether it is another account's warehouse. */
export function notesOnOrigin(own: OwnWarehouse): string[] {
  if (!isCurrent(own.database)) return [];
  using reader = openWarehouseReader(own.database);
  const problem = findOtherOrigin(reader, own);
  return problem === undefined ? [] : [`${reader.path} is another account's: ${problem}.`];
}

/**
 * For a command that only reads: whether the settings would change the figures.
 * @param tried topics in place of those in the settings
 */
export function notesOnRules(settings: Settings, tried?: AttributionRules["topics"]): string[] {
  using reader = openWarehouseReader(settings.database);
  const inForce = readRulesInForce(reader);
  const own = readAttributionRules(settings);
  const compared = tried === undefined ? own : { ...own, topics: inForce.rules.topics };
  return isInForce(inForce, compared) ? [] : [RULES_CHANGED];
}

/** Dispositions in the settings that no call has: they may be misspelled. */
export function notesOnDispositions({ database, rules }: Settings): string[] {
  using reader = openWarehouseReader(database);
  return findUnmatchedDispositions(reader, rules).map(describeUnmatchedDisposition);
}
